// Package summarizer writes checkpoints in the background: triggers, prompts, the queue, who writes, the ledger and the
// rules by which an answer is accepted.
//
//	Submit ─▶ line (one job at a time per conversation) ─▶ lane (few per upstream)
//	   job ─▶ pass (base looked up, what is fresh) ─▶ transcript ─▶ fold: ask ─▶ clean ─▶ judge ─▶ … ─▶ text
//	                                             └─▶ suffix: ask behind the live request ─▶ …  ┘
//	  text ─▶ ledger of exact strings ─▶ Store.Put ─▶ notice, mirror
//
// Nothing is stored unless all of it went well. A job holds all that it needs by value; the request it came from is
// long gone. One file per step: queue.go and work.go (when), lines.go (what became of a conversation's
// jobs), pass.go (what to read), transcript.go, prompts.go, fold.go, writer.go and call.go (who is asked, how),
// suffix.go (the same behind the live request), clean.go and acceptance.go with a file for each gate of quality (what is taken), ledger.go with scan.go, facts.go, values.go (what code adds).
//
// To add a trigger, a style or a gate, add a row to its table: triggerTypes, styles, gates.
package summarizer
