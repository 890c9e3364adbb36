package pruning

// ratio is LibreChat's rule (rows L15, L16): the age of a message is (N − i) / N over all N messages; from
// hardClearRatio on a result is cleared, else from softTrimRatio on trimmed. The results of the last assistant turns
// are left alone, and so is the last message.
func (f *fold) ratio() borders {
	clear, trim := 0, 0
	reached := func(i int, at look, share float64) bool {
		p := &f.pieces[i]
		age := float64(at.messages-p.message) / float64(at.messages)
		return i < at.before && p.turn <= at.turns-f.o.KeepLastAssistants && age >= share
	}
	return func(at look) (int, int) {
		for clear < len(f.pieces) && reached(clear, at, f.o.HardClearRatio) {
			clear++
		}
		for trim < len(f.pieces) && reached(trim, at, f.o.SoftTrimRatio) {
			trim++
		}
		return clear, trim
	}
}
