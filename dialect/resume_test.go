package dialect_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
)

// A body that is read on from a known one gives the same chat and the same keys as one that is read alone, whatever was
// sent before: turns added, messages edited in the middle, other heads and spacing, chats with the same opener.
func TestResumedIsCold(t *testing.T) {
	for _, name := range []string{"openai", "ollama"} {
		t.Run(name, func(t *testing.T) {
			d := dialect.ByName(name)
			facts := chat.NewMemo[dialect.Print, *chat.Facts](5000)
			rng := rand.New(rand.NewPCG(1, 2))
			var chats [6][]string
			for i := range chats {
				chats[i] = []string{`{"role":"system","content":"the same for all"}`, `{"role":"user","content":"hello"}`}
			}
			resumed := 0
			for step := range 3000 {
				i := rng.IntN(len(chats))
				chats[i] = change(rng, chats[i], step)
				body := wrap(rng, chats[i])
				warm, err := d.Decode(body, facts)
				if err != nil {
					t.Fatal(err)
				}
				cold, err := d.Decode(body, nil)
				if err != nil {
					t.Fatal(err)
				}
				if warm.Before != nil {
					resumed++
				}
				if step%3 == 0 { // what is only glanced at must not confuse what is read
					if _, plain, err := d.(dialect.Glancer).Glance(wrap(rng, chats[rng.IntN(len(chats))])); err != nil || !plain {
						t.Fatal(plain, err)
					}
				}
				sameChat(t, warm, cold)
			}
			if resumed < 1000 {
				t.Errorf("%d of 3000 bodies were read on from a known one", resumed)
			}
		})
	}
}

func change(rng *rand.Rand, list []string, step int) []string {
	add := func(role, text string) {
		list = append(list, fmt.Sprintf(`{"role":%q,"content":"%s %d %s"}`, role, text, step, strings.Repeat("word ", rng.IntN(40))))
	}
	switch n := rng.IntN(20); {
	case n == 0 && len(list) > 4:
		list = list[:2+rng.IntN(len(list)-2)]
	case n == 1 && len(list) > 4:
		list = append([]string(nil), list...)
		list[1+rng.IntN(len(list)-1)] = fmt.Sprintf(`{"role":"user","content":"edited %d"}`, step)
	case n == 2:
		list = append([]string(nil), list[:2]...)
	case len(list) > 60:
		list = append([]string(nil), list[:2]...)
	}
	add("assistant", "answer")
	add("user", "question")
	return list
}

func wrap(rng *rand.Rand, list []string) string {
	comma := []string{",", ", ", ",\n  "}[rng.IntN(20)/9]
	head := []string{`{"model":"m","messages":[`, `{"messages":[ `, `{"stream":true,"model":"other","messages":[`}[rng.IntN(20)/8]
	return head + strings.Join(list, comma) + `],"seed":` + fmt.Sprint(rng.IntN(9)) + `}`
}

func sameChat(t *testing.T, warm, cold *chat.Chat) {
	t.Helper()
	if len(warm.Messages) != len(cold.Messages) || warm.List != cold.List || warm.Model != cold.Model {
		t.Fatalf("%d messages in %v, want %d in %v\n%s", len(warm.Messages), warm.List, len(cold.Messages), cold.List, cold.Body)
	}
	for i := range warm.Messages {
		w, c := &warm.Messages[i], &cold.Messages[i]
		if w.Raw != c.Raw || w.Start != c.Start || w.Digest != c.Digest || !reflect.DeepEqual(w.Parts, c.Parts) {
			t.Fatalf("message %d differs: %d %s, want %d %s", i, w.Start, w.Raw, c.Start, c.Raw)
		}
	}
	seed := chat.Seed("t", "u", "r")
	for range 2 {
		a, b := chat.Keys(chat.NewOutline(warm), seed), chat.Keys(chat.NewOutline(cold), seed)
		if !reflect.DeepEqual(a, b) {
			t.Fatal("keys differ")
		}
		seed = chat.Seed("t", "u", "other") // what is remembered under one seed is not taken for another's
	}
}
