package stats

import (
	"math"
	"slices"
	"strings"

	"recap/chat"
)

// The bounds of one branch's accounts: with these it weighs at most 13 KB.
const (
	maxPlaces    = 32 // exchanges that are remembered one by one
	freshPlaces  = 5  // of these: the newest ones, that are never left out
	maxSummaries = 16 // checkpoints whose cost is remembered one by one
	maxStored    = 16 // checkpoints that fit it
	maxWaiting   = 4  // jobs that it waits for
)

// place is the end of one request on a branch: all that came before it is in sum.
type place struct {
	key   chat.Key
	n     int // messages of the request
	time  int64
	gauge Gauge
	own   Spend // of the newest answer to this very request
	sum   Spend // of the branch up to here, own included
	again Spend // of answers up to here that were asked for anew
	gap   bool  // exchanges behind this one were left out of the list
	b     *branch
}

// written is what writing the checkpoint under key took.
type written struct {
	key   chat.Key
	to    int // messages that it covers
	spent Spend
}

// branch is one line of a conversation, from its first request that was seen to its newest one.
type branch struct {
	id        chat.Key // of the first place of its own
	since     int      // messages of the first exchange that is counted
	gaps      bool     // exchanges between are not counted, see place.gap
	labels    Labels
	status    chat.Status
	failed    int
	places    []*place // its own, the oldest first
	summaries []written
	waiting   []chat.Key // checkpoints that jobs of this branch will write
	stored    []chat.Key
	used      chat.Key // checkpoint in use
	covers    int
	rows      int
	summary   string

	older, newer *branch // in the order of their last use
}

func (b *branch) tip() *place { return b.places[len(b.places)-1] }

// weight is about how many bytes b takes.
func (b *branch) weight() int {
	const fixed, onePlace, oneSummary = 650, 280, 96
	l := &b.labels
	return fixed + onePlace*len(b.places) + oneSummary*len(b.summaries) + 16*(len(b.stored)+len(b.waiting)) +
		len(l.Session) + len(l.Tenant) + len(l.Upstream) + len(l.Dialect) + len(l.Model)
}

// show takes over what the newest turn tells. Strings are copied where they are new: they may be views of a body.
func (b *branch) show(t *Turn) {
	for _, pair := range [...]struct {
		own *string
		new string
	}{
		{&b.labels.Session, t.Labels.Session},
		{&b.labels.Tenant, t.Labels.Tenant},
		{&b.labels.Upstream, t.Labels.Upstream},
		{&b.labels.Dialect, t.Labels.Dialect},
		{&b.labels.Model, t.Labels.Model},
	} {
		if *pair.own != pair.new && (pair.new != "" || pair.own != &b.labels.Session) {
			*pair.own = strings.Clone(pair.new)
		}
	}
	b.status, b.summary = t.Status, t.Summary
	b.used, b.covers, b.rows = t.Checkpoint, t.Covers, t.Rows
	b.stored = append(b.stored[:0], t.Stored[max(len(t.Stored)-maxStored, 0):]...)
	if t.Failed {
		b.failed++
	}
}

// grow adds a place behind what was spent before it, and returns a place that had to be left out, nil = none.
func (b *branch) grow(p *place) (dropped *place) {
	p.b = b
	b.places = append(b.places, p)
	if len(b.places) <= maxPlaces {
		return nil
	}
	at := b.dullest()
	dropped = b.places[at]
	b.places[at-1].gap = true
	b.places = slices.Delete(b.places, at, at+1)
	return dropped
}

// dullest is the index of the place that tells least: the one closest to its neighbours, measured by how far back they
// are. The first one names the branch and stays, and so do the newest.
func (b *branch) dullest() int {
	at, least := 1, math.Inf(1)
	end := b.tip().n
	for i := 1; i < len(b.places)-freshPlaces; i++ {
		span := float64(b.places[i+1].n-b.places[i-1].n) / float64(end-b.places[i].n+1)
		if span < least {
			at, least = i, span
		}
	}
	return at
}

// inherit takes over the summaries of the branch that b leaves, as far as they cover messages of b's own, whose keys
// are given.
func (b *branch) inherit(from *branch, keys []chat.Key) {
	within := func(key chat.Key, to int) bool { return to >= 1 && to <= len(keys) && keys[to-1] == key }
	for _, w := range from.summaries {
		if within(w.key, w.to) {
			b.summaries = append(b.summaries, w)
		}
	}
	for _, key := range from.waiting {
		if slices.Contains(keys, key) {
			b.waiting = append(b.waiting, key)
		}
	}
}

// wrote adds what a checkpoint took. What is too much to be told one by one is added to the next deeper one.
func (b *branch) wrote(w written) {
	for i := range b.summaries {
		if b.summaries[i].key == w.key {
			b.summaries[i].spent.add(w.spent)
			return
		}
	}
	b.summaries = append(b.summaries, w)
	slices.SortStableFunc(b.summaries, func(x, y written) int { return x.to - y.to })
	if len(b.summaries) > maxSummaries {
		b.summaries[1].spent.add(b.summaries[0].spent)
		b.summaries = slices.Delete(b.summaries, 0, 1)
	}
}
