package tokens

import (
	"fmt"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

// encoding names one of tiktoken's vocabularies.
type encoding uint8

const (
	o200k encoding = iota // also stands in for models that nothing is known of
	cl100k
	p50k
	r50k
	encodingCount
)

var encodingNames = [encodingCount]string{"o200k_base", "cl100k_base", "p50k_base", "r50k_base"}

// Encodings returns the names that a Model's Encoding may have.
func Encodings() []string { return encodingNames[:] }

func encodingOf(name string) (encoding, bool) {
	for e, known := range encodingNames {
		if known == name {
			return encoding(e), true
		}
	}
	return o200k, false
}

// offline makes tiktoken read its embedded vocabularies only: its own loader asks the network, without a timeout.
var offline = sync.OnceFunc(func() { tiktoken.SetBpeLoader(loader.NewOfflineLoader()) })

// vocabularies builds each encoding once for the process: it takes up to half a second and tens of megabytes.
var vocabularies = func() (build [encodingCount]func() (*tiktoken.Tiktoken, error)) {
	for e := range build {
		build[e] = sync.OnceValues(func() (*tiktoken.Tiktoken, error) {
			offline()
			vocabulary, err := tiktoken.GetEncoding(encodingNames[e])
			if err != nil {
				return nil, fmt.Errorf("build encoding %s: %w", encodingNames[e], err)
			}
			return vocabulary, nil
		})
	}
	return build
}()

const (
	// maxRun bounds unbroken runs, in bytes: tiktoken-go is quadratic in their length. The longest tokens, of 64
	// and 128 equal characters, fit in it without a rest.
	maxRun = 384
	// segment is the size in bytes from which a text is cut at the next border that no token spans.
	segment = 2048
	// maxSegment is where it is cut at any change of class.
	maxSegment = 16 << 10
)

// segments calls yield with pieces of text, in order, until it returns false. Pieces end where no token would span
// the border, but for unbroken runs of over maxRun bytes, which are cut between characters.
func segments(text string, yield func(piece string) bool) {
	start, run := 0, 0
	last := uint8(space)
	for i := 0; i < len(text); {
		k, width := classOf(text[i:])
		if k != last {
			run = i
		}
		if i-run >= maxRun || i-start >= maxSegment && k != last || i-start >= segment && border(text, i, last) {
			if !yield(text[start:i]) {
				return
			}
			start, run = i, i
		}
		last = k
		i += width
	}
	yield(text[start:])
}

// border reports whether text may be cut before i without a change to its tokens; last is the class before i.
func border(text string, i int, last uint8) bool {
	if text[i-1] == '\n' {
		return class[text[i]] != space
	}
	return text[i] == ' ' && last != space && i+1 < len(text) && class[text[i+1]]-lower <= upper-lower
}

// classOf returns the class of the character that text starts with, small and capital letters alike, and its width.
func classOf(text string) (uint8, int) {
	c := text[0]
	if c < utf8.RuneSelf {
		if k := class[c]; k != upper {
			return k, 1
		}
		return lower, 1
	}
	r, width := utf8.DecodeRuneInString(text)
	switch {
	case unicode.IsLetter(r), unicode.IsMark(r):
		return lower, width
	case unicode.IsNumber(r):
		return digit, width
	case unicode.IsSpace(r):
		return space, width
	}
	return punct, width
}

// count returns the number of tokens of text as ordinary text: what looks like a special token is none. A big data:
// URL weighs dataURLTokens. It gives up, false, when stop says so between two pieces.
func count(v *tiktoken.Tiktoken, text string, stop func() bool) (int, bool) {
	sum, whole := 0, true
	for whole {
		start, end := findDataURL(text)
		segments(text[:start], func(piece string) bool {
			sum += len(v.EncodeOrdinary(piece))
			whole = !stop()
			return whole
		})
		if start == len(text) {
			break
		}
		sum += dataURLTokens
		text = text[end:]
	}
	return sum, whole
}
