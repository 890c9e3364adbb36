package promises_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recap/cli"
	"recap/config"
	"recap/internal/fakellm"
)

// `recap explain` finds the checkpoints of the credential that --header gives, and of no other.
func TestExplainCommandKnowsCredentials(t *testing.T) {
	dir := t.TempDir()
	file, store := filepath.Join(dir, "body.json"), filepath.Join(dir, "recap.db")
	r := newRig(t, 4096, fakellm.Options{}, func(cfg *config.Config) { cfg.Store.Kind, cfg.Store.Path = "sqlite", store })
	body := plain("", 22, 500, lastUser)
	r.chat("openai", body, "Authorization", "Bearer k")
	r.settle()
	if a := r.chat("openai", body, "Authorization", "Bearer k"); !strings.Contains(a.header.Get("X-Recap-Checkpoint"), "covers=") {
		t.Fatalf("%s: no checkpoint in use", a.status())
	}
	r.settle()
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(want string, code int, args ...string) {
		t.Helper()
		var out bytes.Buffer
		args = append([]string{"explain", file, "--store", store, "--window", "4096", "--upstream", r.up.URL()}, args...)
		if got := cli.Run(args, strings.NewReader(""), &out, &out, nil); got != code || !strings.Contains(out.String(), want) {
			t.Errorf("%v: exit %d, want %d and %q:\n%s", args, got, code, want, out.String())
		}
	}
	f("was already sent and stays in use", 0, "--header", "Authorization: Bearer k")
	f("no summary is there yet", 0)
	f("no summary is there yet", 0, "--header", "authorization:Bearer other")
	f("did you mean X-Recap-Pruning?", 2, "--header", "X-Recap-Prunning: on")
	f("want NAME: VALUE", 2, "--header", "Authorization")
}

// POST /api/explain reads a request's headers as the proxy does: refusals and credentials. The admin token is nobody's
// chat.
func TestExplainOverHTTPReadsHeadersAsTheProxyDoes(t *testing.T) {
	const token = "of-the-operator"
	r := newRig(t, 4096, fakellm.Options{}, func(cfg *config.Config) { cfg.Admin.Token = token })
	body := plain("", 22, 500, lastUser)
	for range 2 {
		r.chat("openai", body, "Authorization", "Bearer k")
		r.settle()
	}
	ask := func(header ...string) answer {
		t.Helper()
		a, err := do("POST", "http://"+r.app.AdminAddr()+"/api/explain", string(body), header...)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	f := func(code int, want string, header ...string) {
		t.Helper()
		if a := ask(header...); a.code != code || !strings.Contains(string(a.body), want) {
			t.Errorf("%v: %d %s, want %d and %q", header, a.code, a.body, code, want)
		}
	}
	f(401, "X-Recap-Admin-Token", "Authorization", "Bearer k")
	f(200, "no summary is there yet", "Authorization", "Bearer "+token)
	f(200, "was already sent and stays in use", "X-Recap-Admin-Token", token, "Authorization", "Bearer k")
	f(200, "no summary is there yet", "X-Recap-Admin-Token", token, "Authorization", "Bearer other")

	for _, bad := range [][]string{{"X-Recap-Prunning", "on"}, {"X-Recap-Keep-Turns", "many"}} {
		refused := r.chat("openai", body, bad...)
		a := ask(append(bad, "Authorization", "Bearer "+token)...)
		if got, want := "recap: "+said(t, a.body), said(t, refused.body); refused.code != 400 || a.code != 400 || got != want {
			t.Errorf("%v: explained %d %q, sent %d %q", bad, a.code, got, refused.code, want)
		}
	}
}

// The admin token is no upstream's business, not even when a window is asked for on behalf of an explanation.
func TestExplainKeepsTheAdminToken(t *testing.T) {
	const token = "of-the-operator"
	r := newRig(t, 0, fakellm.Options{Window: 4096}, func(cfg *config.Config) { cfg.Admin.Token = token })
	for _, name := range []string{"Authorization", "X-Recap-Admin-Token"} {
		value := token
		if name == "Authorization" {
			value = "Bearer " + token
		}
		a, err := do("POST", "http://"+r.app.AdminAddr()+"/api/explain", string(plain("", 22, 500, lastUser)), name, value)
		if err != nil || a.code != 200 {
			t.Fatalf("%v, %d %s", err, a.code, a.body)
		}
	}
	if len(r.up.Requests()) == 0 {
		t.Error("the upstream was not asked for its window")
	}
	for _, seen := range r.up.Requests() {
		if strings.Contains(seen.Header.Get("Authorization"), token) || seen.Header.Get("X-Recap-Admin-Token") != "" {
			t.Errorf("the upstream was told the admin token: %s", seen.Path)
		}
	}
}

// said is the message of an error.
func said(t *testing.T, body []byte) string {
	t.Helper()
	var told struct{ Error struct{ Message string } }
	if err := json.Unmarshal(body, &told); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return told.Error.Message
}

// Tenants named by a header, or by a key in the query, are explained as they are served.
func TestExplainKnowsTenantsByHeaderAndQuery(t *testing.T) {
	f := func(tenant, path string, header ...string) {
		t.Helper()
		r := newRig(t, 4096, fakellm.Options{}, func(cfg *config.Config) { cfg.Tenant = tenant })
		body := string(plain("", 22, 500, lastUser))
		for range 2 {
			r.do("POST", path, body, header...)
			r.settle()
		}
		explain := func(path string, header ...string) string {
			a, err := do("POST", "http://"+r.app.AdminAddr()+"/api/explain?path="+url.QueryEscape(path), body, header...)
			if err != nil {
				t.Fatal(err)
			}
			return string(a.body)
		}
		if said := explain(path, header...); !strings.Contains(said, "was already sent and stays in use") {
			t.Errorf("%s: %s", tenant, said)
		}
		if said := explain(paths["openai"]); !strings.Contains(said, "no summary is there yet") {
			t.Errorf("%s, somebody else: %s", tenant, said)
		}
	}
	f("header:X-User", paths["openai"], "X-User", "ann")
	f("credential", paths["openai"]+"?api_key=k")
}

// Explaining leaves no store behind where there was none.
func TestExplainCommandMakesNoStore(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	up := fakellm.New(fakellm.Options{})
	defer up.Close()
	var out bytes.Buffer
	code := cli.Run([]string{"explain", "-", "--window", "4096", "--upstream", up.URL()}, bytes.NewReader(plain("", 3, 50, lastUser)), &out, &out, nil)
	if code != 0 {
		t.Errorf("exit %d: %s", code, out.String())
	}
	if left, _ := os.ReadDir(os.Getenv("XDG_DATA_HOME")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
