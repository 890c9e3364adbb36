package cli

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"recap/config"
)

// settings are the flags that every command takes. The common ones stand here; one for each other key of the
// file is generated from the table and left out of the help, which would be three pages long.
type settings struct {
	Config   string   `help:"The file; else RECAP_CONFIG, else ./recap.yaml." placeholder:"FILE" group:"Settings:"`
	Upstream []string `help:"An inference service; again for more." placeholder:"[NAME=]URL" sep:"none" group:"Settings:"`
	Admin    *string  `help:"Address of the admin listener; empty = none." placeholder:"HOST:PORT" group:"Settings:"`
	Store    *string  `help:"Where checkpoints are kept: a file, sqlite or memory." placeholder:"PLACE" group:"Settings:"`
	Set      []string `help:"Any key of the file; again for more." placeholder:"KEY=VALUE" sep:"none" group:"Settings:"`

	keys   []config.Key
	values reflect.Value // struct of *string or *bool, one for each of keys; nil = not given
}

// shown are the generated flags that the help lists.
var shown = map[string]bool{"listen": true, "log.level": true}

// generate makes a struct type with one flag per key, since kong reads flags from struct tags.
func (s *settings) generate() kong.Option {
	var fields []reflect.StructField
	for _, k := range config.Keys() {
		if k.Kind == config.Group {
			continue
		}
		kind, tag := reflect.TypeFor[*string](), `name:"`+k.Flag()+`" placeholder:"VALUE" group:"Settings:" help:`+strconv.Quote(help(k))
		if k.Kind == config.Bool { // --flag, --no-flag and --flag=false
			kind, tag = reflect.TypeFor[*bool](), tag+` negatable:""`
		}
		if !shown[k.Path] {
			tag += ` hidden:""`
		}
		s.keys = append(s.keys, k)
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprintf("F%d", len(fields)), Type: kind, Tag: reflect.StructTag(tag),
		})
	}
	s.values = reflect.New(reflect.StructOf(fields))
	return kong.Embed(s.values.Interface())
}

func help(k config.Key) string {
	text := k.Doc
	if text == "" {
		text = k.Path + "."
	}
	if len(k.Allowed) > 0 {
		text += " One of " + strings.Join(k.Allowed, ", ") + "."
	}
	return text
}

// list returns what was given, as config wants it; --set goes last, over everything.
func (s *settings) list() ([]config.Setting, error) {
	var out []config.Setting
	add := func(key, value, from string) { out = append(out, config.Setting{Key: key, Value: value, From: from}) }
	for _, u := range s.Upstream {
		add("upstream", u, "--upstream")
	}
	if s.Admin != nil {
		add("admin", *s.Admin, "--admin")
	}
	if s.Store != nil {
		add("store", *s.Store, "--store")
	}
	for i, k := range s.keys {
		switch p := s.values.Elem().Field(i).Interface().(type) {
		case *string:
			if p != nil {
				add(k.Path, *p, "--"+k.Flag())
			}
		case *bool:
			if p != nil {
				add(k.Path, strconv.FormatBool(*p), "--"+k.Flag())
			}
		}
	}
	for _, pair := range s.Set {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, usage{errors.New("read --set: want KEY=VALUE, like log.level=debug")}
		}
		add(key, value, "--set")
	}
	return out, nil
}
