package compaction

import "recap/chat"

// next says where the next checkpoint ends (design.md §6 «kept tail»): the newest turns stay, fewer of them when
// what stands after the swap would not stay under the target; a newest turn that is too long alone is cut between its
// finished rounds, newest rounds kept. room is what the checkpoint may weigh, in tokens by the fixed measure.
func next(in *Input, w *weights, l Levels, room int) (chat.Cut, bool) {
	turns := in.Outline.Turns
	for keep := min(max(in.Options.RetainRecent.Turns, 1), len(turns)); keep > 0; keep-- {
		at := turns[len(turns)-keep]
		cut, ok := in.Outline.CutAt(at)
		if !ok || keep > 1 && in.overTail(w, at) {
			continue
		}
		if w.at(cut, expected(w, cut, room)) < l.target() {
			return cut, true
		}
	}
	return inside(in, w, l, room)
}

// overTail reports whether the messages from a position on weigh more than retainRecent.tokens.
func (in *Input) overTail(w *weights, at int) bool {
	limit := in.Options.RetainRecent.Tokens
	return limit > 0 && w.sums[len(w.sums)-1]-w.sums[at] > limit
}

// inside cuts the newest turn between finished rounds: as little as reaches the target, else as much as there is.
// Without a finished round to give, the cut before the newest turn is the best there is.
func inside(in *Input, w *weights, l Levels, room int) (chat.Cut, bool) {
	turns := in.Outline.Turns
	if len(turns) == 0 {
		return chat.Cut{}, false
	}
	newest := turns[len(turns)-1]
	best, found := in.Outline.CutAt(newest)
	for n := newest + 2; n < in.Outline.Len(); n++ {
		cut, ok := in.Outline.CutAt(n)
		if !ok {
			continue
		}
		best, found = cut, true
		if w.at(cut, expected(w, cut, room)) < l.target() {
			break
		}
	}
	return best, found
}

// expected is how large the checkpoint of a cut may become: its room, or what it stands for where that is less.
func expected(w *weights, cut chat.Cut, room int) int { return min(room, w.dropped(cut)) }
