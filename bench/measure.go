package main

import (
	"fmt"
	"slices"
	"time"
)

// reading is what one subject did with one batch.
type reading struct {
	cpu    time.Duration // for a request, or an event
	took   []time.Duration
	memory int64
}

// read puts a batch through a subject. CPU time is read when the subject rests, so work behind the answer counts.
func (s *subject) read(b *batch) (reading, error) {
	send := &sender{subject: s}
	if s.recap {
		if err := send.groups(b.before, b.workers); err != nil {
			return reading{}, err
		}
	}
	before, err := s.rest()
	if err != nil {
		return reading{}, err
	}
	send.took = nil
	if err := send.groups(b.measured, b.workers); err != nil {
		return reading{}, err
	}
	after, err := s.rest()
	if err != nil {
		return reading{}, err
	}
	memory, err := s.memory()
	return reading{(after - before) / time.Duration(b.units), send.took, memory}, err
}

// series are the readings of one workload, by subject. Readings with the same index are of one batch, taken next to
// each other.
type series struct {
	*workload
	bytes    int
	readings map[string][]reading
	doubted  bool // it did not pass the gate at first, see options.again
}

// recapFor is the Recap whose settings suit a workload.
func (b *bench) recapFor(w *workload) *subject {
	if w.kind == rewritten {
		return b.compacts
	}
	return b.recap
}

// round takes some readings of each subject, in turn, the first of them alternating.
func (b *bench) round(s *series, round, pairs int) error {
	subjects := append([]*subject{b.bare, b.recapFor(s.workload)}, b.peers...)
	for pair := range pairs {
		batch := s.batch(uint64(round*1000 + pair + 1))
		s.bytes = batch.bytes
		for _, subject := range subjects {
			r, err := subject.read(batch)
			if err != nil {
				return fmt.Errorf("measure %s: %w", s.name, err)
			}
			name := subject.name
			if subject.recap {
				name = recapName
			}
			s.readings[name] = append(s.readings[name], r)
		}
		slices.Reverse(subjects)
	}
	return nil
}

// recapName is under which name Recap's readings are kept, whatever its settings.
const recapName = "recap"

// ratios are one subject's CPU times over another's, batch by batch.
func (s *series) ratios(one, other string) []float64 {
	var list []float64
	for i, r := range s.readings[one] {
		if i < len(s.readings[other]) {
			list = append(list, float64(r.cpu)/float64(s.readings[other][i].cpu))
		}
	}
	return list
}

// cpu is the median of a subject's CPU times, in microseconds; 0 where it was not measured.
func (s *series) cpu(name string) float64 {
	var list []float64
	for _, r := range s.readings[name] {
		list = append(list, micros(r.cpu))
	}
	return quantile(list, .5)
}

// latency is a quantile of the times that a subject's requests took, in microseconds.
func (s *series) latency(name string, q float64) float64 {
	var list []float64
	for _, r := range s.readings[name] {
		for _, took := range r.took {
			list = append(list, micros(took))
		}
	}
	return quantile(list, q)
}

// memory is the largest that was read, in bytes.
func (s *series) memory(name string) (most int64) {
	for _, r := range s.readings[name] {
		most = max(most, r.memory)
	}
	return most
}

// quantile returns the value below which that share of a list lies; 0 for an empty list.
func quantile(list []float64, q float64) float64 {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return list[min(int(q*float64(len(list))), len(list)-1)]
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
