// Package summarizer writes checkpoints in the background: triggers, prompts, the queue, providers, the ledger and
// the rules by which an answer is accepted.
package summarizer
