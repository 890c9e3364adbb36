package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// What is held at once when memory is read.
const (
	fewInFlight       = 100
	manyInFlight      = 2000
	gateInFlight      = 500 // in five minutes there is no time for more
	idleConversations = 10_000
	idleSize          = 8 * kilobyte
	idleFor           = 15 * time.Second
)

// idleMemory is what a fresh Recap holds at rest.
func (b *bench) idleMemory() ([]figure, error) {
	s, err := b.startRecap("recap-idle", false)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	time.Sleep(time.Second)
	held, err := s.memory()
	return []figure{{name: "idle memory", value: float64(held) / megabyte, unit: " MB", budget: 40, note: "resident, a second after the start"}}, err
}

// flightMemory is what one more body in flight adds: the difference between many and few of them, each in a fresh process. What a
// process holds whatever it does falls out of it.
func (b *bench) flightMemory(many int) ([]figure, error) {
	var grown [2]float64
	for at, n := range []int{fewInFlight, many} {
		s, err := b.startRecap(fmt.Sprint("recap-flight-", n), false)
		if err != nil {
			return nil, err
		}
		var failed int
		grown[at], failed, err = b.hold(s, n, megabyte)
		s.stop()
		if err == nil && failed > 0 {
			err = fmt.Errorf("%d of %d requests in flight failed", failed, n)
		}
		if err != nil {
			return nil, err
		}
	}
	return []figure{{
		name: "memory per body in flight", value: (grown[1] - grown[0]) / float64(many-fewInFlight) / megabyte, unit: " × body", budget: 1.5,
		note: fmt.Sprintf("what one more adds; unknown chats of 1 MB with open streams: %d grow it by %.0f MB, %d by %.0f MB",
			fewInFlight, grown[0]/megabyte, many, grown[1]/megabyte),
	}}, nil
}

// conversationMemory is by how much many conversations, two requests each, make Recap grow.
func (b *bench) conversationMemory() ([]figure, error) {
	s, err := b.startRecap("recap-conversations", false)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	before, err := s.memory()
	if err != nil {
		return nil, err
	}
	const atOnce = 500
	for done := 0; done < idleConversations; done += atOnce {
		var list []request
		for i := range atOnce {
			t := newTalk(rand.New(rand.NewPCG(uint64(done+i), 97)), farModel, idleSize, idleSize, 1)
			list = append(list, request{talk: t, path: chatPath, wish: plain}, request{talk: t, step: 1, path: chatPath, wish: plain})
		}
		if err := (&sender{subject: s}).send(list, 8); err != nil {
			return nil, err
		}
	}
	time.Sleep(idleFor)
	after, err := s.memory()
	return []figure{{
		name: "memory of 10,000 idle conversations", value: float64(after-before) / megabyte, unit: " MB", budget: 100,
		note: fmt.Sprintf("of %d KB, two requests each, %v after the last", idleSize/kilobyte, idleFor),
	}}, err
}
