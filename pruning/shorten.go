package pruning

import "recap/tokens"

// left is what remains of a piece in tokens. For a digest it is a bound, so that no digest is made before its batch:
// what it says depends on what else is shown then.
func (f *fold) left(p *piece, to state) int32 {
	switch {
	case to == wantTrim:
		return f.p.trimmed(&f.c.Messages[p.message], int(p.result), f.o.SoftTrim).tokens
	case !f.replaces(p, f.o.HardClear.Placeholder):
		return p.tokens
	case p.repeat == again:
		return f.placeholder + repeatTokens
	case f.rule.digests:
		return f.placeholder + int32(f.o.DigestChars*digestShare/100)
	}
	return f.placeholder
}

const (
	digestShare  = 40 // about what a hundred characters of a digest cost in tokens
	repeatTokens = 12 // what a repeatNote costs
)

// replaces reports whether a text is shorter than the content of a piece. Media are longer than any text.
func (f *fold) replaces(p *piece, text string) bool {
	r := &f.c.Messages[p.message].Results[p.result]
	return hasMedia(r) || len(text) < r.Chars // characters are at most bytes
}

// shortened returns what is left of the i-th piece, whose time has come.
func (f *fold) shortened(i int) shortened {
	p := &f.pieces[i]
	m := &f.c.Messages[p.message]
	if p.state == wantTrim {
		return f.p.trimmed(m, int(p.result), f.o.SoftTrim)
	}
	bare := shortened{f.o.HardClear.Placeholder, f.placeholder}
	if p.repeat != single {
		if text := bare.text + repeatNotes[p.repeat]; f.replaces(p, text) {
			bare = shortened{text, int32(tokens.Estimate(text))}
		}
	}
	if !f.rule.digests || f.o.DigestChars == 0 || p.repeat == again {
		return bare
	}
	key := textKey{
		facts: m.Facts, result: p.result, repeat: p.repeat, placeholder: f.o.HardClear.Placeholder,
		sizes: [3]int{f.o.DigestChars, -1}, shown: f.print(i),
	}
	return f.p.remember(key, func() shortened {
		d := digest(m.ResultText(int(p.result)), f.o.DigestChars, f.words(i))
		text := bare.text + digestIntro + d
		if s := (shortened{text, int32(tokens.Estimate(text))}); d != "" && s.tokens < p.sent && f.replaces(p, text) {
			return s
		}
		return bare
	})
}

// remains is what is sent of the i-th piece, which is not shortened any more: its shorter text, else all of it.
func (f *fold) remains(i int, all func(*fold, *piece) string) string {
	p := &f.pieces[i]
	if p.state == decided && p.sent != p.tokens {
		return p.text
	}
	return all(f, p)
}
