package dialect

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"

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
	// read takes an object that is valid JSON.
	read func(text string, r *Report)
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

// readOpenAI takes one chunk of a stream or one whole answer.
func readOpenAI(text string, r *Report) {
	var usage chat.Usage
	cached := 0
	gjson.Parse(text).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "model":
			if r.Model == "" {
				r.Model = strings.Clone(value.String())
			}
		case "error":
			r.Failed = r.Failed || value.Type != gjson.Null
		case "choices":
			value.ForEach(func(_, choice gjson.Result) bool {
				if reason := choice.Get("finish_reason"); reason.Type == gjson.String && r.Finish == "" {
					r.Finish, r.Done = strings.Clone(reason.Str), true
				}
				return true
			})
		case "usage":
			usage = openAIUsage(value)
		case "timings": // llama.cpp tells of its cache beside the usage
			cached = tally(value.Get("cache_n"))
		}
		return true
	})
	if usage.Cached == 0 {
		usage.Cached = cached
	}
	if usage.Prompt > 0 || usage.Completion > 0 {
		r.Usage = usage
	}
}

// openAIUsage returns what a chunk or an answer reports.
func openAIUsage(usage gjson.Result) (u chat.Usage) {
	usage.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "prompt_tokens":
			u.Prompt = tally(value)
		case "completion_tokens":
			u.Completion = tally(value)
		case "prompt_tokens_details":
			u.Cached = tally(value.Get("cached_tokens"))
		}
		return true
	})
	return u
}

var ollamaReader = reader{
	news: func(object []byte, r *Report) bool {
		return says(object, `"done"`, `"error"`) || r.Model == "" && says(object, `"model"`)
	},
	read: readOllama,
}

// readOllama takes one line of a stream or one whole answer. Its prompt count includes what was cached.
func readOllama(text string, r *Report) {
	var usage chat.Usage
	done, reason := false, ""
	gjson.Parse(text).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "model":
			if r.Model == "" {
				r.Model = strings.Clone(value.String())
			}
		case "error":
			r.Failed = r.Failed || value.Type != gjson.Null
		case "done":
			done = value.Type == gjson.True
		case "done_reason":
			reason = strings.Clone(value.String())
		case "prompt_eval_count":
			usage.Prompt = tally(value)
		case "eval_count":
			usage.Completion = tally(value)
		}
		return true
	})
	if done {
		r.Done, r.Finish, r.Usage = true, reason, usage
	}
}

// ollamaUsage returns what an answer in one piece reports.
func ollamaUsage(text string) chat.Usage {
	return chat.Usage{Prompt: tally(gjson.Get(text, "prompt_eval_count")), Completion: tally(gjson.Get(text, "eval_count"))}
}

// tally returns a number of tokens, 0 for what is no sensible one.
func tally(number gjson.Result) int {
	if number.Type != gjson.Number {
		return 0
	}
	return int(max(min(number.Num, 1<<40), 0))
}
