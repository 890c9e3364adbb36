// Package fakellm is a scripted, strict inference server for tests and for `recap demo`. It speaks OpenAI's and
// Ollama's chat formats, streaming and plain, reports usage, refuses bodies as real backends do, and breaks on
// request in the ways that real connections break.
//
// It is an independent judge: it reads JSON on its own and shares no code with the proxy that it tests.
//
//	request ─▶ record ─▶ rules (refuse) ─▶ window (overflow, or Ollama's silent cut) ─▶ script ─▶ fault ─▶ answer
//
// Three parts can be used without a server: Check and CheckKept judge bodies, Conversation writes growing chats
// from a seed, Traces loads recorded ones.
package fakellm
