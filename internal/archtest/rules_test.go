package archtest

import (
	"slices"
	"strings"
	"testing"
)

// TestRulesFindFaults runs each rule over a tree that breaks it, so that a rule that finds nothing is noticed.
func TestRulesFindFaults(t *testing.T) {
	tr := plant(t, "testdata/faulty")
	f := func(name string, got []string, want ...string) {
		t.Helper()
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		}
	}
	rows := []row{{pkg: "low", why: "low is below"}, {pkg: "high"}}
	f("layers", checkLayers(tr, rows),
		"low → high is not allowed: low is below",
		"util is not in the import table: say what it may import, and why nothing else")
	f("bans", checkBans(tr, []ban{{from: "low high util", to: "example.com/lib", why: "heavy"}}),
		"high → example.com/lib/part is not allowed: heavy",
		"low → high → example.com/lib/part is not allowed: heavy")
	f("direct bans", checkBans(tr, []ban{{from: "low high", to: "example.com/lib", direct: true, why: "heavy"}}),
		"high → example.com/lib/part is not allowed: heavy")
	f("homes", checkHomes(tr, map[string]row{"example.com/lib": {may: "low", why: "lives there"}}),
		"high → example.com/lib/part is not allowed, its home is low: lives there")
	f("homeless", checkHomes(tr, nil),
		"high → example.com/lib/part: the library has no home yet; say where it lives and why")
	f("package docs", checkPackageDocs(tr),
		"high: want one package comment, got 0 []",
		"low: want one package comment, got 2 [low.go more.go]")
	f("functions", checkFunctions(tr),
		"only 2 of 3 functions have fewer than 30 lines, want nine of ten",
		"util/helpers.go:5: long has 62 lines, the limit is 60")
	f("names", checkNames(tr), `util/helpers.go: "util" says nothing about what is inside`)
	f("docs", checkDocs(tr),
		"low/low.go:12: Plain has no doc comment",
		"low/low.go:6: Bare has no doc comment",
		"low/low.go:8: Open has no doc comment",
		"low/low.go:9: Shut has no doc comment")
	f("named", checkNamed(tr, []string{"P1", "L16", "L1", "A7"}), "A7", "L1")
}

// TestDependenciesNeedReasons covers what counts as a direct dependency and as a reason.
func TestDependenciesNeedReasons(t *testing.T) {
	mod := "module m\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0 // indirect\n)\n\nrequire example.com/c/v2 v2.0.0\n"
	got := checkDependencies(mod, "We use `example.com/a` because …")
	if len(got) != 1 || !strings.Contains(got[0], "`example.com/c/v2`") {
		t.Errorf("got %q, want one fault about example.com/c/v2", got)
	}
	many := strings.Repeat("require example.com/a v1.0.0\n", maxDependencies+1)
	if got := checkDependencies(many, "`example.com/a`"); len(got) != 1 {
		t.Errorf("got %q, want one fault about the number", got)
	}
}

// TestFilesAreMeasured covers the two limits on files.
func TestFilesAreMeasured(t *testing.T) {
	tr := &tree{files: []source{{path: "long.go", lines: maxFile + 1}, {path: "short.go", lines: 1}}}
	want := []string{"long.go has 401 lines, the limit is 400", "only 1 of 2 files have fewer than 300 lines, want nine of ten"}
	if got := checkFiles(tr); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
