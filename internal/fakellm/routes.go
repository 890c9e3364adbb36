package fakellm

import (
	"net/http"
	"strconv"
	"strings"
)

// route says who answers a method and path. A path matches by its end, so that any prefix may stand in front.
type route struct {
	methods string
	path    string
	handle  func(*exchange) answer
}

// routes is looked through from the top.
var routes = []route{
	{"POST", "/chat/completions/input_tokens", (*exchange).inputTokens},
	{"POST", "/chat/completions", (*exchange).openaiChat},
	{"POST", "/embeddings", (*exchange).embeddings},
	{"POST", "/tokenize", (*exchange).tokenize},
	{"GET HEAD", "/models", (*exchange).listModels},
	{"GET HEAD", "/models/", (*exchange).oneModel},
	{"GET HEAD", "/props", (*exchange).props},
	{"POST", "/api/chat", (*exchange).ollamaChat},
	{"POST", "/api/generate", (*exchange).generate},
	{"POST", "/api/embed", (*exchange).embed},
	{"GET HEAD", "/api/tags", (*exchange).tags},
	{"GET HEAD", "/api/ps", (*exchange).running},
	{"GET HEAD", "/api/version", (*exchange).version},
	{"POST", "/api/show", (*exchange).show},
	{"POST", "/api/pull", (*exchange).pull},
	{"DELETE", "/api/delete", (*exchange).remove},
	{"POST PUT HEAD", "/api/blobs/", (*exchange).blob},
	{"POST", "/utility/complete", (*exchange).utility},
	{"POST", "/summaries", (*exchange).addSummary},
	{"PATCH", "/summaries/", (*exchange).changeSummary},
	{"GET HEAD", "/health", func(*exchange) answer { return jsonAnswer(200, []byte(`{"status":"ok"}`)) }},
}

// findRoute returns who answers, nil for nobody. A path in the table that ends in a slash takes more behind it.
func findRoute(method, path string) func(*exchange) answer {
	if path == "/" && (method == http.MethodGet || method == http.MethodHead) {
		return func(*exchange) answer { return textAnswer("Ollama is running") }
	}
	for _, r := range routes {
		if !strings.Contains(r.methods, method) {
			continue
		}
		found := strings.HasSuffix(path, r.path)
		if strings.HasSuffix(r.path, "/") {
			found = strings.Contains(path, r.path) && !found
		}
		if found {
			return r.handle
		}
	}
	return nil
}

func isChatPath(path string) bool {
	return strings.HasSuffix(path, "/chat/completions") || strings.HasSuffix(path, "/api/chat") ||
		strings.HasSuffix(path, "/utility/complete")
}

func dialectOf(path string) string {
	switch {
	case strings.HasSuffix(path, "/utility/complete"):
		return Utility
	case strings.HasSuffix(path, "/api/v1/models"), strings.HasSuffix(path, "/api/v0/models"):
		return Other
	case strings.Contains(path, "/api/"):
		return Ollama
	case strings.Contains(path, "/chat/completions"), strings.HasSuffix(path, "/embeddings"),
		strings.HasSuffix(path, "/models"), strings.Contains(path, "/models/"):
		return OpenAI
	}
	return Other
}

func notFound(x *exchange) answer {
	if x.rec.Dialect == Ollama {
		return errorAnswer(Ollama, problem{status: 404, message: "not found"})
	}
	return errorAnswer(OpenAI, problem{status: 404, message: "no such path here", kind: "invalid_request_error"})
}

// pathNumber is the number that a path ends with, 0 when it is none.
func pathNumber(path string) int {
	n, _ := strconv.Atoi(path[strings.LastIndexByte(path, '/')+1:])
	return n
}
