package pruning

import "strings"

// failureWords open a result that reports a failure: OpenAI's format has no flag for it. They count at the start of
// the text, whatever the case, after blanks and the marks that logs and JSON put in front, and when no letter
// follows. Strategy budget never clears such a result: the next step depends on it.
var failureWords = []string{
	"error", "errors", "err", "fatal", "panic", "exception", "traceback", "failed", "failure", "fail",
	"cannot", "can't", "could not", "unable to", "permission denied", "access denied", "no such file",
	"command not found", "timed out", "timeout", "aborted", "invalid", "is_error", "tool_use_error",
	"segmentation fault", "syntaxerror", "typeerror", "valueerror", "keyerror", "runtimeerror", "assertionerror",
}

// enough is more bytes than any of failureWords has, in whatever letters, and one more.
const enough = 80

// looksFailed reports whether a text begins as errors do.
func looksFailed(opening string) bool {
	text := strings.TrimLeft(opening, " \t\r\n\"'`{[<(*#->:!\\")
	text = strings.ToLower(text[:min(len(text), enough)])
	for _, word := range failureWords {
		if rest, ok := strings.CutPrefix(text, word); ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z') {
			return true
		}
	}
	return false
}
