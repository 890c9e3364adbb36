package middleware

// lookUp finds the window. The first time it may wait for a model that nothing is known of, as long as the file says.
func (x *exchange) lookUp() {
	a := x.ask()
	if !x.waited {
		a.Wait, x.waited = x.up.WindowWait, true
	}
	x.window = x.c.Windows.Lookup(a)
	if x.window.Reply > 0 {
		x.chat.MaxReply = min(x.chat.MaxReply, x.window.Reply)
	}
}
