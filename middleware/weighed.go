package middleware

import (
	"encoding/binary"

	"recap/chat"
	"recap/tokens"
)

// weighedMemo lets equal requests weigh the same: what is sent twice, or by many at once, is decided on once, even
// while the counts behind it are being calibrated (E9).
type weighedMemo struct{ memo *chat.Memo[chat.Key, weighed] }

type weighed struct {
	model  string
	system uint64       // of the system messages, which the key leaves out
	sizes  tokens.Sizes // nil slices = forgotten
}

// weighedRemembered is in requests; one weighs about 16 bytes a message.
const weighedRemembered = 512

func newWeighedMemo() weighedMemo {
	return weighedMemo{chat.NewMemo[chat.Key, weighed](weighedRemembered)}
}

// sizes returns what x weighs; nobody may write to the slices.
func (m weighedMemo) sizes(x *exchange) tokens.Sizes {
	if len(x.keys) == 0 {
		return x.c.Counter.Sizes(x.chat, x.up.Name)
	}
	key, system := x.keys[len(x.keys)-1], systemPrint(x.chat)
	w, ok := m.memo.Get(key)
	if ok && w.model == x.chat.Model && w.system == system && len(w.sizes.Messages) == len(x.chat.Messages) {
		return w.sizes
	}
	sizes := x.c.Counter.Sizes(x.chat, x.up.Name)
	again := sizes
	again.Fresh = 0
	m.memo.Put(key, weighed{x.chat.Model, system, again})
	return sizes
}

func systemPrint(c *chat.Chat) uint64 {
	var sum uint64
	for i := range c.Messages {
		if m := &c.Messages[i]; m.Role == chat.System {
			sum = sum*31 + binary.LittleEndian.Uint64(m.Digest[:8])
		}
	}
	return sum
}

// forget makes the next request that equals x be weighed anew: the upstream said that the sizes were wrong.
func (m weighedMemo) forget(x *exchange) {
	if len(x.keys) > 0 {
		m.memo.Put(x.keys[len(x.keys)-1], weighed{})
	}
}
