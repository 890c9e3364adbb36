package tokens_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"

	"recap/chat"
	"recap/tokens"
)

// oracle returns tiktoken itself, loaded from the vocabulary that a Counter puts in place.
func oracle(t testing.TB) *tiktoken.Tiktoken {
	t.Helper()
	learned(t, newCounter(t), openAI(t, "gpt-4o", say("user", "u")))
	vocabulary, err := tiktoken.GetEncoding("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	return vocabulary
}

// The errors of what is believed before any report, against real vocabularies: those of o200k_base, cl100k_base, Llama 3,
// Qwen 3 and Gemma 3 on the samples, counted once by these tokenizers themselves. The first is the fixed measure.
// 12 % for English and code, 25 % for every script and language; the exceptions are known. -v prints them.
func TestEstimateByScript(t *testing.T) {
	data, err := os.ReadFile("testdata/scripts/counts.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	names := strings.Split(lines[0], ",")[1:]
	tight := map[string]bool{"english": true, "code": true, "markdown": true, "json": true, "log": true, "minified": true}
	// Gemma spends more on the marks of code; Llama 3 has many words of Turkish and Czech, whose letters say little of that.
	loose := map[string]float64{"minified gemma3": 18, "turkish llama3": 55, "czech llama3": 30}
	for _, line := range lines[1:] {
		fields := strings.Split(line, ",")
		text := script(t, fields[0])
		for like, name := range names {
			want, err := strconv.Atoi(fields[1+like])
			if err != nil {
				t.Fatal(err)
			}
			got, limit := tokens.EstimateLike(text, like), 25.0
			if tight[fields[0]] {
				limit = 12
			}
			limit = max(limit, loose[fields[0]+" "+name])
			off := 100 * float64(got-want) / float64(want)
			t.Logf("%-12s %-12s %5d bytes, %4d tokens, estimate %4d, %+.1f %%", fields[0], name, len(text), want, got, off)
			if math.Abs(off) > limit {
				t.Errorf("%s, %s: estimate %d, want %d within %.0f %%, is off by %+.1f %%", fields[0], name, got, want, limit, off)
			}
		}
	}
}

// The counts that TestEstimateByScript compares with are those of the vocabularies that are counted with.
func TestCountsOfScripts(t *testing.T) {
	data, err := os.ReadFile("testdata/scripts/counts.csv")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/scripts/*.txt")
	if lines := bytes.Count(data, []byte("\n")); err != nil || lines != len(files)+1 || lines < 30 {
		t.Fatalf("%d lines for %d samples, %v", lines, len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		text := script(t, name)
		want := fmt.Sprintf("\n%s,%d,%d,", name, tokens.CountOrdinary("o200k_base", text), tokens.CountOrdinary("cl100k_base", text))
		if !strings.Contains(string(data), want) {
			t.Errorf("%s: want %q", name, want[1:])
		}
	}
}

// What a model's chats weigh at first sight goes by its family; an encoding in the file wins over the name.
func TestFirstSightByModel(t *testing.T) {
	text := script(t, "hindi")
	k := newCounter(t, tokens.Model{Match: "gemma-like*", Encoding: "cl100k_base"})
	f := func(model string, like int) {
		t.Helper()
		s := k.Sizes(openAI(t, model, say("user", text)), "u")
		if got, want := s.Messages[0], tokens.EstimateLike(text, like)+4; got != want {
			t.Errorf("%s: %d, want %d", model, got, want)
		}
		if got, want := s.Fixed[0], tokens.Estimate(text)+4; got != want {
			t.Errorf("%s: the fixed measure says %d, want %d", model, got, want)
		}
	}
	f("ghost", 0)
	f("gpt-4o", 0)
	f("gpt-4", 1)
	f("llama3.1:8b", 2)
	f("meta-llama/Llama-3.3-70B-Instruct", 2)
	f("qwen3:14b", 3)
	f("Qwen/Qwen2.5-7B-Instruct", 3)
	f("gemma3:4b", 4)
	f("gemma-like-mine", 1)
}

func TestEstimateOfLittle(t *testing.T) {
	f := func(text string, want int) {
		t.Helper()
		if got := tokens.Estimate(text); got != want {
			t.Errorf("Estimate(%q) = %d, want %d", text, got, want)
		}
	}
	f("", 0)
	f("a", 1)
	f("123", 1)
	f("1234", 2)
	f(" ", 1)
	f("\n", 1)
	f("}\n", 1)
	f("hello world\n", 3)
}

// A longer text weighs at least about as much: what a word gains by one more letter is at most what a cheaper class
// of word can take away again.
func TestEstimateGrows(t *testing.T) {
	for _, name := range []string{"english", "code", "polish", "russian", "chinese", "hex", "emoji"} {
		text := script(t, name)
		most := 0
		for i := range text {
			n := tokens.Estimate(text[:i])
			if n < most-2 {
				t.Errorf("%s: %d bytes weigh %d, fewer weighed %d", name, i, n, most)
			}
			most = max(most, n)
		}
	}
}

func TestEstimateQuotedSample(t *testing.T) {
	for _, name := range []string{"english", "code", "json", "log", "polish", "chinese", "emoji", "uuid"} {
		text := script(t, name)
		plain, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		ascii := asciiQuote(text)
		for _, token := range []string{string(plain), ascii} {
			if got, want := tokens.EstimateQuoted(token), tokens.Estimate(text); got != want {
				t.Errorf("%s: EstimateQuoted %d, Estimate %d", name, got, want)
			}
		}
	}
}

// asciiQuote writes text as Python's json does: everything beyond ASCII escaped.
func asciiQuote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		token, _ := json.Marshal(string(r))
		switch {
		case r < utf8.RuneSelf:
			b.Write(token[1 : len(token)-1])
		case r > 0xFFFF:
			b.WriteString(`\u` + hex4(0xD800+(r-0x10000)>>10) + `\u` + hex4(0xDC00+(r-0x10000)&0x3FF))
		default:
			b.WriteString(`\u` + hex4(r))
		}
	}
	return b.String() + `"`
}

func hex4(r rune) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
}

// P7: the measure of a token is that of its text, however it was escaped and wherever it broke.
func FuzzEstimateQuoted(f *testing.F) {
	f.Add(`"a\nb"`)
	f.Add(`"\ud83d\ude00 \ud83d x \udc00"`)
	f.Add("\"\xff\xfe\\u0041\"")
	f.Fuzz(func(t *testing.T, token string) {
		if !json.Valid([]byte(token)) || token[0] != '"' || token[len(token)-1] != '"' {
			return
		}
		if got, want := tokens.EstimateQuoted(token), tokens.Estimate(chat.Unquote(token)); got != want {
			t.Errorf("EstimateQuoted(%q) = %d, Estimate of its text %d", token, got, want)
		}
	})
}

func FuzzEstimate(f *testing.F) {
	for _, name := range []string{"code", "polish", "emoji"} {
		f.Add(script(f, name))
	}
	f.Fuzz(func(t *testing.T, text string) {
		n := tokens.Estimate(text)
		if n < 0 || n > 4*len(text)+1 || text != "" && n == 0 {
			t.Errorf("Estimate of %d bytes = %d", len(text), n)
		}
		if again := tokens.Estimate(text); again != n {
			t.Errorf("Estimate = %d, then %d", n, again)
		}
	})
}

// D8: a big data: URL has one flat cost wherever it stands; a small one and plain base64 count as text.
func TestD8DataURLInText(t *testing.T) {
	payload := base64.StdEncoding.EncodeToString(make([]byte, 3<<20))
	around := tokens.Estimate("before \"\" after")
	for _, size := range []int{8 << 10, 1 << 20, len(payload)} {
		got := tokens.Estimate(`before "data:image/png;base64,` + payload[:size] + `" after`)
		if off := got - around - 1000; off < -2 || off > 2 {
			t.Errorf("a data: URL of %d bytes weighs %d, want 1000", size, got-around)
		}
	}
	two := strings.Repeat("data:image/png;base64,"+payload[:9000]+" ", 2)
	if got := tokens.Estimate(two); got < 2000 || got > 2005 {
		t.Errorf("two of them weigh %d, want 2000", got)
	}
	if got := tokens.Estimate("see data:image/png;base64,iVBORw0KGgo= here"); got > 40 {
		t.Errorf("a small one weighs %d", got)
	}
	if got := tokens.Estimate(";base64," + strings.Repeat("aGVsbG8g", 2000)); got < 4000 {
		t.Errorf("base64 that is no data: URL weighs %d, want it counted as text", got)
	}
}

func TestEstimateAllocatesNothing(t *testing.T) {
	text := script(t, "code")
	token, _ := json.Marshal(text)
	quoted := string(token)
	tokens.EstimateQuoted(quoted)
	got := testing.AllocsPerRun(100, func() { tokens.Estimate(text); tokens.EstimateQuoted(quoted) })
	if got > 1 {
		t.Errorf("got %v allocations", got)
	}
}
