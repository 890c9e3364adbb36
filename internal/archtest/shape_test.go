package archtest

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// The limits, in lines. Small functions are what the code bases that read best have in common (style.md §1).
const (
	maxFunction   = 60
	smallFunction = 30 // at least nine of ten are shorter
	maxFile       = 400
	usualFile     = 300 // at least nine of ten are shorter
)

// grabBags are names that say nothing about what is inside.
var grabBags = []string{"util", "utils", "common", "helper", "helpers", "manager", "base", "impl"}

// TestOnePackageDoc: a package comment says how the package behaves; two of them contradict each other one day.
func TestOnePackageDoc(t *testing.T) { report(t, checkPackageDocs(house(t))) }

// TestFunctionsStaySmall measures functions outside of tests.
func TestFunctionsStaySmall(t *testing.T) { report(t, checkFunctions(house(t))) }

// TestFilesStaySmall measures files outside of tests.
func TestFilesStaySmall(t *testing.T) { report(t, checkFiles(house(t))) }

// TestNoGrabBags: such a package or file ends up holding everything.
func TestNoGrabBags(t *testing.T) { report(t, checkNames(house(t))) }

// TestExportedIsDocumented: what a package offers says what it is, in which unit, and how it fails.
func TestExportedIsDocumented(t *testing.T) { report(t, checkDocs(house(t))) }

func checkPackageDocs(tr *tree) (faults []string) {
	for _, dir := range tr.dirs() {
		docs, files := docsIn(tr, dir, false)
		if files == 0 {
			docs, _ = docsIn(tr, dir, true)
		}
		if len(docs) != 1 {
			faults = append(faults, fmt.Sprintf("%s: want one package comment, got %d %v", dir, len(docs), docs))
		}
	}
	return faults
}

// docsIn returns the files of dir that carry a package comment, and how many files of that kind there are.
func docsIn(tr *tree, dir string, test bool) (docs []string, files int) {
	for _, f := range tr.files {
		if f.dir != dir || f.test != test {
			continue
		}
		files++
		if f.ast.Doc != nil && strings.TrimSpace(f.ast.Doc.Text()) != "" {
			docs = append(docs, path.Base(f.path))
		}
	}
	return docs, files
}

func checkFunctions(tr *tree) (faults []string) {
	var lengths []int
	for _, f := range tr.code() {
		for _, decl := range f.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := tr.span(fn)
			lengths = append(lengths, n)
			if n > maxFunction {
				faults = append(faults, fmt.Sprintf("%s: %s has %d lines, the limit is %d", tr.at(f, fn.Pos()), fn.Name.Name, n, maxFunction))
			}
		}
	}
	return append(faults, mostly("functions", lengths, smallFunction)...)
}

func checkFiles(tr *tree) (faults []string) {
	var lengths []int
	for _, f := range tr.code() {
		lengths = append(lengths, f.lines)
		if f.lines > maxFile {
			faults = append(faults, fmt.Sprintf("%s has %d lines, the limit is %d", f.path, f.lines, maxFile))
		}
	}
	return append(faults, mostly("files", lengths, usualFile)...)
}

// mostly asks that nine of ten lengths are below a limit.
func mostly(what string, lengths []int, below int) []string {
	small := 0
	for _, n := range lengths {
		if n < below {
			small++
		}
	}
	if 10*small >= 9*len(lengths) {
		return nil
	}
	return []string{fmt.Sprintf("only %d of %d %s have fewer than %d lines, want nine of ten", small, len(lengths), what, below)}
}

func checkNames(tr *tree) (faults []string) {
	for _, f := range tr.files {
		pkg := strings.TrimSuffix(f.ast.Name.Name, "_test")
		stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(f.path), ".go"), "_test")
		for _, name := range []string{pkg, path.Base(f.dir), stem} {
			if slices.Contains(grabBags, name) {
				faults = append(faults, fmt.Sprintf("%s: %q says nothing about what is inside", f.path, name))
				break
			}
		}
	}
	return faults
}

func checkDocs(tr *tree) (faults []string) {
	for _, f := range tr.code() {
		for _, decl := range f.ast.Decls {
			for _, id := range undocumented(decl) {
				faults = append(faults, fmt.Sprintf("%s: %s has no doc comment", tr.at(f, id.Pos()), id.Name))
			}
		}
	}
	return faults
}

// undocumented returns the exported identifiers of a declaration that no comment explains. The comment of a group
// explains its constants and variables.
func undocumented(decl ast.Decl) (ids []*ast.Ident) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && reachable(d.Recv) {
			ids = append(ids, d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			ids = append(ids, undocumentedSpec(spec, d.Doc)...)
		}
	}
	return ids
}

func undocumentedSpec(spec ast.Spec, group *ast.CommentGroup) (ids []*ast.Ident) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && s.Doc == nil && s.Comment == nil && group == nil {
			ids = append(ids, s.Name)
		}
		if wide, ok := s.Type.(*ast.InterfaceType); ok && s.Name.IsExported() {
			ids = append(ids, undocumentedMethods(wide)...)
		}
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() && s.Doc == nil && s.Comment == nil && group == nil {
				ids = append(ids, name)
			}
		}
	}
	return ids
}

func undocumentedMethods(wide *ast.InterfaceType) (ids []*ast.Ident) {
	for _, m := range wide.Methods.List {
		for _, name := range m.Names {
			if name.IsExported() && m.Doc == nil && m.Comment == nil {
				ids = append(ids, name)
			}
		}
	}
	return ids
}

// reachable reports whether a method's receiver is an exported type; a function has none and is.
func reachable(recv *ast.FieldList) bool {
	if recv == nil || len(recv.List) == 0 {
		return true
	}
	exported := true
	ast.Inspect(recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			exported = id.IsExported()
			return false
		}
		_, generic := n.(*ast.IndexExpr)
		_, pointer := n.(*ast.StarExpr)
		return generic || pointer
	})
	return exported
}
