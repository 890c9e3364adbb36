// Package cli is the command line: it reads the settings, runs one command and says how it went by an exit code.
// Each command is a struct whose fields are its flags and whose Run method does it.
package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"recap/config"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2 // bad usage or bad settings
)

// commands is the whole grammar.
type commands struct {
	Serve       serveCmd       `cmd:"" help:"Run the proxy."`
	Demo        demoCmd        `cmd:"" help:"Watch a long chat fill its window, be pruned and summarised. Needs nothing else."`
	Explain     explainCmd     `cmd:"" help:"Say what would be done to a request body, and why."`
	Config      configCmd      `cmd:"" help:"Check, show and convert settings."`
	Checkpoints checkpointsCmd `cmd:"" help:"Look at stored summaries."`
	Healthcheck healthcheckCmd `cmd:"" help:"Ask a running Recap whether it is well."`
	Version     versionCmd     `cmd:"" help:"Show the version."`

	settings
}

// shell is what a command gets to see of the world.
type shell struct {
	in       io.Reader
	out, err io.Writer
	environ  []string
	file     string // --config
	flags    []config.Setting
}

// usage is an error that exits with 2.
type usage struct{ error }

// Unwrap lets errors.As see what was wrong.
func (u usage) Unwrap() error { return u.error }

// Run runs the command that args (without the program's name) ask for. environ is what os.Environ returns. It
// returns the exit code: 0 ok, 1 failed, 2 bad usage or settings.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) (code int) {
	defer func() {
		// kong ends --help by calling Exit in the middle of parsing.
		if r := recover(); r != nil {
			done, ok := r.(exit)
			if !ok {
				panic(r)
			}
			code = int(done)
		}
	}()
	if len(args) == 0 {
		args = []string{"--help"}
	}
	var c commands
	generated := c.settings.generate()
	parser, err := kong.New(&c, kong.Name("recap"), kong.Description(description), kong.Writers(stdout, stderr), generated,
		kong.Exit(func(code int) { panic(exit(code)) }), kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}))
	if err != nil {
		return fail(stderr, fmt.Errorf("build the command line: %w", err))
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		return fail(stderr, usage{err})
	}
	s := &shell{in: stdin, out: stdout, err: stderr, environ: environ, file: c.settings.Config}
	if s.flags, err = c.settings.list(); err != nil {
		return fail(stderr, err)
	}
	return fail(stderr, ctx.Run(s))
}

const description = `Keeps long chats inside the model's context window: a proxy in front of Ollama, llama.cpp, vLLM, OpenAI and the like.

"recap serve --upstream http://127.0.0.1:11434" needs no file. Every key of recap.yaml is a flag and a RECAP_ variable too:
summarization.trigger.type is --summarization-trigger-type and RECAP_SUMMARIZATION_TRIGGER_TYPE.`

type exit int

// fail says what went wrong, one line for each problem, and returns the exit code.
func fail(stderr io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	for _, line := range strings.Split(err.Error(), "\n") {
		fmt.Fprintln(stderr, "recap: "+line)
	}
	var problem *config.Problem
	var bad usage
	switch {
	case errors.As(err, &bad):
		fmt.Fprintln(stderr, "Run \"recap --help\" for what there is.")
		return exitUsage
	case errors.As(err, &problem):
		return exitUsage
	}
	return exitFailed
}

// lookup finds a variable in the environment that Run was given.
func (s *shell) lookup(name string) (string, bool) {
	for i := len(s.environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(s.environ[i], name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// loadConfig reads the settings; path stands over --config, RECAP_CONFIG and ./recap.yaml. Warnings go to
// standard error.
func (s *shell) loadConfig(path string) (*config.Config, error) {
	file, explicit := s.configFile(path)
	cfg, warnings, err := config.Load(file, explicit, s.lookup, s.flags)
	for _, w := range append(warnings, config.UnknownEnv(s.environ)...) {
		fmt.Fprintln(s.err, "recap: warning: "+string(w))
	}
	return cfg, err
}

// configFile says which file is read, and whether somebody asked for it.
func (s *shell) configFile(path string) (file string, explicit bool) {
	if path == "" {
		path = s.file
	}
	if path == "" {
		path, _ = s.lookup("RECAP_CONFIG")
	}
	if path != "" {
		return path, true
	}
	return "recap.yaml", false
}
