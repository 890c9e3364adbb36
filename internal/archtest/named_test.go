package archtest

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// required lists what at least one test must name, in its own name or in a comment: the promises of design.md §1,
// the rows of seeds/README.md, and the fault reports of reports.md. N16 comes with the dashboard, F3 with reloading;
// F6 is the image, which a test here cannot run.
var required = strings.Fields(`
	P1 P2 P3 P4 P5 P6 P7 P8 P9 P10
	N1 N2 N3 N4 N5 N6 N7 N8 N9 N10 N11 N12 N13 N14 N15 N17
	L1 L2 L3 L4 L5 L6 L7 L8 L9 L10 L11 L12 L13 L14 L15 L16 L17 L18 L19 L20 L21 L22 L23 L24 L25 L26
	A1 A2 A4 A5 A7 A8 A9 A11 A12 A14 A15 A16 A17 A18 A20 A21 A25
	B1 B3 B4 B6 B7 B8 B10 B11
	C1 C2 C4 C6 C7 C9 C11 C13 C14 C15 C16 C18 C20 C21 C22 C23
	D1 D2 D4 D5 D6 D8 D11
	E1 E3 E6 E7 E9 E11 E12 E14 E15
	F1 F5 F8 F9 F11 F13`)

var (
	idInName    = regexp.MustCompile(`[A-Z][0-9]+`)
	idInComment = regexp.MustCompile(`\b[A-Z][0-9]+\b`)
)

// TestEveryPromiseIsNamed fails with the list of ids that no test names.
func TestEveryPromiseIsNamed(t *testing.T) {
	if missing := checkNamed(house(t), required); len(missing) > 0 {
		t.Errorf("%d of %d ids are named by no test: %s", len(missing), len(required), strings.Join(missing, " "))
	}
}

// checkNamed returns the ids that no test names. This package's own tests do not count: they only list them.
func checkNamed(tr *tree, ids []string) (missing []string) {
	named := map[string]bool{}
	for _, f := range tr.files {
		if f.test && f.dir != "internal/archtest" {
			namedIn(f.ast, named)
		}
	}
	for _, id := range ids {
		if !named[id] {
			missing = append(missing, id)
		}
	}
	return missing
}

// namedIn collects the ids in the names of f's tests and in its comments. Text in strings does not count: test data is
// full of messages called A1.
func namedIn(f *ast.File, named map[string]bool) {
	var found []string
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && isTest(fn.Name.Name) {
			found = append(found, idInName.FindAllString(fn.Name.Name, -1)...)
		}
	}
	for _, group := range f.Comments {
		found = append(found, idInComment.FindAllString(group.Text(), -1)...)
	}
	for _, id := range found {
		named[id] = true
	}
}

func isTest(name string) bool {
	return slices.ContainsFunc([]string{"Test", "Fuzz", "Benchmark", "Example"}, func(kind string) bool {
		return strings.HasPrefix(name, kind)
	})
}
