package dialect_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unsafe"

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
					if _, plain, err := d.(dialect.Glancer).Glance(wrap(rng, chats[rng.IntN(len(chats))]), 0, 1<<20); err != nil || !plain {
						t.Fatal(plain, err)
					}
				}
				sameChat(t, warm, cold)
			}
			if resumed < 900 { // those with the spacing of the one before
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

// Requests of one chat that come at once, some with its newest messages and some with others, each read their own bytes:
// what they share grows under them (E11).
func TestResumedInParallel(t *testing.T) {
	d := dialect.ByName("openai").(dialect.Glancer)
	facts := chat.NewMemo[dialect.Print, *chat.Facts](5000)
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(worker), 2))
			list := []string{`{"role":"system","content":"the same for all"}`, `{"role":"user","content":"` + strings.Repeat("hello ", 1000) + `"}`}
			for step := range 300 {
				who := worker
				if step < 200 {
					who = 0 // for a while they all say the same
				}
				list = append(list, fmt.Sprintf(`{"role":"assistant","content":"marker %d of %d"}`, step, who))
				body := strings.Clone(`{"model":"m","messages":[` + strings.Join(list, ",") + `],"seed":1}`)
				if rng.IntN(3) == 0 {
					if c, plain, err := d.Glance(body, 7, 1<<20); err != nil || !plain || c.Count != len(list) {
						t.Error("glance:", err, plain)
					}
					continue
				}
				c, err := d.DecodeFor(7, body, facts)
				if err != nil {
					t.Error(err)
					return
				}
				for i := range c.Messages {
					if m := &c.Messages[i]; m.Raw != list[i] || body[m.Start:m.Start+len(m.Raw)] != list[i] {
						t.Errorf("worker %d, message %d is %.60s", worker, i, m.Raw)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// What was read does not hang on to the memory of the request's body: the next request may have it.
func TestResumedOwnsItsMemory(t *testing.T) {
	d := dialect.ByName("openai").(dialect.Glancer)
	facts := chat.NewMemo[dialect.Print, *chat.Facts](5000)
	list := []string{`{"role":"system","content":"s"}`}
	var chats []*chat.Chat
	var want []string
	for step := range 40 {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"marker %d %s"}`, step, strings.Repeat("word ", step*20)))
		body := []byte(`{"messages":[` + strings.Join(list, ",") + `]}`)
		c, err := d.DecodeFor(3, unsafe.String(&body[0], len(body)), facts)
		if err != nil || c.Borrowed {
			t.Fatal(err, c)
		}
		chats, want = append(chats, c), append(want, list[len(list)-1])
		clear(body)
	}
	for n, c := range chats {
		for i := 1; i < len(c.Messages); i++ {
			if c.Messages[i].Raw != want[i-1] {
				t.Fatalf("request %d: message %d is %.60q", n, i, c.Messages[i].Raw)
			}
		}
	}
}

// Two tenants do not share what is known of a body.
func TestResumedWithinTenant(t *testing.T) {
	d := dialect.ByName("openai").(dialect.Glancer)
	body := `{"messages":[{"role":"user","content":"` + strings.Repeat("a", 5000) + `"},{"role":"user","content":"b"},{"role":"user","content":"c"}]}`
	f := func(tenant uint64, known bool) {
		t.Helper()
		c, _, err := d.Glance(body, tenant, 1<<20)
		if err != nil || (c.Before != nil) != known {
			t.Errorf("tenant %d: known %v, want %v (%v)", tenant, c.Before != nil, known, err)
		}
	}
	f(11, false)
	f(12, false)
	f(11, true)
	f(12, true)
}

// A chat that goes on otherwise in the middle is read on from where it is the same.
func TestResumedInPart(t *testing.T) {
	d := dialect.ByName("openai").(dialect.Glancer)
	facts := chat.NewMemo[dialect.Print, *chat.Facts](5000)
	var list []string
	for i := range 40 {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"message %d %s"}`, i, strings.Repeat("x", 300)))
	}
	send := func(tenant uint64) *chat.Chat {
		t.Helper()
		body := `{"messages":[` + strings.Join(list, ",") + `]}`
		c, err := d.DecodeFor(tenant, body, facts)
		if err != nil {
			t.Fatal(err)
		}
		cold, err := d.(dialect.Dialect).Decode(body, nil)
		if err != nil {
			t.Fatal(err)
		}
		sameChat(t, c, cold)
		return c
	}
	first := send(21)
	list[35] = `{"role":"user","content":"edited"}`
	if c := send(21); c.Before != nil || c.Messages[30].Facts != first.Messages[30].Facts {
		t.Error("the edited chat was not read on from the known one")
	}
	list = append(list[:38], `{"role":"user","content":"later"}`)
	send(21)
}

// A path of 64 bits only says where to look: even where two chats had the same one, the messages before that place are
// compared byte by byte, so nothing that was remembered of one is taken over for the other.
func TestResumedOnExactBytes(t *testing.T) {
	const tail = `,{"role":"assistant","content":"the same"},{"role":"user","content":"for both"}`
	for _, name := range []string{"openai", "ollama"} {
		d := dialect.ByName(name)
		facts := chat.NewMemo[dialect.Print, *chat.Facts](100)
		body := func(head, first string) string {
			return fmt.Sprintf(`{"model":"m",%s"messages":[{"role":"user","content":%q}`, head, first) + tail + `]}`
		}
		mine, other := body("", name+" mine"), body(`"seed":1,`, name+" theirs")
		if _, err := d.Decode(mine, facts); err != nil {
			t.Fatal(err)
		}
		if !dialect.MakePathsMeet(name, mine, other) {
			t.Fatal("the known body was not found")
		}
		warm, err := d.Decode(other, facts)
		if err != nil {
			t.Fatal(err)
		}
		if warm.Before != nil {
			t.Errorf("%s: a chat takes over what was remembered of another one", name)
		}
	}
}
