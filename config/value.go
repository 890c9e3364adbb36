package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// setValue parses text as k's type and stores it at the pointer at. Its error says what would be right, without the
// value where the key is a secret.
func setValue(k *Key, at any, text string) error {
	switch p := at.(type) {
	case *string:
		return setString(k, p, text)
	case *bool:
		return setBool(p, text)
	case *float64:
		return setNumber(k, p, text)
	case *time.Duration:
		return setDuration(k, p, text)
	case *int:
		n, err := parseInt(k, text)
		if err == nil {
			*p = int(n)
		}
		return err
	case *int64:
		n, err := parseInt(k, text)
		if err == nil {
			*p = n
		}
		return err
	}
	return fmt.Errorf("want a %s", k.Kind)
}

// noun names a single value of the kind in a sentence.
func (kind Kind) noun() string {
	switch kind {
	case Bool:
		return "true or false"
	case Int:
		return "a whole number"
	}
	return "a " + string(kind)
}

func setString(k *Key, p *string, text string) error {
	if strings.ContainsRune(text, 0) {
		return errors.New("a NUL character is not allowed")
	}
	if k.Secret && strings.ContainsFunc(text, unicode.IsControl) {
		return errors.New("a line end or another control character is in it; was it read from a file with its newline?")
	}
	if len(k.Allowed) == 0 {
		*p = text
		return nil
	}
	for _, word := range k.Allowed {
		if text == word {
			*p = meaning(word)
			return nil
		}
	}
	message := fmt.Sprintf("want one of %s, got %s", words(k.Allowed), quote(text))
	if near := nearest(text, k.Allowed); near != "" {
		message += "; did you mean " + near + "?"
	}
	return errors.New(message)
}

// meaning maps the word for "no trigger" to what the code tests for.
func meaning(word string) string {
	if word == "none" {
		return ""
	}
	return word
}

func words(list []string) string {
	shown := make([]string, 0, len(list))
	for _, w := range list {
		if w == "" {
			w = `""`
		}
		shown = append(shown, w)
	}
	return strings.Join(shown, ", ")
}

func setBool(p *bool, text string) error {
	switch text {
	case "true", "True", "TRUE":
		*p = true
	case "false", "False", "FALSE":
		*p = false
	default:
		return fmt.Errorf("want true or false, got %s", quote(text))
	}
	return nil
}

func setNumber(k *Key, p *float64, text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("want a number%s, got %s", k.bounds(), quote(text))
	}
	if err := k.within(v, text); err != nil {
		return err
	}
	*p = v
	return nil
}

func setDuration(k *Key, p *time.Duration, text string) error {
	v, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("want a duration like 30s, 15m or 720h, got %s", quote(text))
	}
	if err := k.within(v.Seconds(), text); err != nil {
		return err
	}
	*p = v
	return nil
}

func parseInt(k *Key, text string) (int64, error) {
	if k.Kind == Size {
		return parseSize(k, text)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("want a whole number%s, got %s", k.bounds(), quote(text))
	}
	return n, k.within(float64(n), text)
}

// units of sizes. KiB counts 1024 and KB 1000, as their names say; the longer suffixes are tried first.
var units = []struct {
	suffix string
	bytes  int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1},
}

func parseSize(k *Key, text string) (int64, error) {
	for _, u := range units {
		digits, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/(u.bytes+1) {
			break
		}
		return n * u.bytes, k.within(float64(n*u.bytes), text)
	}
	return 0, fmt.Errorf("want a size like 64MiB, 64KB or 1048576, got %s", quote(text))
}

func (k *Key) within(v float64, text string) error {
	if k.Range == nil || k.Range.Holds(v) {
		return nil
	}
	return fmt.Errorf("want%s, got %s", k.bounds(), quote(text))
}

func (k *Key) bounds() string {
	if k.Range == nil {
		return ""
	}
	switch text := k.Range.String(); {
	case k.Kind == Duration:
		return " a duration " + text + "s"
	case k.Kind == Size:
		return " a size of " + text + " bytes"
	default:
		return " " + text
	}
}

// quote shows a wrong value, shortened.
func quote(text string) string {
	const most = 40
	text = unmark(text)
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return strconv.Quote(text)
}

// formatValue is the inverse of setValue for single values: what `config print` shows.
func formatValue(k *Key, at any) string {
	switch p := at.(type) {
	case *string:
		if *p == "" && len(k.Allowed) > 0 && k.Allowed[0] == "none" {
			return "none"
		}
		return *p
	case *bool:
		return strconv.FormatBool(*p)
	case *float64:
		return number(*p)
	case *time.Duration:
		return formatDuration(*p)
	case *int:
		return formatInt(k, int64(*p))
	case *int64:
		return formatInt(k, *p)
	}
	return ""
}

// formatDuration leaves out the zero minutes and seconds that Go writes: 720h, not 720h0m0s.
func formatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func formatInt(k *Key, n int64) string {
	if k.Kind == Size {
		for _, u := range []int{2, 1, 0} {
			if b := units[u].bytes; n >= b && n%b == 0 {
				return strconv.FormatInt(n/b, 10) + units[u].suffix
			}
		}
	}
	return strconv.FormatInt(n, 10)
}
