package main

import (
	"os"
	"os/exec"
)

// This program runs itself again for what has to be a process of its own.
const (
	bareRelay     = "bare relay"
	standardRelay = "httputil"
	profiledRecap = "profiled recap"
)

// roleVariable tells a copy of this program what it is to be.
const roleVariable = "RECAP_BENCH_ROLE"

// self is the command that runs this program in a role.
func self(role string, args ...string) (*exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	return cmd, nil
}

// playRole does what the environment asks for. False means that this process has no role.
func playRole(args []string) (played bool, err error) {
	switch os.Getenv(roleVariable) {
	case bareRelay:
		return true, serveBare(args[0])
	case standardRelay:
		return true, serveStandard(args[0])
	case profiledRecap:
		return true, serveProfiled(args[0], args[1:])
	}
	return false, nil
}
