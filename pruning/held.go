package pruning

// About what one entry of the two memories weighs, in bytes: a note keeps how a result's text begins, a shortened result
// what is left of it.
const (
	noteBytes  = 200
	shortBytes = 700
)

// Held is about how many bytes the Pruner remembers.
func (p *Pruner) Held() int {
	if p.notes == nil {
		return 0
	}
	return p.notes.Len()*noteBytes + p.texts.Len()*shortBytes
}
