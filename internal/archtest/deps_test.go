package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxDependencies is the number of modules that go.mod may ask for itself. Each has a reason in docs/decisions.md.
const maxDependencies = 12

// direct matches a requirement that go.mod does not mark as indirect.
var direct = regexp.MustCompile(`(?m)^(?:require)?\s+([^\s/]+\.[^\s]+) v\S+$`)

// TestFewDependencies: a dependency is a promise to follow somebody else's releases; it must be worth a paragraph.
func TestFewDependencies(t *testing.T) {
	tr := house(t)
	mod, err := os.ReadFile(filepath.Join(tr.root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := os.ReadFile(filepath.Join(tr.root, "docs", "decisions.md"))
	if err != nil {
		t.Fatal(err)
	}
	report(t, checkDependencies(string(mod), string(decisions)))
}

func checkDependencies(mod, decisions string) (faults []string) {
	found := direct.FindAllStringSubmatch(mod, -1)
	if len(found) > maxDependencies {
		faults = append(faults, fmt.Sprintf("go.mod has %d direct dependencies, the limit is %d", len(found), maxDependencies))
	}
	for _, m := range found {
		if !strings.Contains(decisions, "`"+m[1]+"`") {
			faults = append(faults, fmt.Sprintf("docs/decisions.md gives no reason for `%s`", m[1]))
		}
	}
	return faults
}
