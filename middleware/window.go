package middleware

import (
	"recap/chat"
	"recap/tokens"
)

// lookUp finds the window. The first time it may wait for a model that nothing is known of, as long as the file says.
func (x *exchange) lookUp() {
	a := x.ask()
	if !x.waited {
		a.Wait, x.waited = x.up.WindowWait, true
	}
	x.window = x.c.Windows.Lookup(a)
	if x.window.Source == "config" {
		x.compare(a)
	}
	if x.window.Reply > 0 {
		x.chat.MaxReply = min(x.chat.MaxReply, x.window.Reply)
	}
}

// compare warns, once, of a window that the file sets larger than the upstream says it is: the file is believed, and
// Ollama would cut what is over its own without a word.
func (x *exchange) compare(a tokens.Ask) {
	if told := x.c.Windows.Told(a); told > 0 && told < x.window.Size && x.first("larger") {
		x.c.Log.Warn("models[].contextWindow is larger than the window that the upstream tells; prompts over that one will be refused or cut",
			"upstream", x.up.Name, "model", shown(x.chat.Model), "file", x.window.Size, "told", told)
	}
}

// warnOver warns, once, of a chat that stays over its window whatever is compacted.
func (x *exchange) warnOver() {
	if x.status == chat.OverWindow && !x.dry && x.first("over") {
		x.c.Log.Warn("a chat is over its window though all that can go has gone: its system prompt, tools and newest messages fill it; "+
			"it goes out as it is. Take a larger window (models[].contextWindow) or shorten them; such chats say over-window in X-Recap-Status",
			"upstream", x.up.Name, "model", shown(x.chat.Model), "tokens", x.decision.After, "window", x.window.Size)
	}
}

// first reports whether something is met for the first time with this upstream and model.
func (x *exchange) first(what string) bool {
	name := what + "\x00" + x.up.Name + "\x00" + x.chat.Model
	if len(name) > 512 {
		name = name[:512]
	}
	if _, known := x.c.met.Get(name); known {
		return false
	}
	x.c.met.Put(name, true)
	return true
}
