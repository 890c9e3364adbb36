//go:build !race

package promises_test

// underRace tells that everything takes some ten times as long.
const underRace = false
