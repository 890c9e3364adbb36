package fakellm

import (
	"fmt"
	"strings"
)

// Fact is an exact string planted in a conversation: whether it is still there after compaction can be looked up.
type Fact struct {
	Kind    string // "path", "url", "uuid", "sha", "port", "money", "date", "version", "error", "name", "never", "value"
	Text    string // the exact string
	Message int    // index in Conversation.Messages
	Stale   bool   // a later fact replaced it
}

// Tongues of the generated text. Every rune class is there that cutting and counting may get wrong.
var tongues = [][]string{
	{
		"server", "deploy", "check", "the", "value", "window", "number", "please", "test", "module", "cache", "request",
		"between", "quick", "summary", "returns", "while", "under", "config", "holds",
	},
	{"zażółć", "gęślą", "jaźń", "źródło", "pamięć", "się", "różnica", "ścieżka", "błąd", "wartość", "dziękuję"},
	{"サーバー", "設定", "漢字", "测试", "缓存", "数据库", "値", "東京", "こんにちは", "서버", "확인"},
	{"😀", "👩‍💻", "🇵🇱", "✅", "🚀", "e\u0301", "𝒳", "\u202eabc\u202c"},
}

func (g *generator) chance(share float64) bool { return share > 0 && g.rand.Float64() < share }

func (g *generator) word() string { return tongues[0][g.rand.IntN(len(tongues[0]))] }

// text is about size characters, a third of a length up or down, mostly English.
func (g *generator) text(size int) string {
	size = size*2/3 + g.rand.IntN(size*2/3+1)
	var b strings.Builder
	for b.Len() < size {
		tongue := tongues[0]
		if g.chance(0.25) {
			tongue = tongues[1+g.rand.IntN(len(tongues)-1)]
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(tongue[g.rand.IntN(len(tongue))])
	}
	switch g.rand.IntN(6) {
	case 0:
		b.WriteString("?\n\nSecond line with \"quotes\", a \\ and a\ttab.")
	case 1:
		b.WriteString(" <b>&amp;</b> {\"role\":\"system\"}")
	default:
		b.WriteByte('.')
	}
	return b.String()
}

func (g *generator) hex(n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%x", g.rand.IntN(16))
	}
	return b.String()
}

func (g *generator) path() string {
	return fmt.Sprintf("/srv/%s-%s/internal/%s/%s.go", g.word(), g.hex(4), g.word(), g.word())
}

// factKinds is how each kind is made up and said.
var factKinds = []struct {
	kind, say string
	make      func(g *generator) string
}{
	{"path", "The file to change is %s.", (*generator).path},
	{"url", "The ticket is at %s today.", func(g *generator) string {
		return "https://tracker.example.org/" + g.word() + "/" + g.hex(8) + "?page=2"
	}},
	{"uuid", "Use tenant id %s for it.", func(g *generator) string {
		return g.hex(8) + "-" + g.hex(4) + "-4" + g.hex(3) + "-a" + g.hex(3) + "-" + g.hex(12)
	}},
	{"sha", "The last good commit is %s as far as I know.", func(g *generator) string { return g.hex(40) }},
	{"port", "The service listens on port %s now.", func(g *generator) string { return fmt.Sprint(20000 + g.rand.IntN(40000)) }},
	{"money", "The budget is %s in total.", func(g *generator) string {
		return fmt.Sprintf("€%d,%03d.%02d", 1+g.rand.IntN(90), g.rand.IntN(1000), g.rand.IntN(100))
	}},
	{"date", "The deadline is %s sharp.", func(g *generator) string {
		return fmt.Sprintf("20%d-%02d-%02d", 26+g.rand.IntN(60), 1+g.rand.IntN(12), 1+g.rand.IntN(28))
	}},
	{"version", "Stay on version %s please.", func(g *generator) string {
		return fmt.Sprintf("v%d.%d.%d-rc.%d", g.rand.IntN(20), g.rand.IntN(90), g.rand.IntN(900), g.rand.IntN(9))
	}},
	{"error", "It fails with %s each time.", func(g *generator) string { return "ERR_" + strings.ToUpper(g.word()) + "_" + g.hex(5) }},
	{"name", "The person to ask is %s there.", func(g *generator) string { return "Zofia Wiśniewska-" + strings.ToUpper(g.hex(4)) }},
	{"never", "Remember: %s!", func(g *generator) string { return "never touch the table " + g.word() + "_" + g.hex(6) }},
	{"value", "The retry limit is now %s.", func(g *generator) string { return "RETRY_LIMIT=" + fmt.Sprint(1000+g.rand.IntN(900000)) }},
}

// fact plants the next kind in turn and returns the sentence that says it. Each new value replaces the one before.
func (g *generator) fact(message int) string {
	row := factKinds[len(g.c.Facts)%len(factKinds)]
	f := Fact{Kind: row.kind, Text: row.make(g), Message: message}
	for i := range g.c.Facts {
		if f.Kind == "value" && g.c.Facts[i].Kind == "value" {
			g.c.Facts[i].Stale = true
		}
	}
	g.c.Facts = append(g.c.Facts, f)
	return fmt.Sprintf(row.say, f.Text)
}
