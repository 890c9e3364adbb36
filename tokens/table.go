package tokens

import (
	_ "embed" // the table of models
	"strconv"
	"strings"
	"sync"

	"recap/chat"
)

//go:generate go run ./maketable

//go:embed models.csv
var modelTable string

// family is one row of the built-in table: what a model's maker says of it. Numbers are 0 where they are not known.
type family struct {
	pattern  string
	window   int // tokens
	reply    int // the most it answers, in tokens
	encoding encoding
	image    int // tokens of one image
}

// families reads the table once. Its form is tested, so a bad row is skipped here.
var families = sync.OnceValue(func() []family {
	var rows []family
	for line := range strings.Lines(modelTable) {
		if f, ok := familyIn(strings.Split(strings.TrimSpace(line), ",")); ok {
			rows = append(rows, f)
		}
	}
	return rows
})

// familyIn reads one row: pattern, window, reply, encoding, image, and where its numbers come from.
func familyIn(fields []string) (f family, ok bool) {
	if len(fields) != 6 {
		return f, false
	}
	f.pattern = fields[0]
	if f.encoding, ok = encodingOf(fields[3]); !ok {
		return f, false
	}
	for _, n := range []struct {
		text string
		into *int
	}{{fields[1], &f.window}, {fields[2], &f.reply}, {fields[4], &f.image}} {
		number, err := strconv.Atoi(n.text)
		if err != nil {
			return f, false
		}
		*n.into = number
	}
	return f, true
}

// found remembers the rows of models that were asked for: there are a hundred patterns to try.
var found = sync.OnceValue(func() *chat.Memo[string, *family] { return chat.NewMemo[string, *family](1024) })

// familyOf returns the first row whose pattern matches model, with or without the maker's name in front of it.
func familyOf(model string) (family, bool) {
	f, known := found().Get(model)
	if !known {
		f = search(model)
		if len(model) <= maxModelName {
			found().Put(strings.Clone(model), f)
		}
	}
	if f == nil {
		return family{}, false
	}
	return *f, true
}

func search(model string) *family {
	bare := model[strings.LastIndexByte(model, '/')+1:]
	rows := families()
	for i := range rows {
		if f := &rows[i]; Glob(f.pattern, bare) || Glob(f.pattern, model) {
			return f
		}
	}
	return nil
}
