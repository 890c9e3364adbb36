package tokens

import "hash/maphash"

// putText is what a text weighs that is put into chats: a note, or what is left of a result. The same ones come with each
// request of a chat.
type putText struct {
	fixed int32                // by the fixed measure
	guess [likenessCount]int32 // for each kind of vocabulary
}

func newPutText(raw string) *putText {
	y, p := text{raw: raw}.tally(), &putText{}
	p.fixed = int32(whole(y.fixed()))
	for l := range p.guess {
		p.guess[l] = int32(whole(y.cost(likeness(l))))
	}
	return p
}

// putsRemembered is in texts, each of about 100 bytes.
const putsRemembered = 1 << 16

// put weighs a text that is put into a chat.
func (s *Sizes) put(raw string) *putText {
	k := s.counter
	if k == nil {
		return newPutText(raw)
	}
	key := extra{size: len(raw), raw: maphash.String(k.seed, raw)}
	p, ok := k.puts.Get(key)
	if !ok {
		p = newPutText(raw)
		k.puts.Put(key, p)
	}
	return p
}

// add adds a text to a message.
func (x *row) add(p *putText, like likeness) {
	x.fixed += p.fixed
	x.guess += p.guess[like]
}
