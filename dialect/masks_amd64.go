package dialect

// blocks tells that blockMasks is there.
const blocks = true

// blockMasks finds what ends a run of plain characters in a string of JSON. Go has no words for comparing 16 bytes at once.
//
//go:noescape
func blockMasks(b *[blockSize]byte, m *masks)
