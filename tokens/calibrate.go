package tokens

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
)

const (
	minFactor = 0.5
	maxFactor = 3
	// kept is the number of observations a factor is made of.
	kept = 7
	// maxTargets bounds the pairs of upstream and model that are remembered.
	maxTargets = 1000
	// minSum is the smallest prompt that teaches anything, in tokens: of less the template is too large a part.
	minSum = 48
	// lowShare is the share of the expected size under which a report smells of a prompt that was cut silently.
	lowShare = 0.7
	// convincing is the number of low reports in a row that are believed when they grow with the prompt.
	convincing = 8
	// highShare is the share over which a report is not believed before it was repeated, firstHigh the same while
	// little is known.
	highShare, firstHigh = 1.6, 2
	// absurdShare is never believed: so looks a sum over many requests.
	absurdShare = 2 * maxFactor
	// repeated is the number of high reports in a row that are believed when they agree.
	repeated = 3
	// settled is the number of observations from which on their middle is what is expected.
	settled = 3
)

// target is what a calibration belongs to.
type target struct{ upstream, model string }

// factor is the calibration of one target.
type factor struct {
	guess, counted series
	rough          series // of whole bodies, see Rough
	rates          rates
	used           int // when it was last observed, in observations
}

// factors holds all calibrations.
type factors struct {
	mu    sync.RWMutex
	of    map[target]*factor
	clock int
}

// rates returns the factors for a target, 1 where nothing was observed.
func (f *factors) rates(t target) rates {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if x := f.of[t]; x != nil {
		return x.rates
	}
	return unknownRates
}

// observation is one report: how many tokens the upstream saw where our measure has sum.
type observation struct {
	Ratio float64 `json:"ratio"`
	Sum   float64 `json:"sum"`
}

// series are the last observations of one measure.
type series struct {
	Kept []observation `json:"kept,omitempty"`
	odd  []observation // in a row and on one side, not believed so far
}

// add takes in an observation. One that is far from what is expected is left out at first: a single report may be of a
// prompt that was cut silently, of the part that was not cached, or nonsense. High ones are believed when they agree. Low
// ones have to grow with the prompt too: a cut has a ceiling.
func (s *series) add(o observation) {
	expected, high := 1.0, float64(firstHigh)
	if len(s.Kept) >= settled {
		expected, high = s.median(), highShare
	}
	switch share := o.Ratio / expected; {
	case o.Ratio > absurdShare:
	case share < lowShare:
		s.doubt(o, expected, convincing, proportional)
	case share > high:
		s.doubt(o, expected, repeated, agree)
	default:
		s.odd = nil
		s.keep(o)
	}
}

// doubt takes in an odd observation. So many in a row that stand the test replace what is kept.
func (s *series) doubt(o observation, expected float64, enough int, test func([]observation) bool) {
	if n := len(s.odd); n > 0 && (s.odd[n-1].Ratio < expected) != (o.Ratio < expected) {
		s.odd = nil
	}
	s.odd = append(s.odd, o)
	if len(s.odd) < enough {
		return
	}
	s.odd = s.odd[len(s.odd)-enough:]
	if !test(s.odd) {
		return
	}
	believed := s.odd
	s.Kept, s.odd = s.Kept[:0], nil
	for _, o := range believed {
		s.keep(o)
	}
}

func (s *series) keep(o observation) {
	if s.Kept = append(s.Kept, o); len(s.Kept) > kept {
		s.Kept = s.Kept[1:]
	}
}

// agree reports whether the ratios hardly differ.
func agree(list []observation) bool {
	by := func(a, b observation) int { return cmp.Compare(a.Ratio, b.Ratio) }
	return slices.MaxFunc(list, by).Ratio < 1.1*slices.MinFunc(list, by).Ratio
}

// proportional reports whether the ratios hardly differ though the prompts do.
func proportional(list []observation) bool {
	by := func(a, b observation) int { return cmp.Compare(a.Sum, b.Sum) }
	return agree(list) && slices.MaxFunc(list, by).Sum > 1.5*slices.MinFunc(list, by).Sum
}

// median is the ratio in the middle, larger prompts counting for more: bounded, and deaf to outliers.
func (s *series) median() float64 {
	var space [kept]observation
	sorted := append(space[:0], s.Kept...)
	slices.SortFunc(sorted, func(a, b observation) int { return cmp.Compare(a.Ratio, b.Ratio) })
	total := 0.0
	for _, o := range sorted {
		total += o.weight()
	}
	seen := 0.0
	for _, o := range sorted {
		if seen += o.weight(); 2*seen >= total {
			return min(max(o.Ratio, minFactor), maxFactor)
		}
	}
	return 1
}

func (o observation) weight() float64 { return min(o.Sum, 4096) }

// settle derives the rates from the observations.
func (x *factor) settle() {
	x.rates = unknownRates
	if len(x.guess.Kept) > 0 {
		x.rates.guess, x.rates.counted = x.guess.median(), 0
	}
	if len(x.counted.Kept) > 0 {
		x.rates.counted = x.counted.median()
	}
	if len(x.rough.Kept) > 0 {
		x.rates.rough = x.rough.median()
	}
}

// Observe calibrates the measures for upstream and model: reported is the prompt's size in tokens by the upstream,
// cached ones included, of what was sent (see Sizes.Sent). Reports that teach nothing are left out: none, of a tiny prompt,
// of one that is mostly images, and far too small ones.
func (k *Counter) Observe(upstream, model string, sent Sent, reported int) {
	guess, counted, rest, media := float64(sent.guess), float64(sent.counted), float64(sent.rest), float64(sent.media)
	text := float64(reported) - media
	if guess < minSum || text < 1 || media > float64(reported)/5 || len(model) > maxModelName {
		return
	}
	k.factors.observe(target{upstream, model}, func(x *factor) {
		x.guess.add(observation{Ratio: text / guess, Sum: guess})
		x.settle()
		if counted >= 4*rest && counted >= minSum {
			x.counted.add(observation{Ratio: (text - rest*x.rates.guess) / counted, Sum: counted})
			x.settle()
		}
	})
}

// ObserveRough calibrates Rough: reported is what the upstream counted for a body that was sent as it came.
func (k *Counter) ObserveRough(upstream, model string, sampled, reported int) {
	if reported <= 0 || sampled < minSum || len(model) > maxModelName {
		return
	}
	k.factors.observe(target{upstream, model}, func(x *factor) {
		x.rough.add(observation{Ratio: float64(reported) / float64(sampled), Sum: float64(sampled)})
		x.settle()
	})
}

// observe changes the factor of t, making room for it first where need be.
func (f *factors) observe(t target, change func(*factor)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := f.of[t]
	if x == nil {
		if len(f.of) >= maxTargets {
			f.forget()
		}
		x = &factor{rates: unknownRates}
		t.model = strings.Clone(t.model) // it may be a view into a body
		f.of[t] = x
	}
	f.clock++
	x.used = f.clock
	change(x)
}

// forget drops the calibration that was not observed for longest.
func (f *factors) forget() {
	var oldest target
	first := math.MaxInt
	for t, x := range f.of {
		if x.used < first {
			oldest, first = t, x.used
		}
	}
	delete(f.of, oldest)
}
