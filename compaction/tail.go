package compaction

import "recap/chat"

// next says where the next checkpoint ends (design.md §6 «kept tail»): the newest turns stay, fewer of them when
// what stands after the swap would not stay under the target; a newest turn that is too long alone is cut between its
// finished rounds, newest rounds kept. room is what the checkpoint may weigh, in tokens by the fixed measure, growth
// what the chat will have grown by until the checkpoint is swapped in. Where no cut leaves room for all of it, one that
// leaves room for most of it is taken, else what there is.
func next(in *Input, w *weights, l Levels, room, growth int) (chat.Cut, bool) {
	const parts = 4
	for part := parts; part >= 0; part-- {
		target := l.target() - growth*part/parts
		if cut, ok := between(in, w, target, room); ok {
			return cut, true
		}
		if cut, ok := inside(in, w, target, room); ok {
			return cut, true
		}
		if growth == 0 {
			break
		}
	}
	return last(in)
}

// growth is what a chat will grow by until its size reaches the swap level, where the next checkpoint comes into use. With
// the count triggers it does at once.
func (d *Decision) growth(in *Input, w *weights) int {
	if in.Force || in.Options.Trigger.Counts() {
		return 0
	}
	return max(d.Levels.Swap-sizeWith(d.Used, w.alone), 0)
}

// between cuts between turns: as many of the newest as are to be kept stay, fewer where that reaches the target.
func between(in *Input, w *weights, target, room int) (chat.Cut, bool) {
	turns := in.Outline.Turns
	for keep := min(max(in.Options.RetainRecent.Turns, 1), len(turns)); keep > 0; keep-- {
		at := turns[len(turns)-keep]
		cut, ok := in.Outline.CutAt(at)
		if !ok || keep > 1 && in.overTail(w, at) {
			continue
		}
		if w.at(cut, expected(w, cut, room)) < target {
			return cut, true
		}
	}
	return chat.Cut{}, false
}

// overTail reports whether the messages from a position on weigh more than retainRecent.tokens.
func (in *Input) overTail(w *weights, at int) bool {
	limit := in.Options.RetainRecent.Tokens
	return limit > 0 && w.sums[len(w.sums)-1]-w.sums[at] > limit
}

// inside cuts the newest turn between finished rounds: as little as reaches the target.
func inside(in *Input, w *weights, target, room int) (chat.Cut, bool) {
	turns := in.Outline.Turns
	if len(turns) == 0 {
		return chat.Cut{}, false
	}
	for n := turns[len(turns)-1] + 2; n < in.Outline.Len(); n++ {
		if cut, ok := in.Outline.CutAt(n); ok && w.at(cut, expected(w, cut, room)) < target {
			return cut, true
		}
	}
	return chat.Cut{}, false
}

// last returns the deepest cut there is.
func last(in *Input) (chat.Cut, bool) {
	turns := in.Outline.Turns
	if len(turns) == 0 {
		return chat.Cut{}, false
	}
	for n := in.Outline.Len() - 1; n >= turns[len(turns)-1]; n-- {
		if cut, ok := in.Outline.CutAt(n); ok {
			return cut, true
		}
	}
	return chat.Cut{}, false
}

// expected is how large the checkpoint of a cut may become: its room, or what it stands for where that is less.
func expected(w *weights, cut chat.Cut, room int) int { return min(room, w.dropped(cut)) }
