package fakellm

import (
	"bytes"
	"errors"
	"fmt"
)

// CheckKept judges what a proxy made of a chat request: client is the body as it came, sent the body that went
// upstream. It returns an error unless
//   - every byte outside the messages array is the same;
//   - every message sent is one of the client's, byte for byte and in order, but for one carrier of added text (the
//     first user message kept, with its own text at the end, or the first system message, with its own text at the
//     start) and for tool results whose content alone got shorter;
//   - what left is the front of the chat: messages 1 to n, system messages and the carrier apart, whole rounds
//     only, and behind a carrier inside a turn only finished rounds; what stayed begins with a user message;
//   - all system messages, the newest user message and the last message are there, and something was added in
//     place of what left.
//
// Together with Check of the body sent, this is promise P5. Errors hold no text of any message.
func CheckKept(dialect string, client, sent []byte) error {
	return checkKept(dialect, client, sent, false)
}

// CheckKeptCapped is CheckKept where the last message may be a shortened tool result too (capNewChars).
func CheckKeptCapped(dialect string, client, sent []byte) error {
	return checkKept(dialect, client, sent, true)
}

func checkKept(dialect string, client, sent []byte, capped bool) error {
	if bytes.Equal(client, sent) {
		return nil
	}
	from, err := parseBody(dialect, client)
	if err != nil {
		return fmt.Errorf("client's body: %w", err)
	}
	to, err := parseBody(dialect, sent)
	if err != nil {
		return fmt.Errorf("body sent: %w", err)
	}
	if err := sameFrame(from, to); err != nil {
		return err
	}
	k := newKept(from, to)
	for _, check := range []func() error{k.align, k.systems, k.ends(capped), k.rounds, k.front, k.note} {
		if err := check(); err != nil {
			return fmt.Errorf("check kept: %w", err)
		}
	}
	return nil
}

// sameFrame compares the bytes in front of the messages array and behind it.
func sameFrame(from, to *body) error {
	if !bytes.Equal(from.raw[:from.list.start], to.raw[:to.list.start]) ||
		!bytes.Equal(from.raw[from.list.end:], to.raw[to.list.end:]) {
		return errors.New("check kept: bytes outside messages differ")
	}
	return nil
}

// kept holds both bodies and which message became which.
type kept struct {
	from, to  []message
	source    []int    // index in to → index in from
	how       []change // index in to → what changed
	stays     []bool   // index in from → it is in to
	firstUser int      // index in to; -1 = none
	firstSys  int      // index in to; -1 = none
	newest    int      // index in from of the newest user message; -1 = none
}

func newKept(from, to *body) *kept {
	k := &kept{
		from: from.messages, to: to.messages,
		source: make([]int, len(to.messages)), how: make([]change, len(to.messages)),
		stays: make([]bool, len(from.messages)), firstUser: -1, firstSys: -1, newest: -1,
	}
	for i := len(k.to) - 1; i >= 0; i-- {
		if k.to[i].system() {
			k.firstSys = i
		} else if k.to[i].role == "user" {
			k.firstUser = i
		}
	}
	for i := range k.from {
		if k.from[i].role == "user" {
			k.newest = i
		}
	}
	return k
}

// align finds the source of each message sent, from the end: what leaves is the front, so the latest message that
// fits is the one.
func (k *kept) align() error {
	next := len(k.from) - 1
	for i := len(k.to) - 1; i >= 0; i-- {
		for ; next >= 0; next-- {
			k.how[i] = compare(&k.from[next], &k.to[i])
			if k.allowed(i) {
				break
			}
		}
		if next < 0 {
			return fmt.Errorf("message %d (%s) of %d sent is none of the client's", i, k.to[i].role, len(k.to))
		}
		k.source[i], k.stays[next] = next, true
		next--
	}
	return nil
}

func (k *kept) allowed(i int) bool {
	switch k.how[i] {
	case same, shorter:
		return true
	case textInFront:
		return i == k.firstUser
	case textBehind:
		return i == k.firstSys
	}
	return false
}

func (k *kept) systems() error {
	for i := range k.from {
		if k.from[i].system() && !k.stays[i] {
			return fmt.Errorf("system message %d is gone", i)
		}
	}
	return nil
}

// front looks at what left: all before some border, but for the carrier. Between the carrier and the border
// lie only finished rounds.
func (k *kept) front() error {
	carrier, border := -1, 0
	for i := range k.from {
		if !k.stays[i] {
			border = i + 1
		}
	}
	for i := range border {
		if k.from[i].system() || !k.stays[i] {
			continue
		}
		if carrier >= 0 {
			return fmt.Errorf("message %d left though message %d before it stayed", border-1, i)
		}
		if k.from[i].role != "user" {
			return fmt.Errorf("message %d (%s) stayed in front of one that left", i, k.from[i].role)
		}
		carrier = i
	}
	if border > 0 && k.firstKept() != "user" {
		return errors.New("what stayed does not begin with a user message")
	}
	if carrier < 0 {
		return nil
	}
	for i := carrier + 1; i < border; i++ {
		if m := &k.from[i]; !m.system() && !m.result() && len(m.calls) == 0 {
			return fmt.Errorf("message %d (%s) left from inside a turn: only finished rounds may", i, m.role)
		}
	}
	return nil
}

// firstKept is the role of the first message sent that is not a system one.
func (k *kept) firstKept() string {
	for i := range k.to {
		if !k.to[i].system() {
			return k.to[i].role
		}
	}
	return ""
}

// rounds looks that each round stays or goes as one, and that no unfinished one went.
func (k *kept) rounds() error {
	for _, r := range roundsOf(k.from) {
		for _, at := range r.members {
			if k.stays[at] != k.stays[r.members[0]] {
				return fmt.Errorf("round of message %d is split at message %d", r.members[0], at)
			}
		}
		if !r.finished && !k.stays[r.members[0]] {
			return fmt.Errorf("round of message %d left unfinished", r.members[0])
		}
	}
	return nil
}

// ends looks at the newest user message and the last one.
func (k *kept) ends(capped bool) func() error {
	return func() error {
		last := len(k.to) - 1
		if last < 0 || k.source[last] != len(k.from)-1 {
			return errors.New("the last message is gone")
		}
		if k.how[last] == shorter && !capped {
			return errors.New("the last message got shorter")
		}
		if k.newest >= 0 && !k.stays[k.newest] {
			return fmt.Errorf("the newest user message (%d) is gone", k.newest)
		}
		return nil
	}
}

// note looks that exactly one text was added where messages left, and none where none did.
func (k *kept) note() error {
	added, gone := 0, len(k.from)-len(k.to)
	for _, how := range k.how {
		if how == textInFront || how == textBehind {
			added++
		}
	}
	switch {
	case gone > 0 && added != 1:
		return fmt.Errorf("%d messages left, %d texts were added in their place, want 1", gone, added)
	case gone == 0 && added > 0:
		return errors.New("text was added though no message left")
	}
	return nil
}
