package config_test

import (
	"errors"
	"strings"
	"testing"

	"recap/config"
)

// A misspelt override is told, with the name that was meant; an unknown one is ignored.
func TestUnknownHeader(t *testing.T) {
	c := config.Default()
	f := func(name string, known bool, meant string) {
		t.Helper()
		got, err := c.UnknownHeader(name)
		var bad *config.BadHeader
		if got != known || (err != nil) != (meant != "") || err != nil && (!errors.As(err, &bad) || !strings.Contains(bad.Why, meant+"?")) {
			t.Errorf("%s: known %v, %v; want %v, %s", name, got, err, known, meant)
		}
	}
	for _, name := range config.OverrideHeaders() {
		f(name, true, "")
		f(strings.ToLower(name), true, "")
	}
	f("X-Recap-Keep-Turn", false, "X-Recap-Keep-Turns")
	f("x-recap-keepturns", false, "X-Recap-Keep-Turns")
	f("X-Recap-Contex-Window", false, "X-Recap-Context-Window")
	f("X-Recap-Triger", false, "X-Recap-Trigger")
	f("X-Recap-Mod", false, "X-Recap-Mode")
	f("X-Recap-Prunning", false, "X-Recap-Pruning")
	f("X-Recap-Unheard-Of", false, "")
	f("X-Recap-Max-Tool-Chars", false, "")
	f("X-Recap-A", false, "")
	f("X-Recap-"+strings.Repeat("x", 5000), false, "")
	f("X-Recap-Status", true, "") // one Recap behind another
	f("X-Other", true, "")
	c.Overrides.Allow = []string{"X-Recap-Mode"}
	f("X-Recap-Keep-Turn", false, "") // would not be read anyway
	f("X-Recap-Mdoe", false, "X-Recap-Mode")
}
