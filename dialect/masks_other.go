//go:build !amd64

package dialect

// blocks tells that blockMasks is there: strings are read eight bytes at a time without it.
const blocks = false

func blockMasks(*[blockSize]byte, *masks) {}
