package cli

import (
	"context"
	"io"

	"recap/config"
)

// DemoOptions is a demo as tests want it.
type DemoOptions struct {
	Turns  int
	Speed  float64
	Width  int  // of a terminal; 0 = there is none
	Colour bool // on a terminal
	Forget bool // the ledger is off
}

// PlayDemo plays the demo on w.
func PlayDemo(ctx context.Context, w io.Writer, o DemoOptions) error {
	out := &screen{w: w, width: plainWidth}
	if o.Width > 0 {
		out.width, out.live, out.colour = o.Width, true, o.Colour
	}
	cmd := demoCmd{Turns: o.Turns, Speed: &o.Speed}
	if o.Forget {
		cmd.change = func(c *config.Config) {
			c.Summarization.Ledger.UserTokens, c.Summarization.Ledger.FactTokens = 0, 0
		}
	}
	return cmd.play(ctx, out)
}
