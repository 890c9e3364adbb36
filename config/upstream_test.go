package config_test

import (
	"testing"

	"recap/config"
)

func TestPickUpstream(t *testing.T) {
	c := mustRead(t, `
upstreams:
  - {name: main, url: http://a}
  - {name: gpt, url: http://b, models: ["gpt-*", "openai/*"]}
  - {name: lan, url: http://c, hosts: [ollama.lan, "10.0.0.7:8787", "::1"]}
  - {name: lan-qwen, url: http://d, hosts: [OLLAMA.lan], models: ["qwen*"]}
`, env())
	f := func(want, host, model string) {
		t.Helper()
		i, ok := c.PickUpstream(host, model)
		if !ok || c.Upstreams[i].Name != want {
			t.Errorf("host %q, model %q: %d, %t, want %s", host, model, i, ok, want)
		}
	}
	f("main", "", "")
	f("main", "localhost:8787", "llama3")
	f("gpt", "localhost:8787", "gpt-5")
	f("gpt", "localhost:8787", "openai/gpt/5")
	f("lan-qwen", "localhost", "qwen3:4b")
	f("lan", "ollama.lan", "")
	f("lan", "Ollama.LAN:11434", "llama3")
	f("lan", "ollama.lan", "gpt-5") // Host goes first
	f("lan-qwen", "ollama.lan", "qwen3:4b")
	f("lan", "10.0.0.7:8787", "")
	f("main", "10.0.0.7:1", "")
	f("lan", "[::1]:8787", "")
	f("main", "evil.example", "")
	if _, ok := (&config.Config{}).PickUpstream("h", "m"); ok {
		t.Error("picked one of none")
	}
}
