// Package section replaces a marked part of a page, so that one page can hold what several commands measured:
//
//	<!-- speed: begin -->
//	whatever the last run wrote
//	<!-- speed: end -->
//
// What stands outside the marks is written by hand and never touched.
package section

import (
	"fmt"
	"os"
	"strings"
)

// Replace returns page with text between the marks of the section name. The marks stay; text is set off by one line
// break on each side. An error tells that a mark is missing, doubled or out of order.
func Replace(page, name, text string) (string, error) {
	begin, end := "<!-- "+name+": begin -->", "<!-- "+name+": end -->"
	for _, mark := range []string{begin, end} {
		if n := strings.Count(page, mark); n != 1 {
			return "", fmt.Errorf("replace section: want the mark %q once, got it %d times", mark, n)
		}
	}
	head, rest, _ := strings.Cut(page, begin)
	_, tail, ok := strings.Cut(rest, end)
	if !ok {
		return "", fmt.Errorf("replace section: the mark %q stands before %q", end, begin)
	}
	if text = strings.Trim(text, "\n"); text != "" {
		text += "\n"
	}
	return head + begin + "\n" + text + end + tail, nil
}

// ReplaceInFile is Replace on the page at path. A page that would not change is not written.
func ReplaceInFile(path, name, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("replace section: %w", err)
	}
	changed, err := Replace(string(page), name, text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if changed == string(page) {
		return nil
	}
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		return fmt.Errorf("replace section: %w", err)
	}
	return nil
}
