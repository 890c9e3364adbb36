package cli_test

import (
	"strings"
	"testing"
)

// A key that is true or false is a flag that needs no value.
func TestBoolFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	f := func(want string, flags ...string) {
		t.Helper()
		r := run(t, nil, append([]string{"config", "print"}, flags...)...)
		_, section, _ := strings.Cut(r.out, "contextPruning:")
		if _, after, ok := strings.Cut(section, "enabled: "); r.code != 0 || !ok || !strings.HasPrefix(after, want) {
			t.Errorf("%q: exit %d, %s%.60s; want %s", flags, r.code, r.err, after, want)
		}
	}
	f("false")
	f("true", "--summarization-context-pruning-enabled")
	f("true", "--summarization-context-pruning-enabled=true")
	f("false", "--summarization-context-pruning-enabled=false")
	f("false", "--no-summarization-context-pruning-enabled")
	f("true", "--set", "summarization.contextPruning.enabled=true")
	run(t, nil, "config", "print", "--summarization-context-pruning-enabled=maybe").want(t, 2, "", "summarization-context-pruning-enabled")
}
