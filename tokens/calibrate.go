package tokens

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
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
)

// target is what a calibration belongs to.
type target struct{ upstream, model string }

// factor is the calibration of one target.
type factor struct {
	fixed, counted series
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
	return rates{fixed: 1, counted: 1}
}

// observation is one report: how many tokens the upstream saw where our measure has sum.
type observation struct {
	Ratio float64 `json:"ratio"`
	Sum   float64 `json:"sum"`
}

// series are the last observations of one measure.
type series struct {
	Kept []observation `json:"kept,omitempty"`
	low  []observation // in a row, not believed so far
}

// add takes in an observation. One far under what is expected is left out: so looks a prompt that was cut silently. But a
// cut has a ceiling; where the reports grow with the prompt, they are the truth.
func (s *series) add(o observation) {
	expected := 1.0
	if len(s.Kept) >= 3 {
		expected = s.median()
	}
	if o.Ratio < lowShare*expected {
		s.low = append(s.low, o)
		if len(s.low) < convincing {
			return
		}
		if !proportional(s.low) {
			s.low = s.low[1:]
			return
		}
		s.Kept = append(s.Kept[:0], s.low[convincing-kept:]...)
	} else {
		s.Kept = append(s.Kept, o)
	}
	s.low = nil
	if len(s.Kept) > kept {
		s.Kept = s.Kept[1:]
	}
}

// proportional reports whether the prompts differ well in size and the ratios hardly.
func proportional(list []observation) bool {
	bySum := func(a, b observation) int { return cmp.Compare(a.Sum, b.Sum) }
	byRatio := func(a, b observation) int { return cmp.Compare(a.Ratio, b.Ratio) }
	return slices.MaxFunc(list, bySum).Sum > 1.5*slices.MinFunc(list, bySum).Sum &&
		slices.MaxFunc(list, byRatio).Ratio < 1.1*slices.MinFunc(list, byRatio).Ratio
}

// median is the ratio in the middle, larger prompts counting for more: bounded, and deaf to outliers.
func (s *series) median() float64 {
	sorted := slices.Clone(s.Kept)
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
	x.rates = rates{fixed: 1, counted: 1}
	if len(x.fixed.Kept) > 0 {
		x.rates = rates{fixed: x.fixed.median()}
	}
	if len(x.counted.Kept) > 0 {
		x.rates.counted = x.counted.median()
	}
}

// Observe calibrates the measures for upstream and model: reported is the prompt's size in tokens by the upstream,
// cached ones included, and s are the sizes of what was sent (see Sizes.After). Reports that teach nothing are
// left out: none, of a tiny prompt, of one that is mostly images, and far too small ones.
func (k *Counter) Observe(upstream, model string, s *Sizes, reported int) {
	var fixed, counted, rest, media float64
	for _, x := range s.rows {
		fixed += float64(x.fixed)
		media += float64(x.media)
		if x.exact >= 0 {
			counted += float64(x.exact)
		} else {
			rest += float64(x.fixed)
		}
	}
	text := float64(reported) - media
	if fixed < minSum || text < 1 || media > float64(reported)/5 || len(model) > maxModelName {
		return
	}
	k.factors.observe(target{upstream, model}, func(x *factor) {
		x.fixed.add(observation{Ratio: text / fixed, Sum: fixed})
		x.settle()
		if counted >= 4*rest && counted >= minSum {
			x.counted.add(observation{Ratio: (text - rest*x.rates.fixed) / counted, Sum: counted})
			x.settle()
		}
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
		x = &factor{}
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

// saved is one calibration as Export writes it.
type saved struct {
	Upstream string `json:"upstream"`
	Model    string `json:"model"`
	Fixed    series `json:"fixed"`
	Counted  series `json:"counted"`
}

// Export returns the calibration for Import, as JSON: names and figures, no text of any chat.
func (k *Counter) Export() []byte {
	k.factors.mu.RLock()
	list := make([]saved, 0, len(k.factors.of))
	for t, x := range k.factors.of {
		list = append(list, saved{Upstream: t.upstream, Model: t.model, Fixed: x.fixed, Counted: x.counted})
	}
	slices.SortFunc(list, func(a, b saved) int {
		return cmp.Or(cmp.Compare(a.Upstream, b.Upstream), cmp.Compare(a.Model, b.Model))
	})
	data, err := json.Marshal(list)
	k.factors.mu.RUnlock()
	if err != nil { // figures are finite: add takes no others
		return nil
	}
	return data
}

// Import takes over what Export gave. What is out of range in it is left out.
func (k *Counter) Import(data []byte) error {
	var list []saved
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("read calibration: %w", err)
	}
	for _, s := range list[:min(len(list), maxTargets)] {
		k.factors.observe(target{s.Upstream, s.Model}, func(x *factor) {
			x.fixed.Kept, x.counted.Kept = sound(s.Fixed.Kept), sound(s.Counted.Kept)
			x.settle()
		})
	}
	return nil
}

// sound returns the observations that can be true.
func sound(list []observation) []observation {
	list = slices.DeleteFunc(list, func(o observation) bool { return !(o.Ratio > 0 && o.Sum > 0) })
	return list[max(len(list)-kept, 0):]
}
