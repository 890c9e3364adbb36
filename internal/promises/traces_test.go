package promises_test

import (
	"os"
	"strings"
	"testing"

	"recap/config"
	"recap/internal/fakellm"
)

// The real agent runs of the library, through the whole proxy: no request is refused by the strict upstream, and
// everything kept is what the client sent. Each run is replayed at one of three windows, in turn; with RECAP_FULL set (CI
// does that) at all of them.
func TestTraces(t *testing.T) {
	traces, err := fakellm.Traces("../../../shared/traces")
	if err != nil || len(traces) == 0 {
		t.Skip("no traces here: ../shared is not beside the project")
	}
	for w, window := range []int{16_384, 32_768, 131_072} {
		for i, trace := range traces {
			if i%3 != w && (underRace || os.Getenv("RECAP_FULL") == "") {
				continue
			}
			t.Run(sizeName(window)+"/"+trace.Name, func(t *testing.T) {
				t.Parallel()
				replay(t, window, &trace)
			})
		}
	}
}

func sizeName(window int) string {
	return map[int]string{16_384: "16k", 32_768: "32k", 131_072: "128k"}[window]
}

func replay(t *testing.T, window int, trace *fakellm.Trace) {
	r := newRig(t, window, fakellm.Options{}, func(c *config.Config) {
		p := &c.Summarization.ContextPruning
		p.Enabled, p.Strategy = true, "budget"
	})
	statuses := map[string]int{}
	for i, point := range trace.Points() {
		body := trace.Body("openai", point)
		a := r.chat("openai", body)
		if a.code != 200 {
			t.Fatalf("point %d: %d %.200s", point, a.code, a.body)
		}
		// The upstream judges each body; that all kept messages are the client's is looked at where the prefix
		// moves and now and then: comparing costs more than all the rest.
		if i%8 == 0 || strings.Contains(a.status(), "broke-prefix") {
			if err := fakellm.CheckKept("openai", body, r.sent()); err != nil {
				t.Fatalf("point %d (%s): %v", point, a.status(), err)
			}
		}
		word, _, _ := strings.Cut(a.status(), ";")
		statuses[word]++
	}
	r.settle()
	if refusals := r.up.Refusals(); len(refusals) > 0 {
		t.Errorf("%d refusals, first: %s", len(refusals), refusals[0])
	}
	t.Logf("%v, %d summaries", statuses, len(r.up.Summaries()))
}
