package dialect

import "recap/chat"

// Session returns the label by which a client names its conversation, "" when it gives none: our own header, those
// of known clients, then members of the body. It is at most 256 printable characters, and a label only: side requests share it.
// header returns the first value of a request header, "" when absent.
func Session(header func(name string) string, c *chat.Chat) string { return "" }

// SideRequest reports whether a request is one that clients send beside the chat (titles, tags, follow-ups …):
// such requests are forwarded and never start a job.
func SideRequest(header func(name string) string, c *chat.Chat) bool { return false }
