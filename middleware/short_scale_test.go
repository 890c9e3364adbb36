package middleware_test

import (
	"fmt"
	"strings"
	"testing"
)

// X-Recap-Tokens of a short chat says what that chat weighs, within a factor of two, whatever another client asked before.
func TestShortChatIsNotWeighedByAnother(t *testing.T) {
	texts := map[string]string{
		"english": strings.Repeat("The people who came to the house were glad to see each other again. ", 25),
		"digits":  strings.Repeat("1 7 3 9 2 8 4 6 ", 110),
		"blanks":  strings.Repeat(strings.Repeat(" ", 60)+`\n`, 28),
		"hex":     strings.Repeat("9f3ac07be1d24488a1", 100),
	}
	weigh := func(who string, names ...string) (n int) {
		c := newBench(t)
		c.Deps.Relay = counting(func([]byte) int { return 0 })
		for _, name := range names {
			ctx := benchRequest(fmt.Appendf(nil, `{"model":"bench","messages":[{"role":"user","content":"%s"}]}`, texts[name]))
			ctx.Request.Header.Set("Authorization", "Bearer "+who+name)
			c.Handle(ctx)
			_, _ = fmt.Sscanf(string(ctx.Response.Header.Peek("X-Recap-Tokens")), "before=%d", &n)
		}
		return n
	}
	for other := range texts {
		for name := range texts {
			alone, behind := weigh("a", name), weigh("b", other, name)
			if behind > 2*alone || 2*behind < alone {
				t.Errorf("%s weighs %d tokens, behind a chat of another client with %s %d", name, alone, other, behind)
			}
		}
	}
}
