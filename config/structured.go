package config

import (
	"errors"
	"strconv"
	"strings"
)

// A reader of the parts of RFC 9651 (structured field values) that the override headers use: items that are
// integers, decimals, tokens, strings or booleans, with parameters, and dictionaries of one member.

// item is one value with its parameters. kind is 'i', 'd', 't', 's' or '?'.
type item struct {
	kind   byte
	number float64
	text   string
	params []param
}

type param struct {
	name string
	item item
}

type fieldScanner struct {
	text string
	at   int
}

var errField = errors.New("not a structured field value")

// parseItem reads a whole header value as one item.
func parseItem(text string) (item, error) {
	f := &fieldScanner{text: strings.Trim(text, " ")}
	it, err := f.item()
	if err == nil && f.at != len(f.text) {
		err = errField
	}
	return it, err
}

// parseMember reads a dictionary of one member: name=item, or name alone, which is true.
func parseMember(text string) (param, error) {
	f := &fieldScanner{text: strings.Trim(text, " ")}
	name, err := f.key()
	if err != nil {
		return param{}, err
	}
	it := item{kind: '?', number: 1}
	if f.take('=') {
		it, err = f.item()
	} else {
		it.params, err = f.params()
	}
	if err == nil && f.at != len(f.text) {
		err = errField
	}
	return param{name, it}, err
}

func (f *fieldScanner) peek() byte {
	if f.at < len(f.text) {
		return f.text[f.at]
	}
	return 0
}

func (f *fieldScanner) take(c byte) bool {
	if f.at < len(f.text) && f.text[f.at] == c {
		f.at++
		return true
	}
	return false
}

// span takes the longest run of bytes that ok allows.
func (f *fieldScanner) span(ok func(byte) bool) string {
	from := f.at
	for f.at < len(f.text) && ok(f.text[f.at]) {
		f.at++
	}
	return f.text[from:f.at]
}

func (f *fieldScanner) item() (item, error) {
	it, err := f.bare()
	if err == nil {
		it.params, err = f.params()
	}
	return it, err
}

func (f *fieldScanner) params() ([]param, error) {
	var list []param
	for f.take(';') {
		f.span(func(c byte) bool { return c == ' ' })
		name, err := f.key()
		if err != nil {
			return nil, err
		}
		it := item{kind: '?', number: 1}
		if f.take('=') {
			if it, err = f.bare(); err != nil {
				return nil, err
			}
		}
		list = append(list, param{name, it})
	}
	return list, nil
}

func (f *fieldScanner) key() (string, error) {
	if c := f.peek(); !lower(c) && c != '*' {
		return "", errField
	}
	return f.span(func(c byte) bool { return lower(c) || digit(c) || strings.IndexByte("_-.*", c) >= 0 }), nil
}

func (f *fieldScanner) bare() (item, error) {
	switch c := f.peek(); {
	case c == '-' || digit(c):
		return f.number()
	case c == '"':
		return f.string()
	case c == '?':
		f.at++
		switch {
		case f.take('1'):
			return item{kind: '?', number: 1}, nil
		case f.take('0'):
			return item{kind: '?'}, nil
		}
	case c == '*' || lower(c|0x20):
		return item{kind: 't', text: f.span(tokenByte)}, nil
	}
	return item{}, errField
}

// number keeps the RFC's limits: 15 digits, or 12 and up to 3 behind the point. So nothing overflows and neither
// NaN nor 1e309 is a number.
func (f *fieldScanner) number() (item, error) {
	from := f.at
	f.take('-')
	whole := f.span(digit)
	if whole == "" || len(whole) > 15 {
		return item{}, errField
	}
	kind := byte('i')
	if f.take('.') {
		kind = 'd'
		if part := f.span(digit); part == "" || len(part) > 3 || len(whole) > 12 {
			return item{}, errField
		}
	}
	v, err := strconv.ParseFloat(f.text[from:f.at], 64)
	if err != nil {
		return item{}, errField
	}
	return item{kind: kind, number: v}, nil
}

func (f *fieldScanner) string() (item, error) {
	var b strings.Builder
	for f.at++; f.at < len(f.text); f.at++ {
		switch c := f.text[f.at]; {
		case c == '"':
			f.at++
			return item{kind: 's', text: b.String()}, nil
		case c == '\\':
			if f.at++; f.at == len(f.text) || f.text[f.at] != '"' && f.text[f.at] != '\\' {
				return item{}, errField
			}
			b.WriteByte(f.text[f.at])
		case c < 0x20 || c > 0x7e:
			return item{}, errField
		default:
			b.WriteByte(c)
		}
	}
	return item{}, errField
}

func lower(c byte) bool { return 'a' <= c && c <= 'z' }
func digit(c byte) bool { return '0' <= c && c <= '9' }

func tokenByte(c byte) bool {
	return digit(c) || lower(c|0x20) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
}
