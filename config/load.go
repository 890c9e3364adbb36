package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Setting is one value given on the command line. Key is a path of the table, or "upstream" for `--upstream`.
type Setting struct {
	Key   string
	Value string // as an environment variable would hold it
	From  string // the flag, for messages: "--listen"
}

// Load reads the settings: defaults, the file at path, the environment, flags, each over the one before. A missing
// file is fine unless explicit says that somebody asked for it. The error is a Problems with everything that was
// found, or tells that the file could not be read; then no Config is returned, so that a caller that reloads
// keeps what it has.
func Load(path string, explicit bool, env Lookup, flags []Setting) (*Config, []Warning, error) {
	text, err := readFile(path)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist) && !explicit:
		path = ""
	default:
		return nil, nil, Problems{{File: path, Message: err.Error()}}
	}
	return Read(path, text, env, flags)
}

// readFile refuses what is too large to be a config before it is in memory.
func readFile(path string) (string, error) {
	if path == "" {
		return "", fs.ErrNotExist
	}
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxFile {
		return "", fmt.Errorf("the file is larger than %d bytes", maxFile)
	}
	if err == nil && info.IsDir() {
		return "", errors.New("is a directory, not a file")
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no such file%w", quiet{err})
	}
	return string(raw), err
}

// quiet keeps an error findable by errors.Is without saying its text.
type quiet struct{ error }

// Error says nothing: the wrapping error has said it.
func (quiet) Error() string { return "" }

// Unwrap lets errors.Is see the cause.
func (q quiet) Unwrap() error { return q.error }

// Read is Load with the file's text at hand; name is used in messages.
func Read(name, text string, env Lookup, flags []Setting) (*Config, []Warning, error) {
	d := &decoder{cfg: Default(), env: env}
	d.cfg.Providers[0].APIKey = get(env, "OPENAI_API_KEY")
	d.file(name, text)
	d.nexus()
	d.debugLogging()
	d.environment()
	d.flags(flags)
	d.check()
	if len(d.problems) > 0 {
		d.problems.sort()
		return nil, d.warnings, d.problems
	}
	d.cfg.Log.Diagnostics = d.cfg.Log.Diagnostics || d.cfg.Log.Level == "debug"
	return d.cfg, d.warnings, nil
}

// get reads a variable; one that is set to nothing counts as not set, as compose files produce them.
func get(env Lookup, name string) string {
	value, _ := env(name)
	return value
}

func (d *decoder) file(name, text string) {
	d.source, d.inFile = name, true
	defer func() { d.source, d.inFile = "", false }()
	root, err := parseYAML(text)
	if err != nil {
		d.fault(err)
		return
	}
	d.group(keyTree(), d.cfg, "", root)
}

func (d *decoder) fault(err error) {
	p := &Problem{File: d.source, Message: err.Error()}
	var f *fault
	if errors.As(err, &f) && d.inFile {
		p.Line, p.Column = f.line, f.column
	}
	d.problems = append(d.problems, p)
}

// debugLogging honours LibreChat's switch: the exact string true (row L24).
func (d *decoder) debugLogging() {
	if get(d.env, "AGENT_DEBUG_LOGGING") != "true" {
		return
	}
	d.set("log.level", "debug", "AGENT_DEBUG_LOGGING")
	d.cfg.Log.Diagnostics = true
}

// environment applies RECAP_*, groups before what is in them, as the table has them.
func (d *decoder) environment() {
	for _, k := range Keys() {
		if value := get(d.env, k.Env()); value != "" {
			d.set(k.Path, value, k.Env())
		}
	}
	if value := get(d.env, "RECAP_UPSTREAM"); value != "" {
		d.upstreams(strings.Split(value, ","), "RECAP_UPSTREAM")
	}
	d.cfg.TenantKey = get(d.env, "RECAP_TENANT_KEY")
}

// flags applies the command line. All --upstream together are the list.
func (d *decoder) flags(list []Setting) {
	var urls []string
	for _, s := range list {
		if s.Key == "upstream" {
			urls = append(urls, s.Value)
			continue
		}
		d.set(s.Key, s.Value, s.From)
	}
	if len(urls) > 0 {
		d.upstreams(urls, "--upstream")
	}
}

// upstreams replaces the list by URLs, each with or without a name in front: "gpu=http://10.0.0.7:8000".
func (d *decoder) upstreams(texts []string, from string) {
	d.cfg.Upstreams = d.cfg.Upstreams[:0:0]
	for i, text := range texts {
		text = strings.TrimSpace(text)
		name := "local"
		if i > 0 {
			name += strconv.Itoa(i + 1)
		}
		if before, after, ok := strings.Cut(text, "="); ok && !strings.Contains(before, "://") {
			name, text = before, after
		}
		d.cfg.Upstreams = append(d.cfg.Upstreams, defaultUpstream(name, text))
		d.cfg.places["upstreams["+strconv.Itoa(i)+"]"] = Place{File: from}
	}
	d.cfg.places["upstreams"] = Place{File: from}
}

// set applies one value given as text. Single values are taken as they are; lists of strings may be separated by
// commas; everything else is YAML flow text.
func (d *decoder) set(path, text, from string) {
	d.source = from
	defer func() { d.source = "" }()
	if strings.HasPrefix(path, "store") || strings.HasPrefix(path, "admin") {
		path = shorthand(path, text)
	}
	b := find(path)
	if b == nil {
		d.problem(nil, path, "unknown key%s", adviceFor(path))
		return
	}
	n, err := textNode(b.key, text)
	if err != nil {
		d.fault(fmt.Errorf("%s: %w", path, err))
		return
	}
	d.forget(path)
	d.decode(b, d.cfg, path, n)
}

// shorthand lets `--store memory`, `--store /path/to.db` and `--admin host:port` do without a map.
func shorthand(path, text string) string {
	switch plain := !strings.HasPrefix(strings.TrimSpace(text), "{"); {
	case plain && path == "admin":
		return "admin.listen"
	case plain && path == "store" && (text == "memory" || text == "sqlite"):
		return "store.kind"
	case plain && path == "store":
		return "store.path"
	}
	return path
}

// forget drops the places of the entries of a list that is being replaced.
func (d *decoder) forget(path string) {
	for p := range d.cfg.places {
		if strings.HasPrefix(p, path+"[") {
			delete(d.cfg.places, p)
		}
	}
}

func textNode(k *Key, text string) (*node, error) {
	switch k.Kind {
	case Group, List, Values:
		return parseYAML(text)
	case Strings:
		if strings.HasPrefix(strings.TrimSpace(text), "[") {
			return parseYAML(text)
		}
		n := &node{shape: sequence}
		for _, one := range strings.Split(text, ",") {
			if one = strings.TrimSpace(one); one != "" {
				n.items = append(n.items, &node{shape: scalar, text: one, quoted: true})
			}
		}
		return n, nil
	}
	return &node{shape: scalar, text: text, quoted: true}, nil
}

func find(path string) *branch {
	at := keyTree()
	for _, name := range strings.Split(path, ".") {
		if at = at.kid(name); at == nil {
			return nil
		}
	}
	return at
}

func adviceFor(path string) string {
	all := make([]string, 0, len(Keys()))
	for _, k := range Keys() {
		all = append(all, k.Path)
	}
	if near := nearest(path, all); near != "" {
		return "; did you mean " + near + "?"
	}
	if list, _, inside := strings.Cut(path, "["); inside {
		return "; a list is given whole: " + list + "=[…]"
	}
	return "; recap config print shows all there are"
}

// UnknownEnv warns of RECAP_* variables that name no setting. environ is what os.Environ returns. Those that
// Kubernetes makes for a service named recap are left out.
func UnknownEnv(environ []string) []Warning {
	known := []string{"RECAP_CONFIG", "RECAP_UPSTREAM", "RECAP_TENANT_KEY"}
	for _, k := range Keys() {
		known = append(known, k.Env())
	}
	var out []Warning
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "RECAP_") || value == "" || slices.Contains(known, name) ||
			strings.HasPrefix(name, "RECAP_PORT") || strings.HasPrefix(name, "RECAP_SERVICE_") {
			continue
		}
		text := name + ": names no setting"
		if near := nearest(name, known); near != "" {
			text += "; did you mean " + near + "?"
		}
		out = append(out, Warning(text))
	}
	return out
}
