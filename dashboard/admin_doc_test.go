package dashboard_test

import (
	"bufio"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recap/chat"
	"recap/compaction"
	"recap/dashboard"
	"recap/stats"
)

// page is docs/admin.md: the rows of each section's table, by its title.
type page map[string][][2]string // field and type

var row = regexp.MustCompile("^\\| (?:`([A-Za-z_]+)`|\\((all) of [a-z]+\\)) \\| ([^|]*)\\|")

func readPage(t *testing.T) page {
	t.Helper()
	text, err := os.ReadFile("../docs/admin.md")
	if err != nil {
		t.Fatal(err)
	}
	p, title := page{}, ""
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			title = strings.TrimSpace(strings.TrimLeft(line, "#"))
		} else if m := row.FindStringSubmatch(line); m != nil {
			p[title] = append(p[title], [2]string{m[1], strings.TrimSpace(m[3])})
		}
	}
	return p
}

// fields are the names that a section tells of, those of nested objects behind a dot.
func (p page) fields(title, under string, into map[string]bool) map[string]bool {
	for _, r := range p[title] {
		name, kind := under+r[0], strings.TrimPrefix(r[1], "list of ")
		if kind == "any" {
			kind = ""
		}
		switch {
		case r[0] == "":
			p.fields(kind, under, into)
		case p[kind] != nil:
			p.fields(kind, name+".", into)
		default:
			into[name] = true
		}
	}
	return into
}

// names are the fields of a JSON value, in the same form; what stands under a name of opaque is not looked into.
func names(value any, under string, opaque []string, into map[string]bool) map[string]bool {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			_, object := inner.(map[string]any)
			list, array := inner.([]any)
			nested := object || array && len(list) > 0 && isObject(list[0])
			if !nested || slices.Contains(opaque, key) {
				into[under+key] = true
				continue
			}
			names(inner, under+key+".", opaque, into)
		}
	case []any:
		for _, inner := range v {
			names(inner, under, opaque, into)
		}
	}
	return into
}

func isObject(v any) bool { _, ok := v.(map[string]any); return ok }

func same(t *testing.T, what string, told, sent map[string]bool) {
	t.Helper()
	for name := range told {
		if !sent[name] {
			t.Errorf("%s: docs/admin.md tells of %s, which is not sent", what, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		if !told[name] {
			t.Errorf("%s: %s is sent, docs/admin.md does not tell of it", what, name)
		}
	}
	if len(sent) == 0 {
		t.Errorf("%s: nothing was sent", what)
	}
}

// TestAdminPageTellsTheTruth compares each field of the page with a real answer, both ways.
func TestAdminPageTellsTheTruth(t *testing.T) {
	s := serve(t, dashboard.Options{Version: "1", Explain: func(context.Context, dashboard.Question) (any, error) {
		return compaction.Explanation{Reason: "x", JobCovers: 4, JobBase: 2, Why: []string{"x"}}, nil
	}})
	key := chat.Seed("full", "", "")
	full := chat.Checkpoint{Key: key, Parent: s.key, Lineage: s.key, To: 42, Text: "text", Ledger: "ledger"}
	if _, err := s.store.Put(t.Context(), full); err != nil {
		t.Fatal(err)
	}
	s.key = key
	id := s.talkOf("label")
	p := readPage(t)
	f := func(method, title, path string, opaque ...string) {
		t.Helper()
		code, body := s.ask(t, method, path, "{}")
		var sent any
		if err := json.Unmarshal([]byte(body), &sent); code != 200 || err != nil {
			t.Errorf("%s: %d %s", path, code, body)
		}
		same(t, title, p.fields(method+" "+title, "", map[string]bool{}), names(sent, "", opaque, map[string]bool{}))
	}
	f("GET", "/healthz", "/healthz")
	f("GET", "/readyz", "/readyz")
	f("GET", "/api/sessions", "/api/sessions")
	f("GET", "/api/sessions/{id}", "/api/sessions/"+id.String())
	f("GET", "/api/checkpoints", "/api/checkpoints")
	f("GET", "/api/checkpoints/{key}", "/api/checkpoints/"+key.String())
	f("POST", "/api/explain", "/api/explain", "levels", "trims", "candidates")
}

var metric = regexp.MustCompile("[`\"](recap_[a-z_]+)")

// TestAdminPageTellsTheMetrics compares the page's metrics with those that stats makes.
func TestAdminPageTellsTheMetrics(t *testing.T) {
	files, err := filepath.Glob("../stats/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no source: %v", err)
	}
	made := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range metric.FindAllSubmatch(source, -1) {
			made[string(m[1])] = true
		}
	}
	same(t, "metrics", readPage(t).fields("GET /metrics", "", map[string]bool{}), made)
}

// TestAdminPageTellsTheEvents compares the page's events with those that are streamed.
func TestAdminPageTellsTheEvents(t *testing.T) {
	s := serve(t, dashboard.Options{})
	p := readPage(t)
	f := func(title string, tell func()) {
		t.Helper()
		resp, err := http.Get(s.url + "/api/events")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		tell()
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			var e map[string]any
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Error(err)
			}
			same(t, title, p.fields(title, "", map[string]bool{}), names(e["data"], "", nil, map[string]bool{}))
			return
		}
	}
	f("event exchange", func() { s.stats.Exchange(stats.Exchange{}) })
	f("event summary.queued, summary.started, summary.ready, summary.failed, summary.dropped", func() {
		s.stats.Summary(stats.SummaryFailed, stats.Summary{Reason: "x", Spent: stats.Spend{Calls: 1}})
	})
}
