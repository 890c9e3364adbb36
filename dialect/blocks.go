package dialect

import "math/bits"

// blockSize is how many bytes of a string are looked at together: one for each bit of a word.
const blockSize = 64

// masks tell what a block holds: bit n stands for byte n.
type masks struct {
	quotes, slashes uint64
	control         uint64 // not 0 = somewhere in the block is a control character
}

// soundBlocks is soundWords, a block at a time. Text that is full of escapes costs little more here than text without: what
// is escaped is told by arithmetic, where a branch at each would be guessed wrong. It is about three times as fast.
func soundBlocks(b []byte, i int) int {
	var m masks
	escaped := uint64(0) // 1 = the block begins behind a backslash
	for ; i+blockSize <= len(b); i += blockSize {
		blockMasks((*[blockSize]byte)(b[i:]), &m)
		if m.control != 0 { // in the string, or behind it
			break
		}
		quotes := m.quotes
		if m.slashes|escaped != 0 {
			var targets uint64
			targets, escaped = escapes(m.slashes, escaped)
			quotes &^= targets
			if targets &= quotes ^ (quotes - 1); !soundEscapes(b, i, targets) { // those before the end
				return unsound
			}
		}
		if quotes != 0 {
			return i + bits.TrailingZeros64(quotes) + 1
		}
	}
	if escaped != 0 {
		if i = escapeEnd(b, i-1); i < 0 {
			return unsound
		}
	}
	return soundWords(b, i)
}

// escapes returns the bytes of a block that the backslashes before them escape, and whether the block behind it begins with
// one (1) or not (0), as before says of this block. In a run of backslashes every other one escapes: adding the run to the
// bit it begins with carries through to its end, which tells by its place whether the run is odd.
func escapes(slashes, before uint64) (targets, behind uint64) {
	const even = 0x5555555555555555
	slashes &^= before
	follows := slashes<<1 | before
	odd := slashes &^ even &^ follows // runs that begin at an odd place
	ends, behind := bits.Add64(odd, slashes, 0)
	return (even ^ ends<<1) & follows, behind
}

// soundEscapes reports whether the bytes that targets names, from i on, end escapes or begin the hexadecimal ones.
func soundEscapes(b []byte, i int, targets uint64) bool {
	for ; targets != 0; targets &= targets - 1 {
		at := i + bits.TrailingZeros64(targets)
		if !shortEscapes[b[at]] && escapeEnd(b, at-1) < 0 {
			return false
		}
	}
	return true
}
