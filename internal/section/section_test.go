package section_test

import (
	"os"
	"path/filepath"
	"testing"

	"recap/internal/section"
)

const page = "# Title\n<!-- a: begin -->\nold\n<!-- a: end -->\nbetween\n<!-- b: begin -->\n<!-- b: end -->\nlast\n"

func TestReplace(t *testing.T) {
	f := func(name, text, want string) {
		t.Helper()
		got, err := section.Replace(page, name, text)
		if err != nil || got != want {
			t.Errorf("%s: got %q, %v\nwant %q", name, got, err, want)
		}
		if again, err := section.Replace(got, name, text); err != nil || again != got {
			t.Errorf("%s: a second time changes the page: %q, %v", name, again, err)
		}
	}
	f("a", "new", "# Title\n<!-- a: begin -->\nnew\n<!-- a: end -->\nbetween\n<!-- b: begin -->\n<!-- b: end -->\nlast\n")
	f("a", "\n\nnew\n\n", "# Title\n<!-- a: begin -->\nnew\n<!-- a: end -->\nbetween\n<!-- b: begin -->\n<!-- b: end -->\nlast\n")
	f("b", "x\ny", "# Title\n<!-- a: begin -->\nold\n<!-- a: end -->\nbetween\n<!-- b: begin -->\nx\ny\n<!-- b: end -->\nlast\n")
	f("a", "", "# Title\n<!-- a: begin -->\n<!-- a: end -->\nbetween\n<!-- b: begin -->\n<!-- b: end -->\nlast\n")
}

func TestReplaceRefuses(t *testing.T) {
	f := func(name, page string) {
		t.Helper()
		if got, err := section.Replace(page, "a", "x"); err == nil {
			t.Errorf("%s: got %q, want an error", name, got)
		}
	}
	f("no marks", "text")
	f("no end", "<!-- a: begin -->")
	f("twice", page+page)
	f("out of order", "<!-- a: end --><!-- a: begin -->")
}

func TestReplaceInFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	if err := section.ReplaceInFile(path, "a", "x"); err == nil {
		t.Error("a page that is not there: want an error")
	}
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := section.ReplaceInFile(path, "a", "new"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	want := "# Title\n<!-- a: begin -->\nnew\n<!-- a: end -->\nbetween\n<!-- b: begin -->\n<!-- b: end -->\nlast\n"
	if err != nil || string(got) != want {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
}
