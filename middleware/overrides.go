package middleware

import "strings"

// override takes the override headers off the request and reads them.
func (x *exchange) override() error {
	if !x.head.overrides() {
		return nil
	}
	if err := x.misspelt(); err != nil {
		return err
	}
	ours := x.head.takeOverrides()
	if len(ours) == 0 {
		return nil
	}
	x.changed = true
	ov, ignored, err := x.c.Config.ReadOverrides(ours.of)
	for _, name := range ignored {
		if !x.dry {
			x.c.Stats.OverrideIgnored(name)
		}
	}
	x.ov = ov
	return err
}

// misspelt looks for headers of ours that do not exist. One that is almost an override is an error that names it, any
// other is counted, and logged once.
func (x *exchange) misspelt() error {
	for name := range x.head.names() {
		if len(name) <= len(overridePrefix) || !strings.EqualFold(string(name[:len(overridePrefix)]), overridePrefix) {
			continue
		}
		name := string(name)
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
