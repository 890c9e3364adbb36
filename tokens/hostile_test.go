package tokens_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// hostileTexts are perf.md's table of what a tokenizer is slow at, each of at least so many bytes.
var hostileTexts = map[string]func(r *rand.Rand) string{
	"run of a":                func(*rand.Rand) string { return "a" },
	"run of A":                func(*rand.Rand) string { return "A" },
	"random letters":          func(r *rand.Rand) string { return letters(r, "abcdefghijklmnopqrstuvwxyz") },
	"random case":             func(r *rand.Rand) string { return letters(r, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") },
	"spaces":                  func(*rand.Rand) string { return " " },
	"tabs":                    func(*rand.Rand) string { return " \t" },
	"newlines":                func(*rand.Rand) string { return "\n" },
	"newline, space, newline": func(*rand.Rand) string { return "\n \n" },
	"8 spaces and newline":    func(*rand.Rand) string { return "        \n" },
	"dashes":                  func(*rand.Rand) string { return "-" },
	"random punctuation":      func(r *rand.Rand) string { return letters(r, "!#$%&()*+,-./:;<=>?@[]^_{|}~") },
	"Chinese":                 func(r *rand.Rand) string { return han(r) },
	"one Chinese character":   func(*rand.Rand) string { return "漢" },
	"emoji":                   func(r *rand.Rand) string { return string(rune(0x1F600 + r.IntN(0x50))) },
	"one emoji":               func(*rand.Rand) string { return "😀" },
	"combining marks":         func(*rand.Rand) string { return "\u0301" },
	"base64": func(r *rand.Rand) string {
		return letters(r, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
	},
	"hex":                 func(r *rand.Rand) string { return letters(r, "0123456789abcdef") },
	"digits":              func(r *rand.Rand) string { return letters(r, "0123456789") },
	"Thai without blanks": func(r *rand.Rand) string { return string(rune(0x0E01 + r.IntN(0x2E))) },
}

func hostileNames() []string { return slices.Sorted(maps.Keys(hostileTexts)) }

// hostile returns at least size bytes of one of hostileTexts, the same ones each time.
func hostile(name string, size int) string {
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(hostileTexts[name](r))
	}
	return b.String()
}

func letters(r *rand.Rand, of string) string {
	b := make([]byte, 64)
	for i := range b {
		b[i] = of[r.IntN(len(of))]
	}
	return string(b)
}

func han(r *rand.Rand) string { return string(rune(0x4E00 + r.IntN(0x51A0))) }
