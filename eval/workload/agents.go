package workload

import (
	"encoding/json"
	"fmt"

	"recap/internal/fakellm"
)

// agent writes the rounds of a coding agent: calls name what earlier results told, most often what was told lately.
type agent struct {
	w     *writer
	said  []fakellm.Said
	seen  []string
	calls int
	last  *fakellm.Said // a result that may be given again
	asked fakellm.ToolCall
}

// Loop is W3: one prompt and so many tool calls. Results have p50 3,200, p90 10,500 and p99 about 28,000 characters; 7 %
// of the rounds call in parallel; 5 % of the calls repeat the one before, with the same result.
func Loop(seed uint64, calls int) Run {
	a := newAgent("W3", seed)
	for a.calls < calls {
		a.round(3200, 10500)
	}
	a.said = append(a.said, assistant("Done. "+a.w.prose(200)))
	return grown("W3", fmt.Sprintf("one prompt, %d calls", a.calls), "openai", newLine("openai", fakellm.ConversationOptions{}, a.said))
}

// Sessions is W4: an agent with so many user turns of one to five rounds.
func Sessions(seed uint64, turns int) Run {
	a := newAgent("W4", seed)
	a.said = nil
	for range turns {
		a.said = append(a.said, user(a.w.prose(a.w.between(60, 300))))
		for range a.w.between(1, 5) {
			a.round(1600, 5200)
		}
		a.said = append(a.said, assistant(a.w.prose(a.w.between(100, 500))))
	}
	return grown("W4", fmt.Sprintf("agent, %d turns", turns), "openai", newLine("openai", fakellm.ConversationOptions{}, a.said))
}

func newAgent(kind string, seed uint64) *agent {
	a := &agent{w: newWriter(kind, seed)}
	a.said = []fakellm.Said{user("Please find out why the retries are lost and mend it. " + a.w.prose(400))}
	return a
}

// round is one calling message with its results.
func (a *agent) round(p50, p90 float64) {
	say := fakellm.Said{Role: "assistant", Content: fakellm.NullValue}
	if a.w.chance(0.4) {
		say.Text = a.w.prose(120)
	}
	width := 1
	if a.w.chance(0.07) {
		width = a.w.between(2, 4)
	}
	var results []fakellm.Said
	for range width {
		call, result := a.call(p50, p90)
		say.Calls = append(say.Calls, call)
		results = append(results, result)
	}
	a.said = append(append(a.said, say), results...)
}

func (a *agent) call(p50, p90 float64) (fakellm.ToolCall, fakellm.Said) {
	a.calls++
	id := fmt.Sprintf("call_%05d", a.calls)
	if a.last != nil && a.w.chance(0.05) {
		call, result := a.asked, *a.last
		call.ID, result.ID = id, id
		return call, result
	}
	call := fakellm.ToolCall{ID: id, Name: "run", Args: object("command", "grep -n "+a.known()+" "+a.known())}
	if a.w.chance(0.5) {
		call = fakellm.ToolCall{ID: id, Name: "read_file", Args: object("path", a.known())}
	}
	size := min(max(a.w.logNormal(p50, p90), 40), 60000)
	result := fakellm.Said{Role: "tool", ID: id, Name: call.Name, Text: a.w.code(size, &a.seen)}
	a.last, a.asked = &result, call
	return call, result
}

// known is something that a result told, the later the likelier; something new where nothing is known yet.
func (a *agent) known() string {
	if len(a.seen) == 0 || a.w.chance(0.15) {
		return a.w.path()
	}
	back := a.w.rand.ExpFloat64() * 40
	if a.w.chance(0.1) {
		back = a.w.rand.Float64() * float64(len(a.seen))
	}
	return a.seen[max(len(a.seen)-1-int(back), 0)]
}

func object(key, value string) string {
	text, err := json.Marshal(map[string]string{key: value})
	if err != nil {
		panic(fmt.Sprintf("workload: encode arguments: %v", err))
	}
	return string(text)
}
