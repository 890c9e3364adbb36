package pruning

var ratio = &strategy{
	name: Ratio, doc: "ratio is LibreChat's rule by age",
	least:   func(o *Options) int { return o.MinPrunableToolChars },
	borders: (*fold).aged,
}

// aged is LibreChat's rule (rows L15, L16): the age of a message is (N − i) / N over all N messages; from
// hardClearRatio on a result is cleared, else from softTrimRatio on trimmed. The results of the last assistant turns
// are left alone, and so is the last message.
func (f *fold) aged(at look) (clear, trim int) {
	clear, trim = f.clear, f.trim
	for f.o.HardClear.Enabled && clear < at.before && f.reached(clear, at, f.o.HardClearRatio) {
		clear++
	}
	for trim < at.before && f.reached(trim, at, f.o.SoftTrimRatio) {
		trim++
	}
	return clear, trim
}

func (f *fold) reached(i int, at look, share float64) bool {
	p := &f.pieces[i]
	age := float64(at.messages-int(p.message)) / float64(at.messages)
	return int(p.turn) <= at.turns-f.o.KeepLastAssistants && age >= share
}
