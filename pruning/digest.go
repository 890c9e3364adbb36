package pruning

import (
	"slices"
	"strings"
)

// digestIntro stands between the placeholder and the digest.
const digestIntro = "\nIt mentioned: "

// digest returns the paths, identifiers and numbers of a text that tell most about it and are not shown elsewhere, in
// the order in which they appeared, in at most chars code points.
func digest(text string, chars int, shown wordSet) string {
	found := slices.DeleteFunc(mentions(text), func(m mention) bool { return shown.has(m.word) })
	for i := range found {
		found[i].worth = found[i].score()
	}
	slices.SortFunc(found, func(a, b mention) int {
		if a.worth != b.worth {
			return int(b.worth - a.worth)
		}
		return int(a.first - b.first)
	})
	chosen := choose(found, chars)
	slices.SortFunc(chosen, func(a, b mention) int { return int(a.first - b.first) })
	words := make([]string, len(chosen))
	for i, m := range chosen {
		words[i] = m.word
	}
	return strings.Join(words, digestJoint)
}

// digestJoint stands between the words of a digest.
const digestJoint = " "

// choose takes the first of found that fit into chars code points, which words have as many of as bytes. What stands inside
// a word that is taken is shown with it.
func choose(found []mention, chars int) []mention {
	var chosen []mention
	left := chars + len(digestJoint)
	for _, m := range found {
		size := len(m.word) + len(digestJoint)
		if size > left || slices.ContainsFunc(chosen, func(c mention) bool { return c.holds(&m) }) {
			continue
		}
		chosen = slices.DeleteFunc(chosen, func(c mention) bool {
			inside := m.holds(&c)
			if inside {
				left += len(c.word) + len(digestJoint)
			}
			return inside
		})
		chosen = append(chosen, m)
		left -= size
	}
	return chosen
}

// holds reports whether another word stands inside this one.
func (m *mention) holds(other *mention) bool {
	return other.bytes&^m.bytes == 0 && strings.Contains(m.word, other.word)
}
