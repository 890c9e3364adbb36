package tokens

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// savedFactor is one calibration as Export writes it.
type savedFactor struct {
	Upstream string `json:"upstream"`
	Model    string `json:"model"`
	Guess    series `json:"guess,omitzero"`
	Counted  series `json:"counted,omitzero"`
	Rough    series `json:"rough,omitzero"`
}

// Export returns the calibration for Import, as JSON: names and figures, no text of any chat.
func (k *Counter) Export() []byte {
	k.factors.mu.RLock()
	list := make([]savedFactor, 0, len(k.factors.of))
	for t, x := range k.factors.of {
		list = append(list, savedFactor{
			Upstream: t.upstream, Model: t.model, Guess: x.guess, Counted: x.counted, Rough: x.rough,
		})
	}
	slices.SortFunc(list, func(a, b savedFactor) int {
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
	var list []savedFactor
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("read calibration: %w", err)
	}
	for _, s := range list[:min(len(list), maxTargets)] {
		k.factors.observe(target{s.Upstream, s.Model}, func(x *factor) {
			x.guess.Kept, x.counted.Kept, x.rough.Kept = sound(s.Guess.Kept), sound(s.Counted.Kept), sound(s.Rough.Kept)
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
