package dialect

import (
	"bytes"

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

// readOpenAI takes one chunk of a stream or one whole answer.
func readOpenAI(object []byte, r *Report) {
	news := says(object, `"finish_reason"`, `"usage"`, `"error"`)
	if !news && (r.Model != "" || !says(object, `"model"`)) {
		return
	}
	text := string(object)
	if !valid(text) {
		return
	}
	if r.Model == "" {
		r.Model = gjson.Get(text, "model").String()
	}
	if !news {
		return
	}
	if present := gjson.Get(text, "error"); present.Exists() && present.Type != gjson.Null {
		r.Failed = true
	}
	for _, reason := range gjson.Get(text, "choices.#.finish_reason").Array() {
		if reason.Type == gjson.String && r.Finish == "" {
			r.Finish, r.Done = reason.Str, true
		}
	}
	usage := openAIUsage(text)
	if usage.Prompt > 0 || usage.Completion > 0 {
		r.Usage = usage
	}
}

// openAIUsage returns what a chunk or an answer reports. llama.cpp tells of its cache beside the usage.
func openAIUsage(text string) chat.Usage {
	u := chat.Usage{
		Prompt:     tally(gjson.Get(text, "usage.prompt_tokens")),
		Completion: tally(gjson.Get(text, "usage.completion_tokens")),
		Cached:     tally(gjson.Get(text, "usage.prompt_tokens_details.cached_tokens")),
	}
	if u.Cached == 0 {
		u.Cached = tally(gjson.Get(text, "timings.cache_n"))
	}
	return u
}

// readOllama takes one line of a stream or one whole answer.
func readOllama(object []byte, r *Report) {
	news := says(object, `"done"`, `"error"`)
	if !news && (r.Model != "" || !says(object, `"model"`)) {
		return
	}
	text := string(object)
	if !valid(text) {
		return
	}
	if r.Model == "" {
		r.Model = gjson.Get(text, "model").String()
	}
	if !news {
		return
	}
	if present := gjson.Get(text, "error"); present.Exists() && present.Type != gjson.Null {
		r.Failed = true
	}
	if gjson.Get(text, "done").Type == gjson.True {
		r.Done = true
		r.Finish = gjson.Get(text, "done_reason").String()
		r.Usage = ollamaUsage(text)
	}
}

// ollamaUsage returns what the last line reports; its prompt count includes what was cached.
func ollamaUsage(text string) chat.Usage {
	return chat.Usage{
		Prompt:     tally(gjson.Get(text, "prompt_eval_count")),
		Completion: tally(gjson.Get(text, "eval_count")),
	}
}

// tally returns a number of tokens, 0 for what is no sensible one.
func tally(number gjson.Result) int {
	if number.Type != gjson.Number {
		return 0
	}
	return int(max(min(number.Num, 1<<40), 0))
}
