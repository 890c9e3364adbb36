//go:build !linux

package main

import (
	"errors"
	"runtime"
	"time"
)

var errLinux = errors.New("CPU time and memory of another process are read on Linux only")

func cpuTime(int) (time.Duration, error) { return 0, errLinux }
func residentBytes(int) (int64, error)   { return 0, errLinux }
func family(pid int) []int               { return []int{pid} }
func machine() string                    { return runtime.GOOS + " " + runtime.GOARCH }
func loadAverage() string                { return "?" }
