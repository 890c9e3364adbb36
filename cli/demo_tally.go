package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// step is one request as the client, Recap's headers and the model's journal tell of it.
type step struct {
	reply        *reply
	status       string // X-Recap-Status without its parameters
	broke        bool
	size, window int    // tokens: of the client's chat, as the model counts
	evicted      bool   // a summary was asked for since the last request
	checkpoint   string // "" = none
	covers       int    // messages
	shortened    []short
	fault        error // what of the client's was changed that must not be
}

// short is a tool result that was pruned.
type short struct {
	id       string
	text     string // what is left of it
	from, to int    // characters
}

// newStep reads the answer's headers and compares what the client sent with what the model got.
func newStep(r *reply, body, sent []byte) *step {
	s := &step{reply: r, fault: keptAsSent(body, sent), shortened: shortened(body, sent)}
	status, params, _ := strings.Cut(r.header.Get("X-Recap-Status"), ";")
	s.status, s.broke = status, strings.Contains(params, "broke-prefix")
	s.window = param(r.header.Get("X-Recap-Tokens"), "window")
	key, params, _ := strings.Cut(r.header.Get("X-Recap-Checkpoint"), ";")
	s.checkpoint, s.covers = strings.Trim(key, `"`), param(params, "covers")
	return s
}

// param returns a number among the parameters of a header's value, 0 where there is none.
func param(value, name string) int {
	for _, item := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ';' }) {
		if digits, ok := strings.CutPrefix(strings.TrimSpace(item), name+"="); ok {
			n, _ := strconv.Atoi(digits)
			return n
		}
	}
	return 0
}

// said is a message as far as the demo looks at it.
type said struct {
	Role    string `json:"role"`
	ID      string `json:"tool_call_id"`
	Content string `json:"content"`
}

func messagesOf(body []byte) []said {
	var request struct {
		Messages []said `json:"messages"`
	}
	_ = json.Unmarshal(body, &request) // the demo's own bodies: the strict model would refuse others
	return request.Messages
}

// shortened lists the tool results in sent that are not as the client sent them.
func shortened(body, sent []byte) (list []short) {
	own := map[string]string{}
	for _, m := range messagesOf(body) {
		own[m.ID] = m.Content
	}
	for _, m := range messagesOf(sent) {
		if m.ID != "" && m.Content != own[m.ID] {
			list = append(list, short{m.ID, m.Content, utf8.RuneCountInString(own[m.ID]), utf8.RuneCountInString(m.Content)})
		}
	}
	return list
}

// prunedIDs names the tool results that were seen pruned.
type prunedIDs map[string]bool

// fresh returns those that were not seen pruned before.
func (p prunedIDs) fresh(list []short) (out []short) {
	for _, s := range list {
		if !p[s.id] {
			out = append(out, s)
		}
	}
	return out
}

// tally is what the whole run adds up to. Tokens are as the model counts.
type tally struct {
	requests, recorded  int // sent; told by the event stream
	size, total         int // of the client's chat now; of all requests as the client sent them
	last, largest, sent int // of the last request as it left; of the largest; of all
	cached              int // of those sent
	breaks              int // of the prompt cache
	swaps               int
	written, failed     int // summaries
	tooLong             int // first turn whose chat is longer than the window; 0 = none
	jobs                []time.Duration
	pruned              prunedIDs
	checkpoint          string         // in use; "" = none
	times               [][2]time.Time // of each request: sent, answered
	faults              []error

	turnSent, turnCached int      // tokens of this turn's requests
	turnLost             []string // what broke the prompt cache in it
}

func (t *tally) newTurn() { t.turnSent, t.turnCached, t.turnLost = 0, 0, nil }

func (t *tally) add(s *step, turn int) {
	fault := func(err error) {
		if err != nil {
			t.faults = append(t.faults, fmt.Errorf("turn %d: %w", turn, err))
		}
	}
	fault(s.fault)
	if why := t.cold(s); why != "" {
		t.breaks++
		if why == undeclared {
			fault(errors.New("the prompt's beginning changed and X-Recap-Status did not say so"))
		}
		if !slices.Contains(t.turnLost, why) {
			t.turnLost = append(t.turnLost, why)
		}
	}
	if t.tooLong == 0 && s.size > s.window {
		t.tooLong = turn
	}
	if s.checkpoint != "" && s.checkpoint != t.checkpoint {
		t.swaps++
	}
	if t.pruned == nil {
		t.pruned = prunedIDs{}
	}
	for _, p := range s.shortened {
		t.pruned[p.id] = true
	}
	t.requests++
	t.times = append(t.times, [2]time.Time{s.reply.sent, s.reply.ended})
	t.size, t.total = s.size, t.total+s.size
	t.last, t.largest, t.sent = s.reply.prompt, max(t.largest, s.reply.prompt), t.sent+s.reply.prompt
	t.turnSent, t.turnCached = t.turnSent+s.reply.prompt, t.turnCached+s.reply.cached
	t.cached, t.checkpoint = t.cached+s.reply.cached, s.checkpoint
}

// undeclared is a break of the prompt cache that Recap should have told of.
const undeclared = "undeclared"

// cold says in a word why the model could not reuse all of the last prompt, "" where it could.
func (t *tally) cold(s *step) string {
	switch {
	case t.requests == 0 || s.reply.cached >= t.last-1:
		return ""
	case s.checkpoint != t.checkpoint:
		return "swap"
	case s.broke:
		return "prune"
	case s.evicted:
		return "summary" // written in the model's only slot
	}
	return undeclared
}

// median returns the middle of some times, and what nineteen of twenty do not exceed.
func median(times []time.Duration) (middle, most time.Duration) {
	if len(times) == 0 {
		return 0, 0
	}
	slices.Sort(times)
	return times[len(times)/2], times[len(times)*19/20]
}
