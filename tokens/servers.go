package tokens

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// askOllama reads the window of the loaded model, or what its Modelfile sets: the smaller of the two, for another
// client may have loaded it with a window of its own. The trained maximum is never taken for a window (B1).
func askOllama(q *inquiry) (finding, bool) {
	var loaded struct {
		Models *[]struct {
			Name, Model   string
			ContextLength number `json:"context_length"`
		}
	}
	if !q.get(q.root+"/api/ps", &loaded) || loaded.Models == nil {
		return finding{}, false
	}
	found := finding{kind: kindOllama}
	for _, m := range *loaded.Models {
		if sameModel(m.Name, q.model) || sameModel(m.Model, q.model) {
			found.window = int(m.ContextLength)
		}
	}
	if q.model == "" {
		return found, true
	}
	var set int
	set, found.trained = q.modelfile()
	if found.window == 0 || set > 0 && set < found.window {
		found.window = atMost(set, found.trained)
	}
	return found, true
}

// sameModel compares names of Ollama's, where no tag means latest.
func sameModel(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(a, ":latest"), strings.TrimSuffix(b, ":latest"))
}

// modelfile returns num_ctx of the Modelfile and the trained maximum, 0 for what is not told.
func (q *inquiry) modelfile() (numCtx, trained int) {
	var shown struct {
		Parameters string
		ModelInfo  map[string]json.RawMessage `json:"model_info"`
	}
	body, err := json.Marshal(map[string]string{"model": q.model})
	if err != nil || !q.call(http.MethodPost, q.root+"/api/show", string(body), &shown) {
		return 0, 0
	}
	var n number
	for line := range strings.Lines(shown.Parameters) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "num_ctx" {
			_ = n.UnmarshalJSON([]byte(fields[1])) // what is no size is no setting
			numCtx = int(n)
		}
	}
	n = 0
	var architecture string
	if json.Unmarshal(shown.ModelInfo["general.architecture"], &architecture) == nil &&
		json.Unmarshal(shown.ModelInfo[architecture+".context_length"], &n) == nil {
		trained = int(n)
	}
	return numCtx, trained
}

// askLlamaCpp reads the window of one slot: the window that the server was given, shared by all slots, is never the one
// that a request has.
func askLlamaCpp(q *inquiry) (finding, bool) {
	var props struct {
		Settings *struct {
			Ctx number `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	which := ""
	if q.model != "" {
		which = "?model=" + url.QueryEscape(q.model) // for a server that routes between models
	}
	if q.get(q.root+"/props"+which, &props) && props.Settings != nil && props.Settings.Ctx > 0 {
		return finding{kind: kindLlamaCpp, window: int(props.Settings.Ctx)}, true
	}
	var slots []struct {
		Ctx number `json:"n_ctx"`
	}
	if !q.get(q.root+"/slots"+which, &slots) || len(slots) == 0 {
		return finding{kind: kindLlamaCpp}, props.Settings != nil
	}
	found := finding{kind: kindLlamaCpp, window: int(slots[0].Ctx)}
	for _, slot := range slots {
		found.window = min(found.window, int(slot.Ctx)) // any of them may get the request
	}
	return found, found.window > 0 || props.Settings != nil
}

// listed is one model of a /v1/models answer, as vLLM, OpenRouter and Anthropic write it.
type listed struct {
	ID            string `json:"id"`
	MaxModelLen   number `json:"max_model_len"`
	ContextLength number `json:"context_length"`
	TopProvider   struct {
		ContextLength number `json:"context_length"`
		MaxReply      number `json:"max_completion_tokens"`
	} `json:"top_provider"`
	MaxInputTokens number `json:"max_input_tokens"`
	MaxTokens      number `json:"max_tokens"`
}

// finding returns what l tells; false when it tells no window at all.
func (l *listed) finding() (finding, bool) {
	switch {
	case l.MaxModelLen > 0:
		return finding{kind: kindVLLM, window: int(l.MaxModelLen)}, true
	case l.ContextLength > 0:
		return finding{
			kind: kindOpenRouter, window: atMost(int(l.ContextLength), int(l.TopProvider.ContextLength)),
			reply: int(l.TopProvider.MaxReply),
		}, true
	case l.MaxInputTokens > 0:
		return finding{kind: kindAnthropic, window: int(l.MaxInputTokens), reply: int(l.MaxTokens)}, true
	}
	return finding{}, false
}

// maxPages bounds how far a list of models is followed.
const maxPages = 8

// askModelList reads a list of models that carry their windows, page after page.
func askModelList(q *inquiry) (finding, bool) {
	address := q.v1 + "/models"
	var kind finding
	for range maxPages {
		var page struct {
			Data  []listed
			More  bool `json:"has_more"`
			Links struct{ Next string }
		}
		if !q.get(address, &page) || len(page.Data) == 0 {
			break
		}
		for _, l := range page.Data {
			found, ok := l.finding()
			if ok && (l.ID == q.model || len(page.Data) == 1 && kind.kind == "") {
				return found, true
			}
			if ok {
				kind.kind = found.kind
			}
		}
		address = q.next(address, page.Links.Next, page.More)
		if address == "" {
			break
		}
	}
	return kind, kind.kind != ""
}

// next returns the address of the page to read next, "" for none. It never leaves the upstream.
func (q *inquiry) next(address, link string, more bool) string {
	if link != "" {
		base, err := url.Parse(address)
		if err != nil {
			return ""
		}
		to, err := base.Parse(link)
		if err != nil || to.Host != base.Host || to.Scheme != base.Scheme {
			return ""
		}
		return to.String()
	}
	if more && !strings.Contains(address, "?") {
		return address + "?limit=1000"
	}
	return ""
}

// askLMStudio reads the window of the loaded instance from either of its interfaces. Where several instances answer to a
// name, the smallest counts.
func askLMStudio(q *inquiry) (finding, bool) {
	var current struct {
		Models []struct {
			Key    string
			Loaded []struct {
				ID     string
				Config struct {
					ContextLength number `json:"context_length"`
				}
			} `json:"loaded_instances"`
			Max number `json:"max_context_length"`
		}
	}
	found := finding{kind: kindLMStudio}
	if q.get(q.root+"/api/v1/models", &current) && len(current.Models) > 0 {
		for _, m := range current.Models {
			for _, instance := range m.Loaded {
				if q.named(m.Key, instance.ID) {
					found.least(int(instance.Config.ContextLength))
					found.trained = int(m.Max)
				}
			}
		}
		return found, true
	}
	var older struct {
		Data []struct {
			ID     string
			Max    number `json:"max_context_length"`
			Loaded number `json:"loaded_context_length"`
		}
	}
	if !q.get(q.root+"/api/v0/models", &older) || len(older.Data) == 0 {
		return finding{}, false
	}
	for _, m := range older.Data {
		if q.named(m.ID) {
			found.least(int(m.Loaded))
			found.trained = int(m.Max)
		}
	}
	return found, true
}

// named reports whether one of names is the model's, with or without the maker in front of it.
func (q *inquiry) named(names ...string) bool {
	for _, name := range names {
		if name == q.model || name != "" && q.model != "" && name[strings.LastIndexByte(name, '/')+1:] == q.model {
			return true
		}
	}
	return false
}

// least keeps the smaller of two windows that are known.
func (f *finding) least(window int) {
	if window > 0 {
		f.window = atMost(window, f.window)
	}
}

// askLiteLLM reads what the gateway knows of the model behind a name; where there are several, the smallest counts.
func askLiteLLM(q *inquiry) (finding, bool) {
	var answer struct {
		Data []struct {
			Name string `json:"model_name"`
			Info struct {
				MaxInput  number `json:"max_input_tokens"`
				MaxOutput number `json:"max_output_tokens"`
			} `json:"model_info"`
		}
	}
	if !q.get(q.v1+"/model/info", &answer) && !q.get(q.root+"/model/info", &answer) || len(answer.Data) == 0 {
		return finding{}, false
	}
	found := finding{kind: kindLiteLLM}
	for _, m := range answer.Data {
		if m.Name == q.model {
			found.least(int(m.Info.MaxInput))
			found.reply = max(found.reply, int(m.Info.MaxOutput))
		}
	}
	return found, true
}
