package pruning_test

import (
	"fmt"
	"testing"

	"recap/pruning"
)

// megabyte is an agent's chat of 419 messages and 1 MB with results of 5,000 characters.
func megabyte() []message {
	list := []message{{"role": "system", "content": "s"}}
	for i := 0; len(list) < 418; i++ {
		if i%10 == 0 {
			list = append(list, user(fmt.Sprint("question ", i)))
		}
		id := fmt.Sprint("c", i)
		list = append(list, call("read", id), result(id, long(i, 5000)))
	}
	return append(list, user("last"))
}

func BenchmarkPrune(b *testing.B) {
	c := build(b, megabyte())
	for _, o := range []*pruning.Options{
		options(func(o *pruning.Options) { o.MinPrunableToolChars = 4500 }),
		options(everyRequest, func(o *pruning.Options) { o.MinPrunableToolChars = 4500 }),
		options(budget),
		options(budget, func(o *pruning.Options) { o.CapNewChars = 4000 }),
	} {
		name := fmt.Sprintf("%s/%s/cap%d", o.Strategy, o.Cadence, o.CapNewChars)
		b.Run(name+"/known", func(b *testing.B) {
			p := pruning.New(10000)
			trims := len(p.Prune(c, o, 128000, false).Trims)
			b.ReportAllocs()
			for b.Loop() {
				p.Prune(c, o, 128000, false)
			}
			b.ReportMetric(float64(trims), "trims")
		})
		b.Run(name+"/cold", func(b *testing.B) {
			for b.Loop() {
				pruning.Prune(c, o, 128000, false)
			}
		})
	}
}
