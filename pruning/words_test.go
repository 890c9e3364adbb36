package pruning_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"recap/chat"
	"recap/pruning"
)

func TestDigestLeavesOutWhatIsShown(t *testing.T) {
	f := func(text, want string, shown ...string) {
		t.Helper()
		if got := pruning.Digest(text, 400, shown...); got != want {
			t.Errorf("%q beside %q: got %q, want %q", text, shown, got, want)
		}
	}
	f("the end of it, as they say: nothing", "")
	f("call parseConfig with MAX_RETRIES", "parseConfig MAX_RETRIES")
	f("call parseConfig with MAX_RETRIES", "MAX_RETRIES", "we need parseConfig here")
	f("see cmd/main.go:118 and rc1.2, then 8443", "cmd/main.go rc1.2 8443")
	f("main.go 8443 arm64", "arm64", "https://host:8443/cmd/main.go")
	f("host cmd/main.go", "", "https://host:8443/cmd/main.go")
	f(`one\ntwo_three\tC:\new\table`, `two_three C:\new\table`)
	f("aa1 bb2 cc3 dd4 ee5", "ee5", "aa1", "bb2 bb2", "cc3", "dd4")
}

// What is seen of a result at first sight is how its text begins, however its JSON is written.
func TestSightAgreesWithTheWholeText(t *testing.T) {
	bits := []string{
		"a", "Bc", `\n`, `\\`, `\"`, "é", "漢", "\xff", "\x80\x80", "🚀", " characters cut by Recap]", "error ",
		`\n\n[12 characters cut by Recap]\n\n`, `\u0041`, `\ud83d\ude80`,
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		usual := bits[:len(bits)-r.IntN(5)]
		var b strings.Builder
		b.WriteByte('"')
		for size := 400 + r.IntN(400); b.Len() < size; {
			b.WriteString(usual[r.IntN(len(usual))])
		}
		b.WriteByte('"')
		text := chat.Part{Kind: chat.Text, Span: chat.Span{End: b.Len()}}
		m := &chat.Message{Raw: b.String(), Facts: &chat.Facts{Results: []chat.Result{{Parts: []chat.Part{text}}}}}
		opening, whole, trimmed := pruning.Sight(m, 0)
		if o, w, tr := pruning.Whole(m, 0); opening != o || whole != w || trimmed != tr {
			t.Fatalf("%q: begins %q, %v, %v; want %q, %v, %v", m.Raw, opening, whole, trimmed, o, w, tr)
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	var text strings.Builder
	for i := 0; text.Len() < 50_000; i++ {
		fmt.Fprintf(&text, "2026-11-07T10:15:32.481Z INFO method=POST path=/v1/%x status=200 bytes=4181 id=7f3a9c\n"+
			"func (s *store) a%xb(ctx context.Context) error {\n\tif e, ok := s.memory[key]; ok {\n\t\treturn nil\n\t}\n", i*7919, i*15485863)
	}
	for _, size := range []int{1_000, 5_000, 50_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				pruning.Digest(text.String()[:size], 400)
			}
		})
	}
}
