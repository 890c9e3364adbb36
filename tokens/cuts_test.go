package tokens_test

import (
	"testing"

	"recap/tokens"
)

// A cut is learned from reports that stand still at a plausible size while the prompt grows, and from nothing else.
func TestCuts(t *testing.T) {
	a := tokens.Ask{Upstream: "u", Model: "m", Native: true}
	f := func(name string, want int, reports ...tokens.Report) {
		t.Helper()
		c := tokens.NewCuts()
		for i, r := range reports {
			got := c.Saw(a, r)
			if i < len(reports)-1 && got != 0 {
				t.Errorf("%s: report %d alone gives %d", name, i, got)
			}
			if i == len(reports)-1 && got != want {
				t.Errorf("%s: got %d, want %d", name, got, want)
			}
		}
	}
	r := func(sent, read, tail, told int) tokens.Report {
		return tokens.Report{Sent: sent, Talk: sent, Read: read, Tail: tail, Told: told}
	}
	deaf := func(sent, talk, read, told int) tokens.Report { // a template that knows no tools
		return tokens.Report{Sent: sent, Talk: talk, Read: read, Tail: 300, Told: told}
	}
	f("the window that was told, twice over", 4096, r(9000, 4000, 300, 4096))
	f("the window that was told, a little over", 4096, r(6000, 4000, 300, 4096), r(6200, 3900, 300, 4096))
	f("half of it, as the runner keeps", 4096, r(7900, 2050, 300, 4096), r(8000, 2050, 300, 4096))
	f("a power of two", 8192, r(12_000, 8190, 300, 0), r(13_000, 8100, 300, 0))
	f("half of one and two", 8192, r(12_000, 4098, 300, 0), r(13_000, 4098, 300, 0))
	f("an odd window, three times", 6000, r(9000, 5900, 300, 0), r(10_000, 6000, 300, 0), r(11_500, 5800, 300, 0))

	f("a template without tools", 0, deaf(9000, 2000, 2040, 0), deaf(12_000, 2000, 2040, 0), deaf(15_000, 2000, 2040, 0))
	f("tool results alone, but the window is told", 4096, deaf(7000, 1500, 4000, 4096), deaf(8000, 1500, 4000, 4096))
	f("once", 0, r(12_000, 8190, 300, 0))
	f("the same prompt twice", 0, r(12_000, 8190, 300, 0), r(12_000, 8190, 300, 0))
	f("an odd window, twice", 0, r(9000, 5900, 300, 0), r(11_000, 6000, 300, 0))
	f("a tokenizer that is better than we think", 0, r(6000, 4000, 300, 0), r(9000, 6000, 300, 0), r(12_000, 8000, 300, 0))
	f("the same, passing powers of two", 0, r(6100, 4050, 300, 0), r(12_200, 8100, 300, 0), r(24_400, 16_200, 300, 0))
	f("fits what was told", 0, r(4000, 2900, 300, 4096), r(4090, 2900, 300, 4096))
	f("only what was new", 0, r(9000, 1500, 1500, 0), r(10_500, 1500, 1500, 0), r(12_000, 1500, 1500, 0))
	f("only what was new, with a known window", 0, r(9000, 3000, 2900, 4096), r(12_000, 3000, 2900, 4096))
	f("only what was new, much at once", 0, r(9000, 1500, 200, 0), r(10_500, 1500, 200, 0), r(12_000, 1500, 200, 0))
	f("next to nothing", 0, r(9000, 26, 10, 4096), r(9000, 26, 10, 4096), r(12_000, 26, 10, 4096))
	f("all of it", 0, r(4000, 4000, 300, 4096), r(5000, 5000, 300, 4096))
	f("more than it is said to be able to", 0, r(6000, 4000, 300, 0), r(9000, 8000, 300, 0), r(9600, 4000, 300, 0))
}

// Models, and requests that set their own window, are suspected apart.
func TestCutsKeepApart(t *testing.T) {
	c := tokens.NewCuts()
	one := tokens.Report{Sent: 12_000, Talk: 12_000, Read: 8190}
	two := tokens.Report{Sent: 13_000, Talk: 13_000, Read: 8100}
	own := tokens.Ask{Upstream: "u", Model: "m", Native: true, NumCtx: 8192}
	for _, a := range []tokens.Ask{{Upstream: "u", Model: "m"}, {Upstream: "u", Model: "n"}, {Upstream: "v", Model: "m"}, own} {
		if got := c.Saw(a, one); got != 0 {
			t.Errorf("%+v: got %d", a, got)
		}
	}
	if got := c.Saw(own, two); got != 8192 {
		t.Errorf("got %d, want 8192", got)
	}
}
