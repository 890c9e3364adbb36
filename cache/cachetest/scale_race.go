//go:build race

package cachetest

// puts is smaller here: SQLite is twenty times slower under the race detector, and a race shows early.
const puts = 200
