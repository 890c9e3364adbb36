package dialect

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"recap/chat"
)

// says reports whether JSON text may hold one of the members (names with their quotes) with a value that means something. It
// may be wrong in that direction only, and is cheap enough for every event of a stream.
func says(object []byte, members ...string) bool {
	for _, member := range members {
		if saysOne(object, member) {
			return true
		}
	}
	return false
}

func saysOne(object []byte, member string) bool {
	for {
		i := bytes.Index(object, []byte(member))
		if i < 0 {
			return false
		}
		object = bytes.TrimLeft(object[i+len(member):], " :\t\r\n")
		if !bytes.HasPrefix(object, []byte("null")) && !bytes.HasPrefix(object, []byte("false")) {
			return true
		}
	}
}

// reader takes the objects of a format's answers.
type reader struct {
	// news reports, cheaply, whether an object may hold anything that read wants.
	news func(object []byte, r *Report) bool
	// read takes an object, up to its first fault, and reports whether there was none and nothing but space behind it.
	read func(text string, r *Report) bool
}

// take reads one chunk or line, if there may be something in it.
func (d *reader) take(object []byte, r *Report) {
	if !d.news(object, r) {
		return
	}
	if text := string(object); valid(text) {
		d.read(text, r)
	}
}

var openAIReader = reader{
	news: func(object []byte, r *Report) bool {
		return says(object, `"finish_reason"`, `"usage"`, `"error"`) || r.Model == "" && says(object, `"model"`)
	},
	read: readOpenAI,
}

// visit calls f with the members of a JSON object, up to the first fault; values are as they stand. It reports whether it
// came to the end of the object, with nothing but space behind it.
func visit(object string, f func(key, value string)) (whole bool) {
	c := cursor{s: object}
	c.visit(f)
	return c.odd == "" && spaceEnd(object, c.i) == len(object)
}

// visit is that for the object under the cursor, and steps behind it.
func (c *cursor) visit(f func(key, value string)) {
	for c.open('{'); c.more('}'); {
		key := c.key()
		value := c.value()
		if c.odd == "" {
			f(key, value.Of(c.s))
		}
	}
}

// readOpenAI takes one chunk of a stream or one whole answer.
func readOpenAI(text string, r *Report) (whole bool) {
	var usage chat.Usage
	cached := 0
	c := cursor{s: text}
	for c.open('{'); c.more('}'); c.started = true {
		key := c.key()
		switch first := c.peek(); {
		case key == "choices" && first == '[':
			readChoices(&c, r)
			continue
		case key == "usage" && first == '{':
			usage = usageUnder(&c)
			continue
		}
		if value := c.value().Of(text); c.odd == "" {
			readOpenAIMember(key, value, text, r, &cached)
		}
	}
	whole = c.odd == "" && spaceEnd(text, c.i) == len(text)
	if usage.Cached == 0 {
		usage.Cached = cached
	}
	if usage.Prompt > 0 || usage.Completion > 0 {
		r.Usage = usage
	}
	return whole
}

// readOpenAIMember takes one of the other members of an answer.
func readOpenAIMember(key, value, text string, r *Report, cached *int) {
	switch key {
	case "model":
		if r.Model == "" {
			r.Model = models.own(chat.Unquote(value))
		}
	case "error":
		r.fail(value != "null", text)
	case "type":
		r.fail(value == `"error"`, text)
	case "timings": // llama.cpp tells of its cache beside the usage
		visit(value, func(key, value string) {
			if key == "cache_n" {
				*cached = tally(value)
			}
		})
	}
}

// readChoices looks for the first reason why a choice has ended.
func readChoices(list *cursor, r *Report) {
	take := func(key, value string) {
		if key == "finish_reason" && r.Finish == "" && value[0] == '"' {
			r.Finish, r.Done = finish(chat.Unquote(value)), true
		}
	}
	for list.open('['); list.more(']'); {
		if list.peek() == '{' {
			list.visit(take)
			list.started = true
		} else {
			list.value()
		}
	}
}

// finish returns a word in memory of its own, the usual ones without a copy.
func finish(word string) string {
	switch word {
	case "stop":
		return "stop"
	case "length":
		return "length"
	case "tool_calls":
		return "tool_calls"
	}
	return strings.Clone(word)
}

// openAIUsage returns what a chunk or an answer reports.
func openAIUsage(usage string) chat.Usage { return usageUnder(&cursor{s: usage}) }

// usageUnder is openAIUsage for the object under the cursor.
func usageUnder(c *cursor) (u chat.Usage) {
	c.visit(func(key, value string) {
		switch key {
		case "prompt_tokens":
			u.Prompt = tally(value)
		case "completion_tokens":
			u.Completion = tally(value)
		case "prompt_tokens_details":
			visit(value, func(key, value string) {
				if key == "cached_tokens" {
					u.Cached = tally(value)
				}
			})
		}
	})
	return u
}

var ollamaReader = reader{
	news: func(object []byte, r *Report) bool {
		return says(object, `"done"`, `"error"`) || r.Model == "" && says(object, `"model"`)
	},
	read: readOllama,
}

// readOllama takes one line of a stream or one whole answer.
func readOllama(text string, r *Report) (whole bool) {
	done, loaded, reason := false, false, ""
	whole = visit(text, func(key, value string) {
		switch key {
		case "model":
			if r.Model == "" {
				r.Model = models.own(chat.Unquote(value))
			}
		case "error":
			r.fail(value != "null", text)
		case "load_duration":
			loaded = tally(value) > loadNanoseconds
		case "done":
			done = value == "true"
		case "done_reason":
			reason = finish(chat.Unquote(value))
		}
	})
	if done {
		r.Done, r.Finish, r.Usage, r.Loaded = true, reason, ollamaUsage(text), loaded
	}
	return whole
}

// loadNanoseconds is the load_duration over which Ollama has loaded a model: it tells some milliseconds where the
// model was there already.
const loadNanoseconds = 1e9

// ollamaUsage returns what a last line, or an answer in one piece, reports; the prompt count includes what was cached.
func ollamaUsage(text string) (u chat.Usage) {
	visit(text, func(key, value string) {
		switch key {
		case "prompt_eval_count":
			u.Prompt = tally(value)
		case "eval_count":
			u.Completion = tally(value)
		}
	})
	return u
}

// tally returns a number of tokens, 0 for what is no sensible one.
func tally(value string) int {
	if n, ok := digits(value); ok {
		return n
	}
	number, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(number) {
		return 0
	}
	return int(max(min(number, 1<<40), 0))
}

// digits returns a number that is written in digits alone, few enough for any number of tokens.
func digits(value string) (n int, ok bool) {
	if len(value) == 0 || len(value) > 9 {
		return 0, false
	}
	for i := range len(value) {
		c := value[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = 10*n + int(c)
	}
	return n, true
}
