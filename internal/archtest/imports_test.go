package archtest

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// row is one line of the import table of design.md §8.
type row struct {
	pkg string
	may string // packages of ours that it may import, space-separated
	why string // there are no others
}

// layers is the import table. Imports run downwards only; a package that is not in the table may not exist.
var layers = []row{
	{"chat", "", "the nouns must fit every format, store and upstream, so they know none of them"},
	{"stats", "chat", "whatever happens is told to stats; it asks nobody back"},
	{"tokens", "chat", "a count depends on the text and the model alone"},
	{"tokens/maketable", "", "makes tokens/models.csv of the list beside it, before anything is built"},
	{"proxy", "", "the relay knows no chats: it must work when everything else fails"},
	{"dialect", "chat", "a format is read and spliced; what should happen to a chat is decided elsewhere"},
	{"pruning", "chat tokens", "pure: which results get shorter depends on the messages and the settings"},
	{"cache", "chat", "a store keeps checkpoints and does not know who asks"},
	{"cache/cachetest", "cache chat", "the conformance suite sees what every user of a store sees"},
	{"summarizer", "cache chat dialect pruning tokens", "a job outlives its request, so it may hold nothing of the HTTP side"},
	{"compaction", "cache chat pruning summarizer tokens", "the decision is a pure function; it neither reads bodies nor sends them"},
	{"config", "cache chat proxy pruning summarizer tokens", "options live beside their feature; config only composes them"},
	{"middleware", "cache chat compaction config dialect pruning stats summarizer tokens", "the chain must run in front of any handler, so it never names the proxy"},
	{"dashboard", "cache chat compaction config stats", "the admin side looks on; it is no part of a request's path"},
	{"cli", "cache chat compaction config dashboard dialect internal/fakellm middleware proxy pruning stats summarizer tokens", "the place where everything is put together"},
	{".", "cli", "main is an exit code"},
	{"internal/fakellm", "", "a judge that shares code with what it judges shares its faults"},
	{"internal/chattest", "chat", "builds request bodies for tests of any layer"},
	{"internal/promises", "", "only tests: they see Recap as its users do, over HTTP"},
	{"internal/archtest", "", "reads source, runs nothing"},
	{"internal/section", "", "replaces a part of a page, whoever measured it"},
	{"bench", "cli internal/section", "measures the built binary from outside, as a user gets it; cli only for a copy that takes profiles"},
	{"eval", "cache chat cli compaction config dialect eval/measure eval/workload internal/fakellm internal/section pruning summarizer tokens", "sees the planner from inside and the proxy from outside; nothing of ours may need it"},
	{"eval/measure", "cache chat compaction dialect eval/workload internal/fakellm pruning summarizer tokens", "does what middleware does for one upstream, without HTTP"},
	{"eval/workload", "internal/fakellm", "histories are made without the code that they measure"},
	{"e2e", "", "drives the built binary from outside, as a user would"},
}

// ban forbids a package to reach another one, over any number of steps unless direct is set.
type ban struct {
	from   string // space-separated packages of ours
	to     string // space-separated import paths
	direct bool
	why    string
}

var bans = []ban{
	{
		from: "chat stats tokens dialect pruning cache summarizer compaction", to: "github.com/valyala/fasthttp",
		why: "fasthttp reuses its buffers; behind the border everything is an immutable string",
	},
	{
		from: "chat stats tokens dialect pruning cache summarizer compaction middleware proxy", to: "github.com/alecthomas/kong",
		why: "only the command line knows flags",
	},
	{
		from: "chat stats tokens dialect pruning cache summarizer compaction proxy", to: "github.com/goccy/go-yaml",
		why: "settings arrive as structs; how the file is written is config's business",
	},
	{
		from: "chat dialect pruning compaction", to: "net net/http os log log/slog database/sql", direct: true,
		why: "decide, then apply: a decision makes no calls, keeps no files and writes no log",
	},
	{
		from: "pruning compaction dialect", to: "time", direct: true,
		why: "the plan is a function of the messages, the settings, the window and the checkpoints (P7), not of the hour",
	},
	{
		from: "chat tokens dialect pruning compaction", to: "math/rand math/rand/v2", direct: true,
		why: "same input, same bytes (P7)",
	},
}

// homes says where each third-party library lives. Tests may use what they need.
var homes = map[string]row{
	"github.com/VictoriaMetrics/metrics":   {may: "stats", why: "the names of all metrics are in one place"},
	"github.com/alecthomas/kong":           {may: "cli", why: "only the command line knows flags"},
	"github.com/dgraph-io/ristretto/v2":    {may: "cache", why: "it forgets at will: never without the store behind it"},
	"github.com/goccy/go-yaml":             {may: "config", why: "one strict reader of the file"},
	"github.com/pkoukk/tiktoken-go":        {may: "tokens", why: "its traps (quadratic runs, downloads) are handled once"},
	"github.com/pkoukk/tiktoken-go-loader": {may: "tokens", why: "belongs to tiktoken-go"},
	"github.com/tidwall/gjson":             {may: "dialect", why: "only dialects read wire formats"},
	"github.com/tidwall/sjson":             {may: "dialect", why: "only dialects write wire formats"},
	"github.com/valyala/fasthttp":          {may: "proxy middleware dashboard cli internal/fakellm bench", why: "the HTTP border; bench is the bare relay that we are measured against"},
	"modernc.org/sqlite":                   {may: "cache", why: "one store, one schema"},
	"github.com/openai/openai-go/v3":       {may: "e2e", why: "the official client, in a module of its own so that Recap does not depend on it"},
}

// TestImportTable holds the import table of design.md §8.
func TestImportTable(t *testing.T) { report(t, checkLayers(house(t), layers)) }

// TestBannedImports prints the chain by which a package reaches what it must not.
func TestBannedImports(t *testing.T) { report(t, checkBans(house(t), bans)) }

// TestOneHomePerLibrary keeps each third-party library replaceable by a change in one place.
func TestOneHomePerLibrary(t *testing.T) { report(t, checkHomes(house(t), homes)) }

// imports returns what each package imports outside its tests: ours by folder, others by path.
func imports(tr *tree) map[string][]string {
	graph := map[string][]string{}
	for _, f := range tr.code() {
		for _, spec := range f.ast.Imports {
			to, _ := strconv.Unquote(spec.Path.Value)
			if to == tr.module {
				to = "."
			} else if rest, ours := strings.CutPrefix(to, tr.module+"/"); ours {
				to = rest
			}
			if !slices.Contains(graph[f.dir], to) {
				graph[f.dir] = append(graph[f.dir], to)
			}
		}
	}
	return graph
}

func checkLayers(tr *tree, table []row) (faults []string) {
	graph, dirs := imports(tr), tr.dirs()
	rows := map[string]row{}
	for _, r := range table {
		rows[r.pkg] = r
	}
	for _, dir := range dirs {
		r, ok := rows[dir]
		if !ok {
			faults = append(faults, fmt.Sprintf("%s is not in the import table: say what it may import, and why nothing else", dir))
			continue
		}
		for _, to := range graph[dir] {
			if slices.Contains(dirs, to) && !slices.Contains(strings.Fields(r.may), to) {
				faults = append(faults, fmt.Sprintf("%s → %s is not allowed: %s", dir, to, r.why))
			}
		}
	}
	return faults
}

func checkBans(tr *tree, list []ban) (faults []string) {
	graph := imports(tr)
	for _, b := range list {
		for _, from := range strings.Fields(b.from) {
			for _, to := range strings.Fields(b.to) {
				chain := reach(graph, from, to)
				if chain == nil || b.direct && len(chain) > 2 {
					continue
				}
				faults = append(faults, fmt.Sprintf("%s is not allowed: %s", strings.Join(chain, " → "), b.why))
			}
		}
	}
	return faults
}

// reach returns a shortest import chain from one package to a path or anything below it, nil when there is none.
// A library's sub-packages count as the library; the standard library's do not.
func reach(graph map[string][]string, from, to string) []string {
	chains, seen := [][]string{{from}}, map[string]bool{from: true}
	for len(chains) > 0 {
		chain := chains[0]
		chains = chains[1:]
		for _, next := range graph[chain[len(chain)-1]] {
			longer := append(slices.Clone(chain), next)
			if next == to || library(next) && strings.HasPrefix(next, to+"/") {
				return longer
			}
			if !seen[next] {
				seen[next] = true
				chains = append(chains, longer)
			}
		}
	}
	return nil
}

// library reports whether an import path is neither ours nor the standard library's.
func library(to string) bool {
	first, _, _ := strings.Cut(to, "/")
	return strings.Contains(first, ".") && path.Clean(to) != "."
}

func checkHomes(tr *tree, table map[string]row) (faults []string) {
	for dir, list := range imports(tr) {
		for _, to := range list {
			if !library(to) {
				continue
			}
			home, ok := homeOf(table, to)
			switch {
			case !ok:
				faults = append(faults, fmt.Sprintf("%s → %s: the library has no home yet; say where it lives and why", dir, to))
			case !slices.Contains(strings.Fields(home.may), dir):
				faults = append(faults, fmt.Sprintf("%s → %s is not allowed, its home is %s: %s", dir, to, home.may, home.why))
			}
		}
	}
	return faults
}

func homeOf(table map[string]row, to string) (row, bool) {
	for lib, home := range table {
		if to == lib || strings.HasPrefix(to, lib+"/") {
			return home, true
		}
	}
	return row{}, false
}
