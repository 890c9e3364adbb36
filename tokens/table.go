package tokens

import (
	_ "embed" // the table of models
	"strconv"
	"strings"
	"sync"
)

//go:embed models.csv
var modelTable string

// family is one row of the built-in table.
type family struct {
	pattern  string
	window   int
	encoding encoding
}

// families reads the table once. Its form is tested, so a bad row is skipped here.
var families = sync.OnceValue(func() []family {
	var rows []family
	for line := range strings.Lines(modelTable) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		if len(fields) != 3 {
			continue
		}
		window, err := strconv.Atoi(fields[1])
		e, known := encodingOf(fields[2])
		if err != nil || !known {
			continue
		}
		rows = append(rows, family{pattern: fields[0], window: window, encoding: e})
	}
	return rows
})

// familyOf returns the first row whose pattern matches model, with or without the maker's name in front of it.
func familyOf(model string) (family, bool) {
	bare := model[strings.LastIndexByte(model, '/')+1:]
	for _, f := range families() {
		if Glob(f.pattern, bare) || Glob(f.pattern, model) {
			return f, true
		}
	}
	return family{}, false
}
