package dialect_test

import (
	"testing"

	"recap/chat"
	"recap/dialect"
	"recap/internal/chattest"
)

// The first message of a chat that is only glanced at has the key that it has when all is read.
func TestOpening(t *testing.T) {
	seed := chat.Seed("tenant", "upstream", "recipe")
	f := func(name, body string) {
		t.Helper()
		g := dialect.ByName(name).(dialect.Glancer)
		c, _, err := g.Glance(body, 1, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := dialect.ByName(name).Decode(body, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := chat.Keys(chat.NewOutline(whole), seed)
		message := g.Opening(c)
		if message == "" {
			if len(want) != 0 {
				t.Errorf("%s: no opening in %s", name, body)
			}
			return
		}
		first, err := g.ReadOpening(message)
		if err != nil {
			t.Fatal(err)
		}
		if got := chat.Keys(chat.NewOutline(first), seed); len(got) != 1 || got[0] != want[0] {
			t.Errorf("%s %s: got %v, want %v", name, body, got, want[0])
		}
	}
	for _, notation := range []string{"S U A U", "U A U", "U", "S S U A(c1) T(c1) U", "A(c1) T(c1) U", "U A(c1,c2) T(c1) T(c2) A U"} {
		f("openai", chattest.OpenAIBody(notation))
		f("ollama", chattest.OllamaBody(notation))
	}
	f("openai", `{"messages":[{"role":"developer","content":"d"},{"content":"q","name":"n","role":"user"}]}`)
	f("openai", ` { "messages" : [ { "role" : "system" , "content" : "[{" } , { "role" : "user" , "content" : [ {"type":"text","text":"q"} ] } ] }`)
	f("openai", `{"messages":[{"role":"sys\u0074em","content":"d"},{"role":"user","content":"q"}]}`)
	f("openai", `{"messages":[{"role":"system","content":"alone"}]}`)
	f("ollama", `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"","images":[]}]}`)
}
