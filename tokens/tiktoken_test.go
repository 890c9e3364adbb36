package tokens_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"recap/tokens"
)

var update = flag.Bool("update", false, "write testdata/tiktoken/golden.json anew; needs RECAP_TIKTOKEN")

var officialEncodings = []string{"cl100k_base", "o200k_base"}

// scripts are what samples are made of: texts, and ranges of letters that hardly occur in them.
var scripts = []struct {
	name  string
	files []string
	rare  []*unicode.RangeTable
}{
	{"latin", []string{"english", "german", "french", "spanish", "finnish", "hungarian"}, nil},
	{"latin with marks", []string{"polish", "czech", "turkish", "vietnamese"}, []*unicode.RangeTable{unicode.Latin, unicode.Mn}},
	{"cyrillic", []string{"russian", "ukrainian"}, []*unicode.RangeTable{unicode.Cyrillic}},
	{"greek", []string{"greek"}, []*unicode.RangeTable{unicode.Greek}},
	{"arabic", []string{"arabic"}, []*unicode.RangeTable{unicode.Arabic}},
	{"hebrew", []string{"hebrew"}, []*unicode.RangeTable{unicode.Hebrew}},
	{"devanagari", []string{"hindi"}, []*unicode.RangeTable{unicode.Devanagari, unicode.Bengali}},
	{"thai", []string{"thai"}, []*unicode.RangeTable{unicode.Thai, unicode.Lao}},
	{"chinese", []string{"chinese", "traditional"}, []*unicode.RangeTable{unicode.Han}},
	{"japanese", []string{"japanese"}, []*unicode.RangeTable{unicode.Hiragana, unicode.Katakana}},
	{"korean", []string{"korean"}, []*unicode.RangeTable{unicode.Hangul}},
	{"mixed", []string{"emoji", "code", "json", "log", "markdown", "minified", "uuid", "hex", "base64"}, []*unicode.RangeTable{unicode.So, unicode.Sm, unicode.Nd}},
}

// gaps stand between the words of samples: what tokenizers split at, in all the ways that matter to them.
var gaps = []string{
	" ", " ", " ", " ", " ", "\n", "\n\n", "  ", "   ", "\t", "\r\n", " \n", "\n ", " \n \n ", "", ", ", ". ", "'s ", "'LL ", "-", "_", "/",
	"(", ") ", "...", " = ", "\": \"", "<|endoftext|>", " 12", "3456 ", "\u00a0", "\u3000", "\u200b", "—", "!!!", "\x00",
}

// samples makes n texts of the twelve scripts, the same ones each time.
func samples(t testing.TB, n int) []string {
	t.Helper()
	r := rand.New(rand.NewPCG(20, 26))
	words := make([][]string, len(scripts))
	for i, s := range scripts {
		for _, file := range s.files {
			words[i] = append(words[i], pieces(script(t, file))...)
		}
	}
	list := make([]string, n)
	for i := range list {
		at := i % len(scripts)
		var b strings.Builder
		for range 1 + r.IntN(40) {
			b.WriteString(sampleWord(r, at, words))
			b.WriteString(gaps[r.IntN(len(gaps))])
		}
		list[i] = strings.ToValidUTF8(b.String(), "")
	}
	return list
}

// pieces cuts a text into words, and what has no blanks into bits of it.
func pieces(text string) (words []string) {
	for _, w := range strings.Fields(text) {
		for len(w) > 60 {
			at := 40
			for !utf8.RuneStart(w[at]) {
				at++
			}
			words, w = append(words, w[:at]), w[at:]
		}
		words = append(words, w)
	}
	return words
}

func sampleWord(r *rand.Rand, at int, words [][]string) string {
	own := words[at]
	switch r.IntN(12) {
	case 0: // another script in the midst
		own = words[r.IntN(len(words))]
	case 1: // letters that hardly occur
		if rare := scripts[at].rare; len(rare) > 0 {
			return rareLetters(r, rare[r.IntN(len(rare))])
		}
	case 2: // a run
		return strings.Repeat(string([]rune("a ß\n-=0漢😀\tЖ")[r.IntN(11)]), 1+r.IntN(90))
	case 3:
		return strings.ToUpper(own[r.IntN(len(own))])
	}
	return own[r.IntN(len(own))]
}

func rareLetters(r *rand.Rand, table *unicode.RangeTable) string {
	var b strings.Builder
	for range 1 + r.IntN(6) {
		rows := table.R16
		row := rows[r.IntN(len(rows))]
		b.WriteRune(rune(row.Lo) + rune(row.Stride)*rune(r.IntN(int(row.Hi-row.Lo)/int(row.Stride)+1)))
	}
	return b.String()
}

// official counts texts with OpenAI's own tiktoken, by encoding.
func official(t testing.TB, texts []string) map[string][]int {
	t.Helper()
	packages := os.Getenv("RECAP_TIKTOKEN")
	if packages == "" {
		t.Skip("the official tiktoken is not here; `make tiktoken` installs it and runs this")
	}
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/pkoukk/tiktoken-go-loader").Output()
	if err != nil {
		t.Fatal(err)
	}
	in, _ := json.Marshal(texts)
	args := append([]string{"testdata/tiktoken/count.py", packages, filepath.Join(strings.TrimSpace(string(folder)), "assets")}, officialEncodings...)
	cmd := exec.Command("python3", args...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var counts map[string][]int
	if err := json.Unmarshal(out, &counts); err != nil {
		t.Fatal(err)
	}
	return counts
}

// Ten thousand samples in twelve scripts are counted as the official tiktoken counts them: to the token, but for the few
// that hold a run which is cut.
func TestOfficialTiktoken(t *testing.T) {
	texts := samples(t, 10_000)
	want := official(t, texts)
	if *update {
		writeGolden(t, texts, want)
	}
	for _, e := range officialEncodings {
		wrong := 0
		for i, text := range texts {
			got, off := tokens.CountOrdinary(e, text), 0
			if longestRun(text) > tokens.MaxRun {
				off = cutTokens * (len(text) / tokens.MaxRun)
			}
			if got < want[e][i]-off || got > want[e][i]+off {
				if wrong++; wrong <= 5 {
					t.Errorf("%s, %s: counted %d, tiktoken %d for %.200q", e, scripts[i%len(scripts)].name, got, want[e][i], text)
				}
			}
		}
		t.Logf("%s: %d of %d samples differ", e, wrong, len(texts))
	}
}

// Runs that are cut, because they are longer than what is given to tiktoken-go in one piece, are off by as little as this.
const (
	cutTokens = 3    // per cut
	cutShare  = 0.06 // of the tokens
)

// TestOfficialLongRuns counts runs of up to 20 KB, some of them between words, as the official tiktoken does, but for what
// a cut costs.
func TestOfficialLongRuns(t *testing.T) {
	var texts []string
	for _, size := range []int{300, 500, 1000, 5000, 20_000} {
		for _, name := range hostileNames() {
			run := hostile(name, size)
			texts = append(texts, run, "some words "+run+" and others")
		}
	}
	want := official(t, texts)
	for _, e := range officialEncodings {
		worst := 0.0
		for i, text := range texts {
			got, cuts := tokens.CountOrdinary(e, text), len(text)/tokens.MaxRun
			off := float64(got - want[e][i])
			if off = max(off, -off); off > float64(cuts*cutTokens) || off > cutShare*float64(want[e][i])+cutTokens {
				t.Errorf("%s: counted %d, tiktoken %d, %d bytes of %.40q", e, got, want[e][i], len(text), text)
			}
			worst = max(worst, off/float64(want[e][i]))
		}
		t.Logf("%s: %d runs, the worst is off by %.1f %%", e, len(texts), 100*worst)
	}
}

// golden is a sample with the official counts.
type golden struct {
	Text  string `json:"text"`
	Cl100 int    `json:"cl100k_base"`
	O200  int    `json:"o200k_base"`
}

const goldenFile = "testdata/tiktoken/golden.json"

func writeGolden(t *testing.T, texts []string, counts map[string][]int) {
	t.Helper()
	var list []golden
	for i := 0; i < len(texts); i += 31 { // 31 and twelve scripts have no divisor in common
		if longestRun(texts[i]) > tokens.MaxRun {
			continue
		}
		list = append(list, golden{texts[i], counts["cl100k_base"][i], counts["o200k_base"][i]})
	}
	data, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(goldenFile, append(data, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestGoldenTiktoken is TestOfficialTiktoken on a part of the samples, whose official counts are kept in a file.
func TestGoldenTiktoken(t *testing.T) {
	data, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	var list []golden
	if err := json.Unmarshal(data, &list); err != nil || len(list) < 300 {
		t.Fatalf("%d samples, %v", len(list), err)
	}
	for _, g := range list {
		for e, want := range map[string]int{"cl100k_base": g.Cl100, "o200k_base": g.O200} {
			if got := tokens.CountOrdinary(e, g.Text); got != want {
				t.Errorf("%s: counted %d, tiktoken %d for %.200q", e, got, want, g.Text)
			}
		}
	}
}

// The counts of a text do not depend on where it is cut for tiktoken-go, unless an unbroken run is cut.
func TestPiecesChangeNoCount(t *testing.T) {
	vocabulary := oracle(t)
	for i, text := range samples(t, 100) {
		whole := strings.Repeat(text+" and so on\n", 8)
		if got, want := tokens.CountOrdinary("o200k_base", whole), len(vocabulary.EncodeOrdinary(whole)); got != want {
			t.Errorf("sample %d: %d in pieces, %d in one", i, got, want)
		}
	}
}

// D2: whatever the text is, nothing that tiktoken-go would split quadratically is longer than a bound, and no byte is lost.
func TestD2PiecesAreBounded(t *testing.T) {
	texts := samples(t, 200)
	for _, name := range hostileNames() {
		texts = append(texts, hostile(name, 64<<10))
	}
	for _, text := range texts {
		list := tokens.Pieces(text)
		if strings.Join(list, "") != text {
			t.Fatalf("pieces of %.60q are not the text", text)
		}
		for _, piece := range list {
			if len(piece) > tokens.MaxSegment+tokens.MaxRun+utf8.UTFMax {
				t.Errorf("a piece of %d bytes of %.60q", len(piece), text)
			}
			if n := longestRun(piece); n > tokens.MaxRun+utf8.UTFMax {
				t.Errorf("a run of %d bytes of %.60q", n, text)
			}
		}
	}
}

// longestRun is the length of the longest run of letters and marks, of blanks, of figures or of other characters, in bytes.
// No token spans two of these, but for a mark or a blank in front of a word and line breaks behind marks.
func longestRun(text string) (longest int) {
	kind := func(r rune) int {
		return slices.IndexFunc([]bool{unicode.In(r, unicode.L, unicode.M), unicode.IsSpace(r), unicode.IsNumber(r), true}, func(is bool) bool { return is })
	}
	start, last := 0, -1
	for i, r := range text {
		if k := kind(r); k != last {
			start, last = i, k
		}
		longest = max(longest, i+utf8.RuneLen(r)-start)
	}
	return longest
}
