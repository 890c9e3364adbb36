package dialect

import (
	"strings"
	"sync/atomic"
)

// models keeps the names of the newest models, so that a request and its answer need no memory for a name that was met
// before.
var models wordTable

// wordTable keeps one word for each place of a table; which is told by a few bytes of it. Any word may push out another.
type wordTable [64]atomic.Pointer[string]

// maxKeptWord bounds the words that are kept, in bytes.
const maxKeptWord = 128

// own returns word in memory of its own.
func (t *wordTable) own(word string) string {
	n := uint(len(word))
	if n == 0 || n > maxKeptWord {
		return strings.Clone(word)
	}
	slot := &t[(n*31+uint(word[n/2])*7+uint(word[n-1]))%uint(len(t))]
	if kept := slot.Load(); kept != nil && *kept == word {
		return *kept
	}
	kept := strings.Clone(word)
	slot.Store(&kept)
	return kept
}
