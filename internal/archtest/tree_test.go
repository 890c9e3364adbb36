// Package archtest holds the rules of the house that code can check: who may import whom and why not, where each
// library lives, how long functions and files may grow, what must be documented, and which promises and fault
// reports a test names. It reads the source tree only; nothing is built or run.
//
// Each rule is a function from a tree to a list of faults, so that the rule itself is tested on the faulty tree in
// testdata.
package archtest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// source is one parsed Go file.
type source struct {
	path  string // slash-separated, from the tree's root
	dir   string // "." for the root
	test  bool
	lines int
	ast   *ast.File
}

// tree is all Go source below one folder.
type tree struct {
	root   string
	module string
	fset   *token.FileSet
	files  []source
}

// house parses the project itself, once.
func house(t *testing.T) *tree {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return plant(t, root)
}

// plant parses everything below root but testdata and hidden folders.
func plant(t *testing.T, root string) *tree {
	t.Helper()
	tr := &tree{root: root, fset: token.NewFileSet()}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(mod), "\n")
	tr.module = strings.TrimSpace(strings.TrimPrefix(line, "module "))
	if err := filepath.WalkDir(root, tr.add); err != nil {
		t.Fatal(err)
	}
	if len(tr.files) == 0 {
		t.Fatalf("no Go files below %s", root)
	}
	return tr
}

// add is the fs.WalkDirFunc of plant.
func (tr *tree) add(name string, entry fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	if entry.IsDir() {
		base := entry.Name()
		if name != tr.root && (base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
			return fs.SkipDir
		}
		return nil
	}
	if !strings.HasSuffix(name, ".go") {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	parsed, err := parser.ParseFile(tr.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(tr.root, name)
	if err != nil {
		return err
	}
	rel = filepath.ToSlash(rel)
	tr.files = append(tr.files, source{
		path:  rel,
		dir:   path.Dir(rel),
		test:  strings.HasSuffix(rel, "_test.go"),
		lines: bytes.Count(text, []byte("\n")),
		ast:   parsed,
	})
	return nil
}

// code returns the files that are not tests.
func (tr *tree) code() []source {
	var files []source
	for _, f := range tr.files {
		if !f.test {
			files = append(files, f)
		}
	}
	return files
}

// dirs returns the folders that hold Go files, sorted.
func (tr *tree) dirs() []string {
	var dirs []string
	for _, f := range tr.files {
		dirs = append(dirs, f.dir)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// at says where a position is, for messages.
func (tr *tree) at(f source, pos token.Pos) string {
	return f.path + ":" + strconv.Itoa(tr.fset.Position(pos).Line)
}

// span is the number of lines that a node takes.
func (tr *tree) span(n ast.Node) int {
	return tr.fset.Position(n.End()).Line - tr.fset.Position(n.Pos()).Line + 1
}

// report fails the test with every fault.
func report(t *testing.T, faults []string) {
	t.Helper()
	slices.Sort(faults)
	for _, f := range faults {
		t.Error(f)
	}
}
