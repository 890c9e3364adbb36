package fakellm

import (
	"fmt"
	"time"
)

// append puts a request into the journal.
func (s *Server) append(rec *Recorded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	rec.ID, rec.At = s.nextID, time.Now()
	s.log = append(s.log, rec)
	s.wake()
}

// note changes the exchange's record.
func (x *exchange) note(change func(rec *Recorded)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	change(x.rec)
	x.wake()
}

func (s *Server) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Server) copyOf(rec *Recorded) *Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := *rec
	return &c
}

// Requests returns all requests so far, in order of arrival.
func (s *Server) Requests() []Recorded { return s.Find(func(*Recorded) bool { return true }) }

// Find returns the requests of a kind, in order of arrival.
func (s *Server) Find(kind func(*Recorded) bool) []Recorded {
	found, _ := s.find(kind)
	return found
}

func (s *Server) find(kind func(*Recorded) bool) ([]Recorded, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Recorded
	for _, rec := range s.log {
		if kind(rec) {
			found = append(found, *rec)
		}
	}
	return found, s.changed
}

// IsChat is the kind of chats that are no summary calls.
func IsChat(r *Recorded) bool { return r.Chat && !r.Summary }

// IsSummary is the kind of summary calls.
func IsSummary(r *Recorded) bool { return r.Chat && r.Summary }

// Chats returns the chats that are no summary calls.
func (s *Server) Chats() []Recorded { return s.Find(IsChat) }

// Summaries returns the summary calls.
func (s *Server) Summaries() []Recorded { return s.Find(IsSummary) }

// ChatBodies returns the bodies of the chats that are no summary calls.
func (s *Server) ChatBodies() [][]byte {
	chats := s.Chats()
	bodies := make([][]byte, len(chats))
	for i := range chats {
		bodies[i] = chats[i].Body
	}
	return bodies
}

// LastChatBody returns the newest chat's body, nil when there was none. Summary calls do not count.
func (s *Server) LastChatBody() []byte {
	if bodies := s.ChatBodies(); len(bodies) > 0 {
		return bodies[len(bodies)-1]
	}
	return nil
}

// Refusals returns what was refused, in order.
func (s *Server) Refusals() []string {
	var out []string
	for _, rec := range s.Find(func(r *Recorded) bool { return r.Refused != "" }) {
		out = append(out, rec.Refused)
	}
	return out
}

// Reset forgets all requests, queued faults and cached prompts.
func (s *Server) Reset() {
	s.mu.Lock()
	s.log, s.faults, s.summaryFaults = nil, nil, nil
	s.wake()
	s.mu.Unlock()
	s.cache.reset()
}

// Wait waits until n requests of a kind were seen and returns them, at most for within. A kind may also look at
// what became of a request: Ended, Gone.
func (s *Server) Wait(n int, within time.Duration, kind func(*Recorded) bool) ([]Recorded, error) {
	timer := time.NewTimer(within)
	defer timer.Stop()
	for {
		found, changed := s.find(kind)
		if len(found) >= n {
			return found, nil
		}
		select {
		case <-changed:
		case <-timer.C:
			return found, fmt.Errorf("wait for %d requests: %d seen in %v", n, len(found), within)
		case <-s.done:
			return found, fmt.Errorf("wait for %d requests: server closed after %d", n, len(found))
		}
	}
}

// WaitChats waits until n chats that are no summary calls were seen.
func (s *Server) WaitChats(n int, within time.Duration) ([]Recorded, error) {
	return s.Wait(n, within, IsChat)
}

// WaitGone waits until the client of n requests was seen to leave before the answer's end.
func (s *Server) WaitGone(n int, within time.Duration) ([]Recorded, error) {
	return s.Wait(n, within, func(r *Recorded) bool { return !r.Gone.IsZero() })
}
