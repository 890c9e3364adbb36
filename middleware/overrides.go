package middleware

import "strings"

// override reads the override headers.
func (x *exchange) override() error {
	ask, others := x.head.overrides()
	if err := x.misspelt(others); err != nil || len(ask) == 0 {
		return err
	}
	x.changed = true
	ov, ignored, err := x.c.Config.ReadOverrides(ask.of)
	for _, name := range ignored {
		if !x.dry {
			x.c.Stats.OverrideIgnored(name)
		}
	}
	x.ov = ov
	return err
}

// misspelt looks at the names of headers that are ours and no override's. One that is almost an override is an error that
// names it, any other is counted, and logged once.
func (x *exchange) misspelt(names []string) error {
	for _, name := range names {
		known, err := x.c.Config.UnknownHeader(name)
		if err != nil {
			return err
		}
		if !known && !x.dry {
			x.c.unknownHeader(name)
		}
	}
	return nil
}

// unknownHeader counts a header of ours that this version does not know.
func (c *Compactor) unknownHeader(name string) {
	c.Stats.OverrideIgnored("unknown")
	name = shown(strings.ToLower(name))
	mark := "header\x00" + name
	if _, met := c.met.Get(mark); met {
		return
	}
	c.met.Put(mark, true)
	c.Log.Warn("unknown override header ignored; docs/headers.md lists those there are", "header", name)
}
