package config

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Kind is the type of a key's value.
type Kind string

// The kinds. Durations are written as Go does (5m30s), sizes as bytes or with a unit (64MiB, 64KB).
const (
	Group    Kind = "map"
	String   Kind = "string"
	Bool     Kind = "bool"
	Int      Kind = "int"
	Number   Kind = "number"
	Duration Kind = "duration"
	Size     Kind = "size"
	Strings  Kind = "list of strings"
	Values   Kind = "map of string, number, bool or null"
	List     Kind = "list of maps"
)

// Key is one row of the table of settings.
type Key struct {
	Path    string // "summarization.trigger.type"; within a list the path inside one entry
	Doc     string // one or two plain sentences
	Kind    Kind
	Allowed []string // the values an enumeration may have
	Range   *Range   // of numbers, durations (seconds) and sizes (bytes)
	Secret  bool     // never shown
	Items   []Key    // of a List: the keys of one entry
	Example string   // what recap.example.yaml shows: of a List that is empty by default one entry, of a Secret a variable

	at   func(any) any // pointer to the value in a *Config or in a list's entry; nil for a Group
	list listAccess
}

// listAccess makes and stores the entries of a List without knowing their type elsewhere.
type listAccess struct {
	fresh   func() any              // pointer to an entry with its defaults
	store   func(at any, all []any) // puts all entries into the slice at
	entries func(at any) []any      // pointers to the entries of the slice at
}

// Env is the variable that sets the key: RECAP_ and the path in upper case with underscores.
func (k *Key) Env() string { return "RECAP_" + strings.ToUpper(snake(k.Path, '_')) }

// Flag is the name of the flag that sets the key, without its dashes.
func (k *Key) Flag() string { return strings.ToLower(snake(k.Path, '-')) }

func snake(path string, sep rune) string {
	var b strings.Builder
	for _, r := range path {
		switch {
		case r == '.':
			b.WriteRune(sep)
		case unicode.IsUpper(r):
			b.WriteRune(sep)
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// opt makes a row. in says what is allowed: "user|system", "[0,1)" or "" for anything of the type.
func opt[T any](path, in, doc string, at func(*T) any) Key {
	k := Key{Path: path, Doc: doc, at: func(v any) any { return at(v.(*T)) }}
	k.Kind = kindOf(k.at(new(T)))
	switch {
	case in == "secret":
		k.Secret = true
	case in == "size":
		k.Kind, k.Range = Size, interval("[1,)")
	case strings.ContainsAny(in, "[("):
		k.Range = interval(in)
	case in != "":
		k.Allowed = strings.Split(in, "|")
	}
	return k
}

func group(path, doc string) Key { return Key{Path: path, Doc: doc, Kind: Group} }

// list makes a row for a list of maps: items are the keys of one entry.
func list[T any](k Key, items []Key, fresh T) Key {
	k.Kind, k.Items = List, items
	k.list = listAccess{
		fresh: func() any { v := fresh; return &v },
		store: func(at any, all []any) {
			out := make([]T, len(all))
			for i, v := range all {
				out[i] = *v.(*T)
			}
			*at.(*[]T) = out
		},
		entries: func(at any) []any {
			slice := *at.(*[]T)
			out := make([]any, len(slice))
			for i := range slice {
				out[i] = &slice[i]
			}
			return out
		},
	}
	return k
}

func kindOf(pointer any) Kind {
	switch pointer.(type) {
	case *string:
		return String
	case *bool:
		return Bool
	case *int, *int64:
		return Int
	case *float64:
		return Number
	case *time.Duration:
		return Duration
	case *[]string:
		return Strings
	case *map[string]any:
		return Values
	}
	return List
}

// Range is an interval; infinite ends are allowed.
type Range struct {
	Min, Max         float64
	OpenMin, OpenMax bool // the end itself is outside
	HasMin, HasMax   bool
}

// interval reads "[0,1)"; an end that is left out is infinite.
func interval(text string) *Range {
	low, high, _ := strings.Cut(text[1:len(text)-1], ",")
	r := &Range{OpenMin: text[0] == '(', OpenMax: text[len(text)-1] == ')'}
	r.Min, r.HasMin = end(low)
	r.Max, r.HasMax = end(high)
	return r
}

func end(text string) (float64, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// Holds reports whether v lies inside. NaN never does.
func (r *Range) Holds(v float64) bool {
	low := !r.HasMin || v > r.Min || v == r.Min && !r.OpenMin
	high := !r.HasMax || v < r.Max || v == r.Max && !r.OpenMax
	return v == v && low && high
}

// String says the range in words: "at least 0 and under 1".
func (r *Range) String() string {
	var parts []string
	if r.HasMin {
		parts = append(parts, map[bool]string{true: "over ", false: "at least "}[r.OpenMin]+number(r.Min))
	}
	if r.HasMax {
		parts = append(parts, map[bool]string{true: "under ", false: "at most "}[r.OpenMax]+number(r.Max))
	}
	return strings.Join(parts, " and ")
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// branch is the table as a tree, so that a decoder can walk a file beside it.
type branch struct {
	key  *Key
	name string
	kids []*branch
}

func (b *branch) kid(name string) *branch {
	for _, k := range b.kids {
		if k.name == name {
			return k
		}
	}
	return nil
}

func (b *branch) names() []string {
	out := make([]string, len(b.kids))
	for i, k := range b.kids {
		out[i] = k.name
	}
	return out
}

// grow makes the tree of keys, in their order.
func grow(keys []Key) *branch {
	root := &branch{key: &Key{Kind: Group}}
	for i := range keys {
		at := root
		for _, name := range strings.Split(keys[i].Path, ".") {
			next := at.kid(name)
			if next == nil {
				next = &branch{name: name, key: &Key{Kind: Group}}
				at.kids = append(at.kids, next)
			}
			at = next
		}
		at.key = &keys[i]
	}
	return root
}

var (
	keyTable = sync.OnceValue(func() []Key {
		return slices.Concat(serverKeys(), summarizationKeys(), storeKeys(), clientKeys())
	})
	keyTree = sync.OnceValue(func() *branch { return grow(keyTable()) })
)

// Keys returns the table of all settings in the order of recap.example.yaml, groups included. The slice is shared:
// do not change it.
func Keys() []Key { return keyTable() }
