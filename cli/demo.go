package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"recap/config"
)

// demoCmd shows Recap at work: an agent, Recap and a scripted model in one process, and between them nothing but HTTP.
type demoCmd struct {
	Turns int      `help:"How many turns the chat has." default:"40" placeholder:"N"`
	Speed *float64 `help:"1 takes about half a minute, 2 half of that, 0 goes as fast as it can. Default: 1 on a terminal, else 0." placeholder:"X"`
	Serve bool     `help:"Keep everything running afterwards, until Ctrl-C."`

	change func(*config.Config) // tests change Recap's settings with it; nil = nothing
}

// The limits of --turns: fewer do not fill the window.
const (
	minDemoTurns = 24
	maxDemoTurns = 1000
)

// Run plays the chat. It fails where Recap did not do what it promises.
func (c *demoCmd) Run(s *shell) error {
	if c.Turns < minDemoTurns || c.Turns > maxDemoTurns {
		return usage{fmt.Errorf("read --turns: want %d to %d; fewer do not fill the window", minDemoTurns, maxDemoTurns)}
	}
	if c.Speed != nil && (*c.Speed < 0 || *c.Speed > 1000) {
		return usage{errors.New("read --speed: want 0 to 1000")}
	}
	if len(s.flags) > 0 {
		return usage{fmt.Errorf("read %s: the demo brings its own settings", s.flags[0].From)}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return c.play(ctx, newScreen(s))
}

// play runs the whole demo on a screen until it is over or ctx ends.
func (c *demoCmd) play(ctx context.Context, out *screen) (err error) {
	speed := 0.0
	if out.live {
		speed = 1
	}
	if c.Speed != nil {
		speed = *c.Speed
	}
	st, err := newStage(ctx, demoPlay(c.Turns), speed, c.change)
	switch {
	case err != nil && ctx.Err() != nil:
		out.line(dim, "Stopped before the first turn.")
		return nil
	case err != nil:
		return fmt.Errorf("start demo: %w", err)
	}
	defer func() { err = errors.Join(err, st.close()) }()
	d := &demo{stage: st, out: out, speed: speed}
	d.intro()
	if err := d.chat(ctx); err != nil {
		return d.stopped(ctx, err)
	}
	faults := d.report(ctx)
	if c.Serve && faults == nil {
		out.line(dim, "Still running: "+d.adminURL()+" has /metrics, /healthz and /api/events. Ctrl-C ends it.")
		<-ctx.Done()
	}
	return faults
}

// demo is one run: who plays, what is shown, and what was counted.
type demo struct {
	*stage
	out   *screen
	speed float64 // 0 = no pauses
	turn  int     // from 1
	count tally

	sent    []byte // the last request as it reached the model
	writing int    // turn in which the summary that is being written was begun; 0 = none is
	id      int    // of it in the model's journal
	at      time.Time
}

// stopped says how far the chat came where somebody ended it, and passes on everything else.
func (d *demo) stopped(ctx context.Context, err error) error {
	d.out.clear()
	if ctx.Err() != nil {
		d.out.line(dim, fmt.Sprintf("Stopped in turn %d.", d.turn))
		return nil
	}
	return fmt.Errorf("turn %d: %w", d.turn, err)
}
