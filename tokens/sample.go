package tokens

import (
	"strings"
	"unicode/utf8"
)

// Rough looks at so many parts of a body, of so many bytes each, Sampled at more. Many short parts tell more of a mixed body than
// a few long ones of twice as many bytes, and a body that is no longer than wholeSize is looked at whole.
const (
	samples    = 8
	moreParts  = 32
	sampleSize = 128
	wholeSize  = 2 << 10
	// frameTokens is what the names and marks of a message in JSON weigh more than those in a template.
	frameTokens = 4
)

// Rough is about what a body weighs in tokens, by parts of it and by what the upstream made of others: for
// chats that are not read. sampled is what the parts alone tell; ObserveRough takes it.
func (k *Counter) Rough(upstream, model, body string) (size, sampled int) {
	sampled = k.sample(model, body, samples)
	return int(float64(sampled)*k.factors.rates(target{upstream, model}).rough + 0.5), sampled
}

// Sampled is what a long body weighs in tokens by more parts of it than Rough looks at, and by nothing else.
func (k *Counter) Sampled(model, body string) int { return k.sample(model, body, moreParts) }

// sample is what so many parts of a body tell of it.
func (k *Counter) sample(model, body string, parts int) int {
	var t tally
	messages, seen := 0, 0
	part := func(text string) {
		t.inner(text)
		messages += strings.Count(text, `"role"`)
		seen += len(text)
	}
	if len(body) <= max(wholeSize, parts*sampleSize) {
		part(body)
	} else {
		for i := range parts {
			part(untorn(body[(len(body)*(2*i+1)/parts-sampleSize)/2:][:sampleSize]))
		}
	}
	tokens := t.cost(k.profile(model).like)/unit - messages*frameTokens
	return int(float64(max(tokens, 1))*float64(len(body))/float64(max(seen, 1)) + 0.5)
}

// untorn returns a part without the characters that were torn at its ends: a piece of one weighs more than all of it.
func untorn(part string) string {
	for range utf8.UTFMax - 1 {
		if utf8.RuneStart(part[0]) {
			break
		}
		part = part[1:]
	}
	last := len(part) - 1
	for last > len(part)-utf8.UTFMax && !utf8.RuneStart(part[last]) {
		last--
	}
	if !utf8.FullRuneInString(part[last:]) {
		return part[:last]
	}
	return part
}
