package tokens

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
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
	for line := range strings.Lines(shown.Parameters) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "num_ctx" {
			numCtx, _ = strconv.Atoi(fields[1]) // no number is no setting
		}
	}
	var architecture string
	var n number
	if json.Unmarshal(shown.ModelInfo["general.architecture"], &architecture) == nil &&
		json.Unmarshal(shown.ModelInfo[architecture+".context_length"], &n) == nil {
		trained = int(n)
	}
	return max(numCtx, 0), trained
}

// askLlamaCpp reads the window of one slot.
func askLlamaCpp(q *inquiry) (finding, bool) {
	var props struct {
		Settings *struct {
			Ctx number `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	address := q.root + "/props"
	if q.model != "" {
		address += "?model=" + url.QueryEscape(q.model) // for a server that routes between models
	}
	if !q.get(address, &props) || props.Settings == nil {
		return finding{}, false
	}
	return finding{kind: kindLlamaCpp, window: int(props.Settings.Ctx)}, true
}

// listed is one model of a /v1/models answer, as vLLM, OpenRouter and Anthropic write it.
type listed struct {
	ID            string `json:"id"`
	MaxModelLen   number `json:"max_model_len"`
	ContextLength number `json:"context_length"`
	TopProvider   struct {
		ContextLength number `json:"context_length"`
	} `json:"top_provider"`
	MaxInputTokens number `json:"max_input_tokens"`
}

// finding returns what l tells; false when it tells no window at all.
func (l *listed) finding() (finding, bool) {
	switch {
	case l.MaxModelLen > 0:
		return finding{kind: kindVLLM, window: int(l.MaxModelLen)}, true
	case l.ContextLength > 0:
		return finding{kind: kindOpenRouter, window: atMost(int(l.ContextLength), int(l.TopProvider.ContextLength))}, true
	case l.MaxInputTokens > 0:
		return finding{kind: kindAnthropic, window: int(l.MaxInputTokens)}, true
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

// askLMStudio reads the window of the loaded instance from either of its interfaces.
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
				if m.Key == q.model || instance.ID == q.model {
					found.window, found.trained = int(instance.Config.ContextLength), int(m.Max)
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
		if m.ID == q.model {
			found.window, found.trained = int(m.Loaded), int(m.Max)
		}
	}
	return found, true
}

// askLiteLLM reads what the gateway knows of the model behind a name.
func askLiteLLM(q *inquiry) (finding, bool) {
	var answer struct {
		Data []struct {
			Name string `json:"model_name"`
			Info struct {
				MaxInput number `json:"max_input_tokens"`
				Max      number `json:"max_tokens"`
			} `json:"model_info"`
		}
	}
	if !q.get(q.v1+"/model/info", &answer) || len(answer.Data) == 0 {
		return finding{}, false
	}
	found := finding{kind: kindLiteLLM}
	for _, m := range answer.Data {
		if m.Name == q.model && m.Info.MaxInput > 0 && (found.window == 0 || int(m.Info.MaxInput) < found.window) {
			found.window = int(m.Info.MaxInput)
		}
	}
	return found, true
}
