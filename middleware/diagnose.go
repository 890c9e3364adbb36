package middleware

import (
	"context"
	"log/slog"
)

// diagnose writes token counts and pruning decisions of a request at debug level (row L24), and, where `log.messages`
// allows it, the messages themselves: the only place where their text can reach the log.
func (x *exchange) diagnose(sent []byte) {
	o := &x.c.Config.Log
	if !x.c.Log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	if o.Diagnostics {
		d := &x.decision
		x.c.Log.Debug("token counts", "id", x.id, "before", d.Before, "pruned", d.Pruned, "after", d.After,
			"budget", d.Levels.Budget, "swap", d.Levels.Swap, "prepare", d.Levels.Prepare, "uncounted", x.sizes.Missing,
			"candidates", len(d.Candidates), "due", d.Job != nil)
		for _, t := range d.Plan.Trims {
			r := &x.chat.Messages[t.Message].Results[t.Result]
			x.c.Log.Debug("tool result pruned", "id", x.id, "message", t.Message, "chars", r.Chars, "left", len([]rune(t.Text)))
		}
	}
	if o.Messages {
		x.c.Log.Debug("messages", "id", x.id, "client", x.chat.Body, "sent", string(sent))
	}
}
