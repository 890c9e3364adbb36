// Command maketable writes tokens/models.csv from tokens/maketable/models.txt, the list that people read and change: what
// makers say of their models, each part under the page it was read on. `go generate ./tokens` runs it.
package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "maketable:", err)
		os.Exit(1)
	}
}

func run() error {
	list, err := os.ReadFile("maketable/models.txt")
	if err != nil {
		return fmt.Errorf("read list: %w", err)
	}
	table, err := Table(string(list))
	if err != nil {
		return err
	}
	if err := os.WriteFile("models.csv", table, 0o644); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

const header = "pattern,window,reply,encoding,image,from\n"

// Table turns the list into the CSV that is built in. An error names the line.
func Table(list string) ([]byte, error) {
	out := bytes.NewBufferString(header)
	from, n := "", 0
	for line := range strings.Lines(list) {
		n++
		text, _, _ := strings.Cut(line, "#")
		fields := strings.Fields(text)
		switch {
		case len(fields) == 0:
		case fields[0] == "from":
			if from = strings.Join(fields[1:], " "); from == "" || strings.Contains(from, ",") {
				return nil, fmt.Errorf("models.txt:%d: want `from` and a page, or `from memory`", n)
			}
		case from == "":
			return nil, fmt.Errorf("models.txt:%d: no `from` line above this row", n)
		default:
			row, err := row(fields)
			if err != nil {
				return nil, fmt.Errorf("models.txt:%d: %w", n, err)
			}
			fmt.Fprintf(out, "%s,%s\n", row, from)
		}
	}
	return out.Bytes(), nil
}

var encodings = map[string]bool{"o200k_base": true, "cl100k_base": true, "p50k_base": true, "r50k_base": true}

// row checks one row and joins it: pattern, window, reply limit, encoding, image cost; - for what is not known.
func row(fields []string) (string, error) {
	if len(fields) != 5 {
		return "", fmt.Errorf("want pattern, window, reply, encoding, image; got %d fields", len(fields))
	}
	if strings.Contains(fields[0], ",") || !encodings[fields[3]] {
		return "", fmt.Errorf("%s: bad pattern or encoding", fields[0])
	}
	for _, at := range []int{1, 2, 4} {
		if fields[at] == "-" {
			fields[at] = "0"
		}
		if n, err := strconv.Atoi(fields[at]); err != nil || n < 0 || n > 100_000_000 {
			return "", fmt.Errorf("%s: %s is no number of tokens", fields[0], fields[at])
		}
	}
	return strings.Join(fields, ","), nil
}
