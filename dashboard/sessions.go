package dashboard

import (
	"net/url"
	"time"

	"github.com/valyala/fasthttp"

	"recap/chat"
	"recap/stats"
)

// session is a conversation as the recent exchanges show it. Its numbers are those of the newest exchange, but for the
// sums.
type session struct {
	Session    string      `json:"session"` // label
	Exchanges  int         `json:"exchanges"`
	Last       time.Time   `json:"last"`
	Upstream   string      `json:"upstream"`
	Model      string      `json:"model"`
	Status     chat.Status `json:"status"`
	Used       int         `json:"used"`   // tokens that were sent
	Before     int         `json:"before"` // tokens as the client sent them
	Window     int         `json:"window"`
	Source     string      `json:"source"`
	Checkpoint string      `json:"checkpoint,omitempty"`
	Covers     int         `json:"covers"`
	Summary    string      `json:"summary"`
	Prompt     int         `json:"prompt"` // sum of what the upstream reported
	Completion int         `json:"completion"`
}

// gather groups exchanges, newest first, by their labels. What has none belongs to no session.
func gather(recent []stats.Exchange) []*session {
	list, byLabel := []*session{}, map[string]*session{}
	for i := range recent {
		e := &recent[i]
		if e.Session == "" {
			continue
		}
		s, ok := byLabel[e.Session]
		if !ok {
			s = &session{
				Session: e.Session, Last: e.Time, Upstream: e.Upstream, Model: e.Model, Status: e.Status, Used: e.After,
				Before: e.Before, Window: e.Window, Source: e.Source, Checkpoint: e.Checkpoint, Covers: e.Covers,
				Summary: e.Summary,
			}
			byLabel[e.Session] = s
			list = append(list, s)
		}
		s.Exchanges++
		s.Prompt += e.Prompt
		s.Completion += e.Completion
	}
	return list
}

func (a *Admin) sessions(ctx *fasthttp.RequestCtx, _ string) {
	answer(ctx, 200, map[string]any{"sessions": gather(a.o.Stats.Recent())})
}

func (a *Admin) session(ctx *fasthttp.RequestCtx, part string) {
	label, err := url.PathUnescape(part)
	if err != nil {
		fail(ctx, 400, "bad-label", "the label is not escaped as it should be")
		return
	}
	exchanges := []stats.Exchange{}
	for _, e := range a.o.Stats.Recent() {
		if e.Session == label {
			exchanges = append(exchanges, e)
		}
	}
	within, cancel := a.within()
	defer cancel()
	list, err := a.o.Store.List(within, "", 0)
	if err != nil {
		a.failStore(ctx, "list", err)
		return
	}
	checkpoints := briefs(list, func(cp *chat.Checkpoint) bool { return cp.Session == label })
	if len(exchanges) == 0 && len(checkpoints) == 0 {
		fail(ctx, 404, "no-such-session", "no recent exchange and no checkpoint carries this label")
		return
	}
	told := map[string]any{"session": nil, "exchanges": exchanges, "checkpoints": checkpoints}
	for _, s := range gather(exchanges) {
		told["session"] = s
	}
	answer(ctx, 200, told)
}
