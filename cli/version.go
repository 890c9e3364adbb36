package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the release build: -ldflags "-X recap/cli.version=v1.2.3".
var version string

// Version says which Recap this is: what the release build set, else what the module or its commit say.
func Version() string {
	if version != "" {
		return version
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := build.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	commit, dirty := "", ""
	for _, s := range build.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			commit = "-" + s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	return "devel" + commit + dirty
}

type versionCmd struct{}

// Run prints one line.
func (c *versionCmd) Run(s *shell) error {
	_, err := fmt.Fprintf(s.out, "recap %s (%s %s/%s)\n", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
