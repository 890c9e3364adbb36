//go:build !linux && !darwin && !freebsd

package cli

import "os"

// terminalWidth finds no terminal: elsewhere plain lines are always right.
func terminalWidth(*os.File) (int, bool) { return 0, false }
