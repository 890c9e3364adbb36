package cli

import "errors"

// demoCmd shows Recap at work; see internal/fakellm for its model.
type demoCmd struct{}

// Run runs the demo.
func (c *demoCmd) Run(*shell) error { return errors.New("demo: being written") }
