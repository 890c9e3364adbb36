// Package compaction decides what happens to one chat request: which tool results get shorter, which checkpoint
// stands for the old messages, whether the next summary is due, and what is done when nothing fits. It is pure:
// no HTTP, no clock, no store, no log. The middleware looks up, asks Decide, and acts.
//
//	sizes ─▶ pruning ─▶ trigger ─▶ choice of a checkpoint ─▶ ladder when it does not fit ─▶ chat.Plan
//	                                                    └─▶ job for the next checkpoint
//
// One file per step: levels.go (budget, swap and prepare level), weigh.go (what would be sent), choice.go (which
// checkpoint), tail.go (where the next one ends), due.go (whether it is written now), ladder.go (over
// the budget), note.go (the text that is injected). The rules are design.md §2, §4 and §6.
package compaction
