package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// point is what a request costs where something has grown to a size.
type point struct {
	x     int
	bytes int     // of a request
	bare  float64 // µs of CPU time
	recap float64
}

// curve is how the cost grows.
type curve struct {
	title, axis string
	points      []point
}

// growthReadings is how many pairs of readings a point is the median of.
const growthReadings = 5

var (
	growthMessages      = []int{10, 30, 100, 300, 1000, 3000, 5000}
	growthConversations = []int{1, 10, 100, 1_000, 10_000, 50_000}
)

// growth measures the next turn of a known conversation against its length, and against how many others there are.
func (b *bench) growth() ([]curve, error) {
	length := curve{title: "CPU per request, by length of the conversation", axis: "messages, of about 200 bytes"}
	for _, n := range growthMessages {
		p, err := b.growthPoint(b.recap, n, func(seed uint64) *batch { return lengthBatch(seed, n) })
		if err != nil {
			return nil, err
		}
		length.points = append(length.points, p)
	}
	number := curve{title: "CPU per request, by number of known conversations", axis: "conversations of 2 KB"}
	for _, n := range growthConversations {
		p, err := b.crowd(n)
		if err != nil {
			return nil, err
		}
		number.points = append(number.points, p)
	}
	return []curve{length, number}, nil
}

// growthPoint reads the bare relay and a Recap in turn, a batch at a time.
func (b *bench) growthPoint(recap *subject, x int, make func(seed uint64) *batch) (point, error) {
	var bare, ours []float64
	p := point{x: x}
	for i := range growthReadings {
		batch := make(uint64(i + 1))
		p.bytes = batch.bytes
		one, err := b.bare.read(batch)
		if err != nil {
			return p, fmt.Errorf("measure growth at %d: %w", x, err)
		}
		two, err := recap.read(batch)
		if err != nil {
			return p, fmt.Errorf("measure growth at %d: %w", x, err)
		}
		bare, ours = append(bare, micros(one.cpu)), append(ours, micros(two.cpu))
	}
	p.bare, p.recap = quantile(bare, .5), quantile(ours, .5)
	return p, nil
}

// lengthBatch are next turns of conversations of so many messages.
func lengthBatch(seed uint64, messages int) *batch {
	const steps = 4
	chats := max(min(600, 400_000/(messages*4)/steps), 4)
	b := &batch{workers: 8}
	var talks []*talk
	for chat := range chats {
		t := &talk{model: vastModel, rng: rand.New(rand.NewPCG(seed, uint64(messages*1000+chat))), shape: shape{rounds: 1, result: 120, answer: 120}}
		t.open()
		for n := 2; n < messages; n += 2 {
			t.grow()
		}
		t.mark(steps)
		talks = append(talks, t)
	}
	w := workload{kind: known}
	b.before = [][]request{w.requests(talks, 0)}
	for step := range steps {
		b.measured = append(b.measured, w.requests(talks, step+1))
	}
	b.count(&w)
	return b
}

// crowd makes a fresh Recap know so many conversations and measures next turns of some of them.
func (b *bench) crowd(n int) (point, error) {
	s, err := b.startRecap(fmt.Sprintf("recap-crowd-%d", n), false)
	if err != nil {
		return point{}, err
	}
	defer s.stop()
	if err := s.prime(); err != nil {
		return point{}, err
	}
	member := func(i, steps int) *talk {
		return newTalk(rand.New(rand.NewPCG(uint64(i), 96)), vastModel, 2*kilobyte, 2*kilobyte-400, steps)
	}
	w := workload{kind: known}
	for done := 0; done < n; done += 1000 {
		var talks []*talk
		for i := done; i < min(done+1000, n); i++ {
			talks = append(talks, member(i, 0))
		}
		if err := (&sender{subject: s}).send(w.requests(talks, 0), 8); err != nil {
			return point{}, err
		}
	}
	const requests = 1000
	return b.growthPoint(s, n, func(seed uint64) *batch {
		batch := &batch{workers: 8}
		var group []request
		for k := range requests {
			i := (k*max(n/requests, 1) + int(seed)*7) % n
			group = append(group, w.requests([]*talk{member(i, growthReadings)}, min(int(seed), growthReadings))...)
		}
		batch.measured = slices.Collect(slices.Chunk(group, requests))
		batch.count(&w)
		return batch
	})
}
