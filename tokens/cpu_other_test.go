//go:build !linux

package tokens_test

import "time"

var began = time.Now()

// cpu stands for what the process has used by the time that has passed.
func cpu() time.Duration { return time.Since(began) }
