package fakellm

// round is a calling assistant message with all its results, wherever they stand.
type round struct {
	members  []int // indexes of messages, the calling one first
	open     []call
	finished bool
}

// roundsOf pairs results with calls more loosely than pairProblems: a result belongs to the newest call of its id,
// else to the newest round. So a round that the client itself had torn is still one.
func roundsOf(ms []message) []*round {
	var rounds []*round
	byID := map[string]*round{}
	for i := range ms {
		m := &ms[i]
		if len(m.calls) > 0 {
			r := &round{members: []int{i}, open: append([]call(nil), m.calls...)}
			rounds = append(rounds, r)
			for _, c := range m.calls {
				if c.id != "" {
					byID[c.id] = r
				}
			}
		}
		if !m.result() {
			continue
		}
		r := byID[m.id]
		if r == nil && len(rounds) > 0 {
			r = rounds[len(rounds)-1]
		}
		if r != nil {
			r.add(i, m)
		}
	}
	return rounds
}

func (r *round) add(at int, m *message) {
	r.members = append(r.members, at)
	for i, c := range r.open {
		if m.id == "" || c.id == "" || c.id == m.id {
			r.open = append(r.open[:i], r.open[i+1:]...)
			break
		}
	}
	r.finished = len(r.open) == 0
}
