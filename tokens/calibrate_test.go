package tokens_test

import (
	"fmt"
	"strings"
	"testing"

	"recap/chat"
	"recap/tokens"
)

// turn is a chat of about n tokens of Polish.
func turn(t testing.TB, n int) *chat.Chat {
	t.Helper()
	text := script(t, "polish")
	return openAI(t, "m", say("user", strings.Repeat(text, n/150+1)[:n*3]))
}

func observe(t testing.TB, k *tokens.Counter, c *chat.Chat, ratio float64) {
	t.Helper()
	s := k.Sizes(c, "u")
	k.Observe("u", "m", s.Sent(nil, &chat.Plan{}), int(float64(s.FixedTotal())*ratio+0.5))
}

func factor(t testing.TB, k *tokens.Counter) float64 {
	t.Helper()
	s := k.Sizes(turn(t, 2000), "u")
	return float64(s.Total()) / float64(s.FixedTotal())
}

func near(t testing.TB, what string, got, want float64) {
	t.Helper()
	if got < want-0.02 || got > want+0.02 {
		t.Errorf("%s: factor %.3f, want %.2f", what, got, want)
	}
}

func TestCalibrationFollowsReports(t *testing.T) {
	k := newCounter(t)
	near(t, "nothing observed", factor(t, k), 1)
	observe(t, k, turn(t, 500), 1.3)
	near(t, "one report", factor(t, k), 1.3)
	s := k.Sizes(turn(t, 2000), "another")
	if s.Total() != s.FixedTotal() {
		t.Error("another upstream took over the factor")
	}
	if got, want := s.Calibrated(1000), 1000; got != want {
		t.Errorf("Calibrated(1000) = %d, want %d", got, want)
	}
}

func TestCalibrationIsDeafToOutliers(t *testing.T) {
	k := newCounter(t)
	for i := range 5 {
		observe(t, k, turn(t, 500+100*i), 1.2)
	}
	observe(t, k, turn(t, 900), 2.9)
	observe(t, k, turn(t, 900), 2.5)
	near(t, "two outliers among seven", factor(t, k), 1.2)
}

// D11: one absurd report moves nothing, first or later: only what was not cached, nothing, ten times too much, the whole
// conversation's sum. Said three times and the same, a high one is believed,
// unless it is absurd.
func TestD11OneAbsurdReport(t *testing.T) {
	for _, absurd := range []float64{0.01, 0.3, 0, 2.5, 10, 1000} {
		k := newCounter(t)
		observe(t, k, turn(t, 800), absurd)
		near(t, fmt.Sprint(absurd, " first"), factor(t, k), 1)
		for i := range 4 {
			observe(t, k, turn(t, 600+100*i), 1.2)
		}
		observe(t, k, turn(t, 2000), absurd)
		near(t, fmt.Sprint(absurd, " later"), factor(t, k), 1.2)
		if absurd <= 2 {
			continue
		}
		observe(t, k, turn(t, 2000), absurd)
		observe(t, k, turn(t, 2100), absurd)
		want := 1.2
		if absurd < 6 {
			want = absurd
		}
		near(t, fmt.Sprint(absurd, " three times"), factor(t, k), want)
	}
}

// Bodies that nobody reads are weighed by a part of them and by what the upstream made of others, as deaf to outliers and
// as long as the rest.
func TestRoughFollowsReports(t *testing.T) {
	k := newCounter(t)
	body := strings.Repeat(script(t, "english"), 40)
	plain, sampled := k.Rough("u", "m", body)
	within(t, "nothing observed", plain, tokens.Estimate(body), 0.05)
	f := func(what string, k *tokens.Counter, share float64) {
		t.Helper()
		got, again := k.Rough("u", "m", body)
		within(t, what, got, int(share*float64(plain)), 0.001)
		if again != sampled {
			t.Errorf("%s: the part alone tells %d, then %d", what, sampled, again)
		}
	}
	k.ObserveRough("u", "m", 1000, 1200)
	f("one report", k, 1.2)
	k.ObserveRough("u", "m", 1000, 40_000)
	k.ObserveRough("u", "m", 1000, 100)
	k.ObserveRough("u", "m", 1000, 0)
	k.ObserveRough("u", "m", 8, 30)
	f("and absurd ones", k, 1.2)
	if got, _ := k.Rough("u", "another", body); got != plain {
		t.Errorf("another model: %d, want %d", got, plain)
	}
	fresh := newCounter(t)
	if err := fresh.Import(k.Export()); err != nil {
		t.Fatal(err)
	}
	f("after a restart", fresh, 1.2)
	if s := k.Sizes(turn(t, 500), "u"); s.Total() != s.FixedTotal() {
		t.Error("what bodies weigh changed what texts weigh")
	}
	short, _ := k.Rough("v", "m", `{"role":"user","content":"\u0437\u0434\u0440\u0430\u0432\u0441\u0442\u0432\u0443\u0439"}`)
	if long, _ := k.Rough("v", "m", `{"role":"user","content":"здравствуй"}`); short != long {
		t.Errorf("escaped %d, plain %d", short, long)
	}
}

func TestCalibrationIsBounded(t *testing.T) {
	k := newCounter(t)
	for range 8 {
		observe(t, k, turn(t, 800), 4)
	}
	near(t, "far too large", factor(t, k), 3)
}

// What teaches nothing: no report (D11), a tiny prompt, a prompt of images.
func TestD11MissingUsageTeachesNothing(t *testing.T) {
	k := newCounter(t)
	observe(t, k, turn(t, 800), 0)
	s := k.Sizes(openAI(t, "m", say("user", "hi")), "u")
	k.Observe("u", "m", s.Sent(nil, &chat.Plan{}), 40)
	image := openAI(t, "m", map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "text", "text": script(t, "english")},
		map[string]any{"type": "image_url", "image_url": map[string]any{"url": "https://example.org/a.png"}},
	}})
	s = k.Sizes(image, "u")
	k.Observe("u", "m", s.Sent(nil, &chat.Plan{}), 2600)
	near(t, "nothing usable", factor(t, k), 1)
}

// D11: the prompt's size counts once: neither the answer nor a sum over turns, and cached tokens are part of it.
func TestD11PromptOnly(t *testing.T) {
	k := newCounter(t)
	for i := 1; i <= 10; i++ {
		observe(t, k, turn(t, 300*i), 1)
	}
	near(t, "ten turns reported truly", factor(t, k), 1)
}

// B1: reports that stay at a ceiling while the prompt grows are a silent cut, not a small tokenizer.
func TestB1SilentCutIsNotLearned(t *testing.T) {
	k := newCounter(t)
	for i := range 3 {
		observe(t, k, turn(t, 1000+200*i), 1.1)
	}
	for i := range 20 {
		s := k.Sizes(turn(t, 7000+300*i), "u")
		k.Observe("u", "m", s.Sent(nil, &chat.Plan{}), 4090)
	}
	near(t, "after a cut", factor(t, k), 1.1)
}

// A first report that was wrong does not lock out the truth: small reports that grow with the prompt are believed.
func TestCalibrationRecovers(t *testing.T) {
	k := newCounter(t)
	for range 3 {
		observe(t, k, turn(t, 400), 2.5)
	}
	for i := range 8 {
		observe(t, k, turn(t, 600+200*i), 1.1)
	}
	near(t, "after eight that agree", factor(t, k), 1.1)
}

// The counted measure takes over as soon as it was observed.
func TestCountedMeasureIsCalibrated(t *testing.T) {
	k := newCounter(t)
	c := turn(t, 1000)
	s := learned(t, k, c)
	s = k.Sizes(c, "u")
	k.Observe("u", "m", s.Sent(nil, &chat.Plan{}), 3*s.Messages[0]/2)
	again := k.Sizes(c, "u")
	within(t, "the same prompt again", again.Total(), 3*s.Messages[0]/2, 0.01)
	other := openAI(t, "m", say("user", strings.Repeat(script(t, "english"), 5)))
	exact := learned(t, newCounter(t), other)
	learned(t, k, other)
	now := k.Sizes(other, "u")
	within(t, "another script", now.Total(), 3*exact.Total()/2, 0.02)
}

func TestExportImport(t *testing.T) {
	k := newCounter(t)
	observe(t, k, turn(t, 800), 1.4)
	saved := k.Export()
	if strings.Contains(string(saved), "jaźń") {
		t.Error("the calibration holds message text")
	}
	fresh := newCounter(t)
	if err := fresh.Import(saved); err != nil {
		t.Fatal(err)
	}
	near(t, "after a restart", factor(t, fresh), 1.4)
	if got := string(fresh.Export()); got != string(saved) {
		t.Errorf("exported again %s, want %s", got, saved)
	}
	f := func(data string, wantErr bool) {
		t.Helper()
		if err := newCounter(t).Import([]byte(data)); (err != nil) != wantErr {
			t.Errorf("Import(%s): %v", data, err)
		}
	}
	f("", true)
	f("{", true)
	f("[]", false)
	f(`[{"upstream":"u","model":"m","guess":{"kept":[{"ratio":-1,"sum":5},{"ratio":1,"sum":0}]}}]`, false)
}

// However many names a client invents, what is kept is bounded, and the oldest goes first.
func TestCalibrationsAreBounded(t *testing.T) {
	k := newCounter(t)
	s := k.Sizes(turn(t, 500), "u")
	for i := range 1200 {
		k.Observe("u", fmt.Sprintf("m%04d", i), s.Sent(nil, &chat.Plan{}), 700)
	}
	saved := string(k.Export())
	if n := strings.Count(saved, `"model"`); n != 1000 {
		t.Errorf("kept %d calibrations, want 1000", n)
	}
	if strings.Contains(saved, `"m0000"`) || !strings.Contains(saved, `"m1199"`) {
		t.Error("want the newest kept and the oldest gone")
	}
}
