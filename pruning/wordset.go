package pruning

import "slices"

// wordSet holds words that need no place in a digest, by a hash each, in sorted runs of which each is at least twice as long
// as the next. It never changes: with returns another one. The hash has no seed, so that every process finds the same
// digests; where two words meet in it, one of them is missing in a digest.
type wordSet [][]uint64

// with returns the set with more words, which it may reorder.
func (s wordSet) with(more []uint64) wordSet {
	if len(more) == 0 {
		return s
	}
	slices.Sort(more)
	more = slices.Clone(slices.Compact(more))
	n := len(s)
	for ; n > 0 && len(s[n-1]) < 2*len(more); n-- {
		more = merge(s[n-1], more)
	}
	return append(s[:n:n], more)
}

// merge returns one sorted run of two.
func merge(a, b []uint64) []uint64 {
	all := make([]uint64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			all, a = append(all, a[0]), a[1:]
		case a[0] > b[0]:
			all, b = append(all, b[0]), b[1:]
		default:
			b = b[1:]
		}
	}
	return append(append(all, a...), b...)
}

func (s wordSet) has(word string) bool {
	h := hashOf(word)
	for _, run := range s {
		if _, ok := slices.BinarySearch(run, h); ok {
			return true
		}
	}
	return false
}

// appendNames adds the hashes of a text's words, and of the names and numbers inside each: what stands between two of the
// marks that paths and addresses are made of, and what follows one of them.
func appendNames(list []uint64, text string) []uint64 {
	eachWord(text, func(word string, _ kind) {
		whole, part := hashBase, hashBase
		for i := len(word) - 1; i >= 0; i-- {
			c := word[i]
			if c == '/' || c == '.' || c == ':' || c == '\\' {
				list = append(list, whole, part)
				part = hashBase
			} else {
				part = hashStep(part, c)
			}
			whole = hashStep(whole, c)
		}
		list = append(list, whole, part)
	})
	return list
}

// hashOf is FNV-1a, from the last byte to the first: so the end of a word is hashed on the way to all of it.
func hashOf(word string) uint64 {
	h := hashBase
	for i := len(word) - 1; i >= 0; i-- {
		h = hashStep(h, word[i])
	}
	return h
}

const hashBase uint64 = 14695981039346656037

func hashStep(h uint64, c byte) uint64 { return (h ^ uint64(c)) * 1099511628211 }
