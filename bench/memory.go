package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// What is held at once when memory is read.
const (
	bodiesInFlight    = 100
	idleConversations = 10_000
	idleSize          = 8 * kilobyte
)

// memoryFigures reads what a fresh Recap holds at rest, with bodies in flight, and behind many conversations.
func (b *bench) memoryFigures() ([]figure, error) {
	idle, err := b.idleMemory()
	if err != nil {
		return nil, err
	}
	flight, err := b.flightMemory()
	if err != nil {
		return nil, err
	}
	many, err := b.conversationMemory()
	return []figure{idle, flight, many}, err
}

func (b *bench) idleMemory() (figure, error) {
	s, err := b.startRecap("recap-idle", false)
	if err != nil {
		return figure{}, err
	}
	defer s.stop()
	time.Sleep(time.Second)
	held, err := s.memory()
	return figure{name: "idle memory", value: float64(held) / megabyte, unit: " MB", budget: 40, note: "resident, a second after the start"}, err
}

func (b *bench) flightMemory() (figure, error) {
	s, err := b.startRecap("recap-flight", false)
	if err != nil {
		return figure{}, err
	}
	defer s.stop()
	grown, failed, err := b.hold(s, late, bodiesInFlight, megabyte)
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d requests in flight failed", failed, bodiesInFlight)
	}
	return figure{
		name: "memory per body in flight", value: grown / bodiesInFlight / megabyte, unit: " × body", budget: 1.5,
		note: fmt.Sprintf("%d unknown chats of 1 MB, all waiting for the upstream", bodiesInFlight),
	}, err
}

// conversationMemory is by how much many conversations, two requests each, make Recap grow.
func (b *bench) conversationMemory() (figure, error) {
	s, err := b.startRecap("recap-conversations", false)
	if err != nil {
		return figure{}, err
	}
	defer s.stop()
	before, err := s.memory()
	if err != nil {
		return figure{}, err
	}
	const atOnce = 500
	for done := 0; done < idleConversations; done += atOnce {
		var list []request
		for i := range atOnce {
			t := newTalk(rand.New(rand.NewPCG(uint64(done+i), 97)), farModel, idleSize, idleSize, 1)
			list = append(list, request{talk: t, path: chatPath, wish: plain}, request{talk: t, step: 1, path: chatPath, wish: plain})
		}
		if err := (&sender{subject: s}).send(list, 8); err != nil {
			return figure{}, err
		}
	}
	if _, err := s.rest(); err != nil {
		return figure{}, err
	}
	after, err := s.memory()
	return figure{
		name: "memory of 10,000 idle conversations", value: float64(after-before) / megabyte, unit: " MB", budget: 100,
		note: fmt.Sprintf("of %d KB, two requests each", idleSize/kilobyte),
	}, err
}
