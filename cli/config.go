package cli

import (
	"fmt"
	"os"

	"recap/config"
	"recap/proxy"
)

// configCmd holds `recap config …`.
type configCmd struct {
	Check  checkCmd  `cmd:"" help:"Say whether the settings are sound: exit 0 or 2."`
	Print  printCmd  `cmd:"" help:"Show the settings in effect and where each comes from; secrets as (set)."`
	Schema schemaCmd `cmd:"" help:"Write a JSON schema of the file, for editors."`
	Import importCmd `cmd:"" help:"Make a recap.yaml of a librechat.yaml."`
}

type checkCmd struct {
	File string `arg:"" optional:"" help:"The file; else --config, RECAP_CONFIG, ./recap.yaml."`
}

// Run loads the settings as serve does.
func (c *checkCmd) Run(s *shell) error {
	cfg, err := s.loadConfig(c.File)
	if err != nil {
		return err
	}
	// What only the proxy knows: certificates, and URLs that are endpoints rather than bases.
	client, err := proxy.New(cfg.Upstreams, proxy.Options{Limits: cfg.Limits})
	if err != nil {
		return usage{fmt.Errorf("check upstreams: %w", err)}
	}
	defer client.Close()
	file, explicit := s.configFile(c.File)
	if _, err := os.Stat(file); err != nil && !explicit {
		file = "no file, the defaults"
	}
	fmt.Fprintf(s.out, "%s: ok\n", file)
	return nil
}

type printCmd struct {
	File string `arg:"" optional:"" help:"The file; else --config, RECAP_CONFIG, ./recap.yaml."`
}

// Run prints what the settings come to.
func (c *printCmd) Run(s *shell) error {
	cfg, err := s.loadConfig(c.File)
	if err != nil {
		return err
	}
	return cfg.Print(s.out)
}

type schemaCmd struct{}

// Run writes the schema.
func (c *schemaCmd) Run(s *shell) error { return config.Schema(s.out) }

type importCmd struct {
	File string `arg:"" help:"A librechat.yaml."`
}

// Run prints the file that was made, and on standard error what became of each thing that was found (row L25).
func (c *importCmd) Run(s *shell) error {
	text, err := os.ReadFile(c.File)
	if err != nil {
		return fmt.Errorf("read librechat.yaml: %w", err)
	}
	made, notes, err := config.Import(c.File, string(text))
	for _, n := range notes {
		fmt.Fprintln(s.err, n)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(s.out, made)
	return err
}
