package middleware

import "strings"

// misspelt looks for headers of ours that do not exist. One that is almost an override is an error that names it, any
// other is counted, and logged once.
func (x *exchange) misspelt() error {
	for i := range x.head.lines {
		name := string(x.head.lines[i].name)
		if len(name) <= len(overridePrefix) || !strings.EqualFold(name[:len(overridePrefix)], overridePrefix) {
			continue
		}
		known, err := x.c.Config.UnknownHeader(name)
		if err != nil {
			return err
		}
		if !known {
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
