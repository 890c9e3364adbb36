package pruning

import (
	"hash/maphash"

	"recap/chat"
)

// shown is what stands beside a result that is cleared, as it is sent: what users and assistants said and called so
// far, and what is left of the results before it. No digest need repeat that. It only grows as a chat does, so it goes with
// the pass: each message and each result is read once, for the first batch after it.
type shown struct {
	print           uint64 // names it all
	own, told       int    // messages and pieces that print stands for
	words           wordSet
	ownRead, toldOf int // messages and pieces whose words are known
}

var seed = maphash.MakeSeed()

// print names what is shown beside the i-th piece.
func (f *fold) print(i int) uint64 {
	type step struct {
		before uint64
		text   uint64
	}
	s := &f.shown
	for ; s.own < f.at.messages; s.own++ {
		if m := &f.c.Messages[s.own]; len(m.Results) == 0 {
			s.print = maphash.Comparable(seed, step{s.print, maphash.String(seed, m.Raw)})
		}
	}
	for ; s.told < min(i, f.clear); s.told++ {
		text := maphash.String(seed, f.remains(s.told, (*fold).content))
		s.print = maphash.Comparable(seed, step{s.print, text})
	}
	return s.print
}

// words returns the words that are shown beside the i-th piece.
func (f *fold) words(i int) wordSet {
	s := &f.shown
	var fresh []uint64
	for ; s.ownRead < f.at.messages; s.ownRead++ {
		m := &f.c.Messages[s.ownRead]
		if len(m.Results) > 0 {
			continue
		}
		fresh = appendNames(fresh, m.Text())
		for n := range m.Calls {
			fresh = appendNames(fresh, chat.Unquote(m.Calls[n].Args.Of(m.Raw)))
		}
	}
	for ; s.toldOf < min(i, f.clear); s.toldOf++ {
		fresh = appendNames(fresh, f.remains(s.toldOf, func(f *fold, p *piece) string {
			return f.c.Messages[p.message].ResultText(int(p.result))
		}))
	}
	s.words = s.words.with(fresh)
	return s.words
}
