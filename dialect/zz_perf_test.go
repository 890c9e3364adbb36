package dialect_test

import (
	"testing"

	"recap/dialect"
)

func TestPerf(t *testing.T) {
	d := dialect.ByName("openai").(dialect.Glancer)
	var list []string
	for k := range 300 {
		list = append(list, talkBody(uint64(k), 2<<10, 260))
	}
	for range 3000 {
		for _, s := range list {
			c, _, _ := d.Glance(s, 0, 1<<20)
			dialect.FreeGlance(c)
		}
	}
}
