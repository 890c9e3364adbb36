package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"recap/internal/fakellm"
)

// report says what the run adds up to, and returns what must not have happened.
func (d *demo) report(ctx context.Context) error {
	t := &d.count
	straight := d.straight(ctx)
	line := func(name, format string, args ...any) {
		d.out.entry(plain, fmt.Sprintf("  %-17s", name)+fmt.Sprintf(format, args...), 19)
	}
	middle, most := median(d.added())
	job, _ := median(t.jobs)
	d.out.line(plain, "")
	d.out.line(bold, "What happened")
	line("chat", "%d turns, %d requests, %d messages; the client sent all of it each time", len(d.play), t.requests, len(d.agent.messages))
	line("its size", "%s tokens, %.1f windows; from turn %d on more than one", number(t.size), float64(t.size)/demoWindow, t.tooLong)
	line("without Recap", "%s", straight)
	line("with Recap", "%s of %s tokens sent on (%d %% less); largest request %s", number(t.sent), number(t.total), 100-percent(t.sent, t.total), number(t.largest))
	line("pruned", "%s", things(len(t.pruned), "tool result", "tool results"))
	line("summaries", "%d written in the background (%d ms each), %d swapped in, %d failed", t.written, job.Milliseconds(), t.swaps, t.failed)
	line("prompt cache", "gave %d %% of what was sent; broke %s, each time for a swap, a prune or a summary", percent(t.cached, t.sent), things(t.breaks, "time", "times"))
	line("added by Recap", "%s to a request (median; 95 of 100 under %s), the ways on loopback included", milliseconds(middle), milliseconds(most))
	line("refused", "%d of %d requests by the strict model", len(d.model.Refusals()), t.requests)
	faults := append(d.faults(), d.quote()...)
	d.out.line(plain, "")
	if len(faults) > 0 {
		d.out.line(red, "Something is wrong:")
	}
	return errors.Join(faults...)
}

// quote shows where the facts of the first turn stand in the last request that reached the model.
func (d *demo) quote() (faults []error) {
	messages := messagesOf(d.sent)
	d.out.line(plain, "")
	d.out.line(bold, fmt.Sprintf("The last request, as the model got it: %d of the client's %d messages", len(messages), len(d.agent.messages)-1))
	shown := ""
	for _, f := range demoFacts {
		at, where := find(messages, f.text)
		if at < 0 {
			faults = append(faults, fmt.Errorf("demo: %s, told in the first turn, is no longer in the last request", f.name))
			continue
		}
		if where != shown {
			d.out.line(green, fmt.Sprintf("  ✓ message %d (%s) says: «%s»", at+1, messages[at].Role, where))
		}
		shown = where
	}
	last := d.agent.messages[len(d.agent.messages)-1]
	d.out.entry(plain, "  user   "+demoLast, 9)
	d.out.entry(plain, "  model  "+messagesOf([]byte(`{"messages":[` + string(last) + `]}`))[0].Content, 9)
	return faults
}

// find returns the first message that holds a text, and the line of it.
func find(messages []said, text string) (at int, line string) {
	for i, m := range messages {
		for l := range strings.SplitSeq(m.Content, "\n") {
			if before, after, ok := strings.Cut(l, text); ok {
				if len(before) > 240 {
					before = "…" + before[strings.LastIndexByte(before[:len(before)-200], ' ')+1:]
				}
				return i, before + text + clip(after, 200)
			}
		}
	}
	return -1, ""
}

// faults lists what must not have happened, and what must have.
func (d *demo) faults() (list []error) {
	t := &d.count
	wrong := func(is bool, format string, args ...any) {
		if is {
			list = append(list, fmt.Errorf("demo: "+format, args...))
		}
	}
	refused := d.model.Refusals()
	wrong(len(refused) > 0, "the model refused %d requests, the first one: %s", len(refused), strings.Join(refused[:min(len(refused), 1)], ""))
	overflows := d.model.Find(func(r *fakellm.Recorded) bool { return r.Overflow && r.At.Before(t.end()) })
	wrong(len(overflows) > 0, "%d requests were longer than the window", len(overflows))
	for _, fault := range t.faults {
		wrong(true, "%w", fault)
	}
	wrong(t.failed > 0, "%d summaries failed", t.failed)
	wrong(len(t.pruned) == 0, "nothing was pruned")
	wrong(t.written == 0, "no summary was written")
	wrong(t.swaps == 0, "no summary was swapped in")
	wrong(t.tooLong == 0, "the chat never outgrew the window, so the run shows nothing")
	return list
}

// end is when the last answer had come.
func (t *tally) end() time.Time {
	if len(t.times) == 0 {
		return time.Time{}
	}
	return t.times[len(t.times)-1][1]
}

// added is, for each request, the time from the client's first byte to the moment at which the model had all of it.
func (d *demo) added() (out []time.Duration) {
	chats := d.model.Chats()
	for _, span := range d.count.times {
		for len(chats) > 0 && chats[0].At.Before(span[0]) {
			chats = chats[1:]
		}
		if len(chats) > 0 && chats[0].At.Before(span[1]) {
			out = append(out, chats[0].At.Sub(span[0]))
		}
	}
	return out
}

// straight sends the client's last request to the model itself.
func (d *demo) straight(ctx context.Context) string {
	last := len(d.agent.messages) - 1
	whole := agent{client: d.agent.client, messages: d.agent.messages[:last]}
	within, cancel := context.WithTimeout(ctx, demoPatience)
	defer cancel()
	r, err := whole.ask(within, d.model.URL(), whole.body(), func(string) {})
	if err != nil {
		return "not known: " + err.Error()
	}
	if r.code == 200 {
		return "the model takes the last request as well"
	}
	return fmt.Sprintf("the model answers %d to the last request: %s", r.code, clip(between(r.text, `"message":"`, `"`), 120))
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}
