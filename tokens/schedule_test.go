package tokens_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"recap/tokens"
)

// trip is a network of one server.
type trip func(*http.Request) (int, string)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) {
	status, body := f(r)
	if status == 0 {
		return nil, errors.New("down")
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// Numbers are asked again after a while, and with growing pauses while nobody answers.
func TestProbesAreRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rounds, window, down := 0, "2048", false
		w := tokens.NewWindows(nil, &http.Client{Transport: trip(func(r *http.Request) (int, string) {
			if r.URL.Path == "/api/ps" && down {
				rounds++
			}
			if r.URL.Path != "/props" || down {
				return 0, ""
			}
			rounds++
			return http.StatusOK, `{"default_generation_settings":{"n_ctx":` + window + `}}`
		})})
		defer w.Close()
		a := tokens.Ask{Upstream: "u", URL: "http://h", Model: "ghost"}
		at := func(pause time.Duration, wantRounds, wantSize int) {
			t.Helper()
			time.Sleep(pause)
			w.Lookup(a)
			synctest.Wait()
			if got := w.Lookup(a).Size; got != wantSize || rounds != wantRounds {
				t.Errorf("%d rounds and window %d, want %d and %d", rounds, got, wantRounds, wantSize)
			}
		}
		at(0, 1, 2048)
		at(30*time.Second, 1, 2048)
		window = "4096"
		at(40*time.Second, 2, 4096)
		down = true
		at(2*time.Minute, 3, 4096) // what was known stays
		at(20*time.Second, 3, 4096)
		at(20*time.Second, 4, 4096)
		at(40*time.Second, 4, 4096)
		at(30*time.Second, 5, 4096)
		down = false
		at(15*time.Minute, 6, 4096)
	})
}

// A learned limit fades: servers are restarted with other settings.
func TestLearnedLimitFades(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := tokens.NewWindows([]tokens.Model{{Match: "*", ContextWindow: 8000}}, &http.Client{})
		defer w.Close()
		w.Learn("u", "m", 4000)
		a := tokens.Ask{Upstream: "u", Model: "m"}
		time.Sleep(5 * time.Hour)
		if got := w.Lookup(a).Size; got != 4000 {
			t.Errorf("after five hours %d, want 4000", got)
		}
		time.Sleep(2 * time.Hour)
		if got := w.Lookup(a).Size; got != 8000 {
			t.Errorf("after seven hours %d, want 8000", got)
		}
	})
}
