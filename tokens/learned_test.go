package tokens_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"recap/tokens"
)

// A refusal without a number teaches what the upstream has told, else what was refused; one about a request's own num_ctx
// teaches nothing about others.
func TestTooLongWithoutANumber(t *testing.T) {
	_, url := serve(t, map[string]string{"/props": `{"default_generation_settings":{"n_ctx":2048}}`})
	told := tokens.Ask{Upstream: "u", URL: url, Model: "m"}
	f := func(a tokens.Ask, file, said, sent, want int, source string) {
		t.Helper()
		w := newWindows(t, tokens.Model{Match: "*", ContextWindow: file})
		if a.URL != "" {
			for deadline := time.Now().Add(time.Minute); w.Told(a) == 0 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				w.Lookup(a)
			}
		}
		w.TooLong(a, w.Lookup(a).Size, said, sent)
		if got := w.Lookup(a); got.Size != want || got.Source != source {
			t.Errorf("%+v: told %d of %d sent: got %+v, want %d by %s", a, said, sent, got, want, source)
		}
	}
	plain := tokens.Ask{Upstream: "v", Model: "m"}
	own := tokens.Ask{Upstream: "v", Model: "m", Native: true, NumCtx: 32768}
	f(told, 100_000, 0, 5000, 2048, "learned")    // the file was wrong, the upstream has said so
	f(told, 100_000, 4096, 5000, 4096, "learned") // its refusal is newer
	f(plain, 100_000, 0, 5000, 5000, "learned")
	f(plain, 4000, 0, 5000, 4000, "config") // it was known not to fit
	f(plain, 4000, 9000, 5000, 4000, "config")
	f(plain, 4000, 100, 5000, 4000, "config") // nobody has such a window
	f(own, 100_000, 0, 5000, 32768, "request")
	f(own, 100_000, 32768, 40000, 32768, "request")
	f(own, 100_000, 8192, 9000, 8192, "learned") // clamped
}

// B3: what was learned of the window that Ollama allocates by itself says nothing about a request that sets its own, and
// the other way round.
func TestB3LearnedLimitsKeepApart(t *testing.T) {
	w := newWindows(t)
	a := tokens.Ask{Upstream: "u", Model: "m", Native: true}
	own := a
	own.NumCtx = 32768
	w.Cut(a, 4096)
	f := func(a tokens.Ask, want tokens.Window) {
		t.Helper()
		if got := w.Lookup(a); got != want {
			t.Errorf("%+v: got %+v, want %+v", a, got, want)
		}
	}
	f(own, tokens.Window{Size: 32768, Source: "request"})
	w.Cut(a, 2048)
	f(a, tokens.Window{Size: 2048, Source: "learned", Cut: true})
	a.Override = 9000 // caps the header too
	f(a, tokens.Window{Size: 2048, Source: "learned", Cut: true})
	again := newWindows(t)
	if err := again.Import(w.Export()); err != nil { // a restart forgets none of it
		t.Fatal(err)
	}
	w = again
	f(a, tokens.Window{Size: 2048, Source: "learned", Cut: true})
	f(own, tokens.Window{Size: 32768, Source: "request"})
	w.Fits(own, 20_000)
	f(a, tokens.Window{Size: 2048, Source: "learned", Cut: true})
	w.Fits(a, 2048)
	f(a, tokens.Window{Size: 2048, Source: "learned", Cut: true})
	w.Fits(a, 3000) // the upstream read more: it was restarted with a larger window
	f(a, tokens.Window{Size: 9000, Source: "header"})
}

// P3: by default nobody waits for a probe; with Ask.Wait the first request of a model does, no longer than that, and the
// next ones do not.
func TestP3OnlyTheFirstLookupWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := 2 * time.Second
		w := tokens.NewWindows(nil, &http.Client{Transport: trip(func(r *http.Request) (int, string) {
			if r.URL.Path != "/props" {
				return 0, ""
			}
			select {
			case <-time.After(slow):
			case <-r.Context().Done():
				return 0, ""
			}
			return http.StatusOK, `{"default_generation_settings":{"n_ctx":2048}}`
		})})
		defer w.Close()
		f := func(model string, wait, took time.Duration, want int) {
			t.Helper()
			start := time.Now()
			got := w.Lookup(tokens.Ask{Upstream: "u", URL: "http://h", Model: model, Wait: wait})
			if got.Size != want || time.Since(start) != took {
				t.Errorf("%s: %+v after %v, want %d after %v", model, got, time.Since(start), want, took)
			}
		}
		f("ghost", 0, 0, 0)
		f("ghost", time.Minute, slow, 2048) // joins the probe that is under way
		f("ghost", time.Minute, 0, 2048)
		f("other", time.Second, time.Second, 0)
		time.Sleep(10 * time.Second)
		f("other", time.Second, 0, 2048)
		f("gpt-4", time.Minute, slow, 2048) // a guess is worth the wait
		slow = time.Hour
		f("late", 0, 0, 0)
		f("late", time.Second, time.Second, 0)
		time.Sleep(time.Minute) // the probe has failed
		f("late", time.Second, 0, 0)
	})
}

// The window is asked for again after an answer of a model that was loaded for it, or that goes by another name; a server
// that does not answer is not asked each time.
func TestRefreshAfterAModelChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, window, down := 0, "2048", false
		w := tokens.NewWindows(nil, &http.Client{Transport: trip(func(r *http.Request) (int, string) {
			if r.URL.Path != "/props" {
				return 0, ""
			}
			asked++
			if down {
				return 0, ""
			}
			return http.StatusOK, `{"default_generation_settings":{"n_ctx":` + window + `}}`
		})})
		defer w.Close()
		a := tokens.Ask{Upstream: "u", URL: "http://h", Model: "ghost"}
		f := func(answered string, loaded bool, wantAsked, want int) {
			t.Helper()
			w.Refresh(a, answered, loaded)
			synctest.Wait()
			if got := w.Lookup(a); got.Size != want || asked != wantAsked {
				t.Errorf("answered by %q: %+v after %d probes, want %d after %d", answered, got, asked, want, wantAsked)
			}
		}
		f("one", false, 1, 2048)
		f("one", false, 1, 2048)
		window = "8192"
		f("", false, 1, 2048)
		f("two", false, 2, 8192)
		f("two", false, 2, 8192)
		window = "4096"
		f("two", true, 3, 4096)
		down = true
		f("two", true, 5, 4096) // in its own way, then in every way
		f("two", true, 5, 4096)
		f("three", true, 5, 4096)
		time.Sleep(time.Minute)
		down = false
		f("three", true, 6, 4096)
	})
}

// A server that takes long never holds up more than one lookup's wait, whoever asks.
func TestWaitEndsWithWindows(t *testing.T) {
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer silent.Close()
	defer close(release)
	w := tokens.NewWindows(nil, nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Lookup(tokens.Ask{Upstream: "u", URL: silent.URL, Model: "m", Wait: time.Hour})
	}()
	time.Sleep(10 * time.Millisecond)
	w.Close()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("a lookup still waits after Close")
	}
}
