package tokens_test

import (
	"testing"

	"recap/dialect"
	"recap/tokens"
)

// A note full of digits weighs more than the prose that it is put into, for a model to which each digit is a token; a note
// that is like the chat weighs what the decision takes it for.
func TestNotes(t *testing.T) {
	const prose = "The keeper of the light wrote the hour into his book before he went home, as he had done for many years. "
	k := tokens.NewCounter(nil)
	t.Cleanup(k.Close)
	f := func(model, note string, low, high int) {
		t.Helper()
		body := `{"model":"` + model + `","messages":[{"role":"user","content":"` + prose + prose + prose + prose + `"}]}`
		c, err := dialect.ByName("openai").Decode(body, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := k.Sizes(c, "u")
		if got := s.OffNote(note); got < low || got > high {
			t.Errorf("%s: %d tokens more, want %d to %d", model, got, low, high)
		}
	}
	const digits = "door code is 2517301843; door code is 2554881290; door code is 2591000417"
	f("gemma-3-270m", digits, 10, 30)
	f("gemma-3-270m", prose, -4, 4)
	f("gpt-4o", digits, -6, 2)
	f("gpt-4o", prose, -4, 4)
}
