package pruning

// budget is the rule for agents: the newest results are protected as long as they weigh no more than protectTokens
// together, and so are those since the third newest assistant message (keepLastAssistants) and the last
// message. All older ones are to be cleared. Results weigh what the client sent, whether they were capped or not: a
// cap makes the request smaller and moves no border.
func (f *fold) budget(window int) borders {
	protect := f.o.protected(window)
	before := make([]int, len(f.pieces)+1) // tokens of all pieces before one
	for i := range f.pieces {
		before[i+1] = before[i] + f.pieces[i].tokens
	}
	clear := 0
	return func(at look) (int, int) {
		for clear < at.before &&
			before[at.pieces]-before[clear] > protect &&
			f.pieces[clear].assistants <= at.assistants-f.o.KeepLastAssistants {
			clear++
		}
		return clear, 0
	}
}
