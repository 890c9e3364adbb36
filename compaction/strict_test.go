package compaction_test

import (
	"fmt"
	"strings"
	"testing"

	"recap/chat"
	"recap/internal/chattest"
	"recap/internal/fakellm"
)

// shapes are chats that break naive cuts: parallel calls, late results, two user messages in a row, notes in the
// middle, long agent turns.
var shapes = []string{
	"S,U,A,U,A,U,A,U",
	"U,A,U,A,U",
	"S,U,A(c1),T(c1:4000),A,U,A,U",
	"S,U,A(c1,c2,c3),T(c1),T(c2),T(c3),A,U,A,U",
	"S,U,A,U,A(c1),T(c1),A,U,A,U",
	"S,U,A(c1),T(c1),A(c2),T(c2),A(c3,c4),T(c3),T(c4),A(c5),T(c5)",
	"S,U,A,U,A(c1),T(c1),A(c2),T(c2),A(c3),T(c3)",
	"S,U,A,U,A(c1),T(c1),A(c2),T(c2),A,U,A(c3),T(c3)",
	"U,A(c),T(c),A(c),T(c),A(c),T(c)",
}

// P5, A1, A2, A5, A7, A8: whatever the cut, format and placement, the strictest upstream takes the body, and all that
// is kept is what the client sent.
func TestP5A1A2A5A7A8EveryCut(t *testing.T) {
	for _, notation := range shapes {
		for _, name := range []string{"openai", "ollama"} {
			for _, placement := range []chat.Placement{chat.InUser, chat.InSystem} {
				t.Run(fmt.Sprintf("%s/%s/%s", notation, name, placement), func(t *testing.T) {
					everyCut(t, notation, name, placement)
				})
			}
		}
	}
}

func everyCut(t *testing.T, notation, name string, placement chat.Placement) {
	t.Helper()
	w := newWorld(t, notation, 80_000)
	if name == "ollama" {
		w.dialect, w.body = name, chattest.OllamaBody(notation)
	}
	w.options.Placement, w.options.MinMessages = string(placement), 1
	w.body = inflate(w.body)
	if err := fakellm.Check(name, []byte(w.body)); err != nil {
		t.Fatalf("the client's own body is refused: %v", err)
	}
	cuts := w.input().Outline.Cuts()
	if len(cuts) == 0 {
		t.Fatal("no cut to try")
	}
	for _, cut := range cuts {
		w.stored = []chat.Checkpoint{w.checkpoint(cut.Covers, summaryText)}
		w.force = true
		d := w.decide()
		if covers(&d) != cut.Covers {
			t.Errorf("cut at %d was not used", cut.Covers)
			continue
		}
		sent := w.sent(&d)
		if err := fakellm.Check(name, []byte(sent)); err != nil {
			t.Errorf("cut at %d: refused: %v\n%s", cut.Covers, err, sent)
		}
		if err := fakellm.CheckKept(name, []byte(w.body), []byte(sent)); err != nil {
			t.Errorf("cut at %d: %v\n%s", cut.Covers, err, sent)
		}
		if !strings.Contains(sent, "Messages 1–") {
			t.Errorf("cut at %d: the summary is not in the body", cut.Covers)
		}
	}
}

// inflate makes every text long enough for a swap to pay, whatever the cut.
func inflate(body string) string {
	return strings.ReplaceAll(body, "message ", strings.Repeat("a long story about many things ", 300)+"message ")
}

// A8b, A8c, A9: system messages of the client's stay where they are, byte for byte, the first one first.
func TestA8A9SystemMessagesStay(t *testing.T) {
	w := newWorld(t, "S,S,U:4000,A:4000,S,U:4000,A:4000,U,A,U", 100_000)
	w.force = true
	w.stored = []chat.Checkpoint{w.checkpoint(4, summaryText)}
	d := w.decide()
	if covers(&d) != 4 {
		t.Fatalf("covers %d, want 4", covers(&d))
	}
	before, after := systemMessages(t, w.body), systemMessages(t, w.sent(&d))
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("system messages\n%v\nwant\n%v", after, before)
	}
}

func systemMessages(t *testing.T, body string) []string {
	t.Helper()
	var list []string
	c := (&world{t: t, dialect: "openai", body: body}).decode()
	for i, m := range c.Messages {
		if m.Role == chat.System {
			list = append(list, fmt.Sprint(i < 2, m.Raw))
		}
	}
	return list
}
