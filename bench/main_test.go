package main

import (
	"os"
	"testing"
)

// TestMain lets the tests' own binary play the roles that the bench starts.
func TestMain(m *testing.M) {
	if played, err := playRole(os.Args[1:]); played {
		exit(err)
	}
	os.Exit(m.Run())
}
