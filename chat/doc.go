// Package chat holds the nouns that every other package speaks: a Chat and its Messages as views into a
// request body, the Keys that name its prefixes, the Checkpoints stored under them, and the Plan that says
// what happens to a request.
//
// Nothing here knows a wire format, a clock, a network or a log. A dialect turns bytes into a Chat; pure
// code turns a Chat into a Plan; the same dialect applies the Plan by splicing, so that every byte outside
// the named spans stays as it came.
//
//	body ──dialect──▶ Chat ──compaction──▶ Plan ──dialect──▶ body'
//
// Words: a round is a tool-calling assistant message with all its results; a turn is a user message and all
// that follows until the next; a cut is the place where a checkpoint ends. Messages are numbered from 1 over
// the non-system ones: a cut that covers n stands behind message n.
package chat
