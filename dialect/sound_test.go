package dialect_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"recap/dialect"
)

// FuzzSound: the reader of ours takes what encoding/json and gjson take, and nothing else.
func FuzzSound(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `""`, `0`, `-`, `-0`, `01`, `1.`, `1.5e+3`, `1e`, `true`, `tru`, `nulll`, `{"a":[1,{"b":"\u12aF"}],"c":"\x"}`,
		`{"a" : 1 , "b" : [ ] }`, `[1,]`, `{"a":1,}`, `{,}`, `{"a"}`, "\"a\tb\"", "\"12345678\x1f\"", `"1234567\\"`, `"\u123"`, ` 1 `, `1 2`,
		`"aaaaaaa` + "\x80\xff" + `"`, `]`, `{"a":1]`, "\u00a01",
		`["` + strings.Repeat("a", 70) + strings.Repeat(`\\`, 40) + `\"` + strings.Repeat("b", 70) + `"]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := dialect.Valid(text)
		if strings.Count(text, "[")+strings.Count(text, "{") > 900 {
			return // deeper than we go
		}
		if want := json.Valid([]byte(text)); got != want {
			t.Fatalf("%q: got %v, encoding/json says %v", text, got, want)
		}
		if want := gjson.Valid(text); got != want {
			t.Fatalf("%q: got %v, gjson says %v", text, got, want)
		}
	})
}

// TestSoundLong: where in a long string an escape, a run of backslashes or a control character stands makes no difference.
func TestSoundLong(t *testing.T) {
	for at := range 150 {
		for run := range 6 {
			for _, next := range []string{"n", "u00e9", "u00g9", "x", `"`, "\n", "\x00", "é", ""} {
				text := `"` + strings.Repeat("a", at) + strings.Repeat(`\`, run) + next + strings.Repeat("b", 80) + `"`
				for _, text := range []string{text, text + "\n", "[" + text + ", " + text + "]", text[:len(text)-1]} {
					if got, want := dialect.Valid(text), json.Valid([]byte(text)); got != want {
						t.Fatalf("%q: got %v, encoding/json says %v", text, got, want)
					}
				}
			}
		}
	}
}
