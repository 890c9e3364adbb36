package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recap/cache"
	"recap/chat"
	"recap/cli"
	"recap/config"
)

// result is what a run left behind.
type result struct {
	code     int
	out, err string
}

// run runs recap in an empty working directory.
func run(t *testing.T, environ []string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := cli.Run(args, strings.NewReader(""), &out, &errs, environ)
	return result{code, out.String(), errs.String()}
}

// want checks the code, and that out and err hold the texts.
func (r result) want(t *testing.T, code int, out, err string) {
	t.Helper()
	if r.code != code || !strings.Contains(r.out, out) || !strings.Contains(r.err, err) {
		t.Errorf("exit %d, out %q, err %q; want %d, %q, %q", r.code, r.out, r.err, code, out, err)
	}
}

func TestExitCodesAndHelp(t *testing.T) {
	t.Chdir(t.TempDir())
	run(t, nil).want(t, 0, "Commands:", "")
	run(t, nil, "--help").want(t, 0, "recap serve --upstream http://127.0.0.1:11434", "")
	run(t, nil, "config", "print", "--help").want(t, 0, "Usage: recap config print", "")
	run(t, nil, "version").want(t, 0, "recap ", "")
	run(t, nil, "frobnicate").want(t, 2, "", "recap: unexpected argument frobnicate")
	run(t, nil, "config", "check", "--listn", "x").want(t, 2, "", `did you mean "--listen"`)
	run(t, nil, "config").want(t, 2, "", "expected one of")
	run(t, nil, "explain").want(t, 2, "", "<file>")
	run(t, nil, "checkpoints", "list", "--format", "xml").want(t, 2, "", "--format")
	run(t, nil, "serve", "--listen", "nonsense").want(t, 2, "", "--listen: listen: want host:port or unix:/path")
}

// F1: `config check` finds what serve would, and says where.
func TestF1ConfigCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, nil, "config", "check").want(t, 0, "no file, the defaults: ok\n", "")
	write("recap.yaml", "sumarization:\n  enabled: true\n")
	const fault = "recap: recap.yaml:1:1: sumarization: unknown key; did you mean summarization?\n"
	run(t, nil, "config", "check").want(t, 2, "", fault)
	run(t, nil, "serve").want(t, 2, "", fault)
	write("other.yaml", "log: {level: warn}\n")
	run(t, nil, "config", "check", "other.yaml").want(t, 0, "other.yaml: ok\n", "")
	run(t, nil, "config", "check", "--config", "other.yaml").want(t, 0, "other.yaml: ok\n", "")
	run(t, nil, "config", "check", "other.yaml", "--upstream", "http://h/v1/chat/completions").want(t, 2, "", "is the address of one endpoint")
	run(t, []string{"RECAP_CONFIG=other.yaml"}, "config", "check").want(t, 0, "other.yaml: ok\n", "")
	run(t, []string{"RECAP_CONFIG=other.yaml"}, "config", "check", "--config", "gone.yaml").want(t, 2, "", "gone.yaml: no such file")
	run(t, []string{"RECAP_CONFIG=gone.yaml"}, "config", "check").want(t, 2, "", "gone.yaml: no such file")
	run(t, []string{"RECAP_LISTN=1"}, "config", "check", "other.yaml").want(t, 0, "ok", "recap: warning: RECAP_LISTN: names no setting; did you mean RECAP_LISTEN?")
}

func TestPrecedenceOnTheCommandLine(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("recap.yaml", []byte("log: {level: warn}\nadmin: {token: hunter2}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, nil, "config", "print").want(t, 0, "level: warn  # recap.yaml:1:14", "")
	byEnv := []string{"RECAP_LOG_LEVEL=info", "RECAP_LOG_LEVEL=error"}
	run(t, byEnv, "config", "print").want(t, 0, "level: error  # RECAP_LOG_LEVEL", "")
	run(t, byEnv, "config", "print", "--log-level", "debug").want(t, 0, "level: debug  # --log-level", "")
	run(t, byEnv, "--log-level=debug", "config", "print").want(t, 0, "level: debug", "")
	run(t, byEnv, "config", "print", "--set", "log.level=debug").want(t, 0, "level: debug  # --set", "")
	run(t, nil, "config", "print", "--set", "secret").want(t, 2, "", "read --set: want KEY=VALUE, like log.level=debug")
	run(t, nil, "config", "print", "--set", "zebra=1").want(t, 2, "", "--set: zebra: unknown key; recap config print shows all there are")
	run(t, nil, "config", "print", "--set", "models[0].match=x").want(t, 2, "", "unknown key; a list is given whole: models=[…]")
	run(t, nil, "config", "print", "--store", "memory", "--admin", "127.0.0.1:1", "--upstream", "gpu=http://a", "--upstream", "http://b").
		want(t, 0, "- name: gpu", "")
	run(t, nil, "config", "print", "--admin", "").want(t, 0, `listen: ""  # --admin`, "")
	if r := run(t, nil, "config", "print"); strings.Contains(r.out, "hunter2") || !strings.Contains(r.out, `token: "(set)"`) {
		t.Errorf("config print shows a token: %s", r.out)
	}
}

// Flags exist for every file key.
func TestEveryKeyIsAFlag(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, k := range config.Keys() {
		if k.Kind == config.Group {
			continue
		}
		r := run(t, nil, "config", "check", "--"+k.Flag()+"=%")
		if strings.Contains(r.err, "unknown flag") || r.code != 0 && !strings.Contains(r.err, "--"+k.Flag()+": ") {
			t.Errorf("--%s: exit %d, %s", k.Flag(), r.code, r.err)
		}
	}
}

func TestSchemaAndImport(t *testing.T) {
	t.Chdir(t.TempDir())
	var schema map[string]any
	if r := run(t, nil, "config", "schema"); json.Unmarshal([]byte(r.out), &schema) != nil || schema["$schema"] == nil {
		t.Errorf("schema: %+v", r)
	}
	// L25
	if err := os.WriteFile("librechat.yaml", []byte("version: 1\nendpoints: {custom: [{name: A, summarize: true, summaryModel: m}]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := run(t, nil, "config", "import", "librechat.yaml")
	r.want(t, 0, "summarization:\n  model: m\n  enabled: true\n", "endpoints.custom[0].summaryModel (A): gone; it is summarization.model now")
	if err := os.WriteFile("recap.yaml", []byte(r.out), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, nil, "config", "check").want(t, 0, "recap.yaml: ok", "")
	run(t, nil, "config", "import", "gone.yaml").want(t, 1, "", "read librechat.yaml: ")
}

func TestCheckpoints(t *testing.T) {
	t.Chdir(t.TempDir())
	file := filepath.Join(t.TempDir(), "recap.db")
	run(t, nil, "checkpoints", "list", "--store", file).want(t, 1, "", "there is no file "+file)
	run(t, nil, "checkpoints", "list", "--store", "memory").want(t, 1, "", "store.kind is memory")
	// The store stays open, as a proxy that runs would have it.
	store, err := cache.Open(context.Background(), cache.Options{Kind: "sqlite", Path: file})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	keys := []chat.Key{{0xab, 0xcd, 1}, {0xab, 0xcd, 2}, {0xff, 0xee, 3}}
	for i, key := range keys {
		if _, err := store.Put(context.Background(), chat.Checkpoint{
			Key: key, Tenant: "t", Upstream: "local", From: 1, To: 4 + i, RowFrom: 1,
			Text: fmt.Sprintf("summary %d", i), Ledger: "ledger", Tokens: 10, LedgerTokens: 5, Windows: []int{8192},
		}); err != nil {
			t.Fatal(err)
		}
	}
	at := func(args ...string) result { t.Helper(); return run(t, nil, append(args, "--store", file)...) }
	at("checkpoints", "list").want(t, 0, "1–6", "")
	at("checkpoints", "list").want(t, 0, "sent", "")
	var rows []map[string]any
	if r := at("checkpoints", "list", "--format", "json", "--limit", "2"); json.Unmarshal([]byte(r.out), &rows) != nil || len(rows) != 2 {
		t.Errorf("list as JSON: %+v", r)
	}
	at("checkpoints", "show", "ffee").want(t, 0, "summary 2\n\nledger", "")
	at("checkpoints", "show", keys[0].String(), "--format", "json").want(t, 0, `"text": "summary 0"`, "")
	at("checkpoints", "show", "abcd").want(t, 1, "", "2 keys begin with abcd")
	at("checkpoints", "show", "zz").want(t, 2, "", "want 32 hexadecimal digits")
	at("checkpoints", "show", "1234").want(t, 1, "", "no such key")
	at("checkpoints", "pin", "ffee").want(t, 0, "pinned", "")
	at("checkpoints", "list").want(t, 0, "sent,pinned", "")
	at("checkpoints", "pin", "ffee", "--off").want(t, 0, "not pinned", "")
	at("checkpoints", "delete", "ffee", "0000").want(t, 1, "", "no such key")
	at("checkpoints", "delete", "ffee", "abcd01").want(t, 0, keys[0].String()+" deleted", "")
	if r := at("checkpoints", "list"); strings.Count(r.out, "\n") != 2 {
		t.Errorf("one is left, got %s", r.out)
	}
}

func TestHealthcheck(t *testing.T) {
	t.Chdir(t.TempDir())
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	run(t, nil, "healthcheck", "--url", server.URL+"/healthz").want(t, 0, "ok\n", "")
	run(t, []string{"RECAP_ADMIN_LISTEN=127.0.0.1:" + port}, "healthcheck").want(t, 0, "ok\n", "")
	run(t, []string{"RECAP_ADMIN_LISTEN=0.0.0.0:" + port, "RECAP_ADMIN_TOKEN=t"}, "healthcheck").want(t, 0, "ok\n", "")
	status = http.StatusServiceUnavailable
	run(t, nil, "healthcheck", "--url", server.URL+"/healthz").want(t, 1, "", "answers 503")
	run(t, nil, "healthcheck", "--url", "http://127.0.0.1:1/healthz").want(t, 1, "", "; admin.listen or --url says where to ask")
	run(t, nil, "healthcheck", "--url", "127.0.0.1:8788").want(t, 2, "", "read --url: want a URL like http://127.0.0.1:8788/healthz")
	run(t, nil, "healthcheck", "--admin", "").want(t, 1, "", "admin.listen is empty, so there is nothing to ask; set it, or give --url")
}

func TestHealthcheckOverUnixSocket(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	socket := filepath.Join(dir, "admin.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip("no unix sockets here")
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {})}
	go server.Serve(l)
	defer server.Close()
	run(t, []string{"RECAP_ADMIN_LISTEN=unix:" + socket}, "healthcheck").want(t, 0, "ok\n", "")
}
