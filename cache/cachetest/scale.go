//go:build !race

package cachetest

// puts is how many checkpoints testAtOnce puts.
const puts = 1000
