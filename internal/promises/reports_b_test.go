package promises_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"recap/config"
	"recap/internal/fakellm"
)

// B1: the window is the one that Ollama has allocated, not the model's; a request's own num_ctx stands over it; the
// trigger looks at that.
func TestB1OllamaWindowThroughTheProxy(t *testing.T) {
	r := newRig(t, 0, fakellm.Options{Window: 4096, TrainedWindow: 131072}, nil)
	small := []byte(`{"model":"fake-model","messages":[{"role":"user","content":"hi"}]}`)
	said := ""
	r.until("window=4096, source=upstream", func() bool {
		said = r.chat("ollama", small).header.Get("X-Recap-Tokens")
		return strings.Contains(said, "window=4096, source=upstream")
	})
	body := plain("", 40, 500, lastUser)
	if a := r.chat("ollama", body); !has(a.status(), "provisional") {
		t.Errorf("over 4096: status %q, %s", a.status(), a.header.Get("X-Recap-Tokens"))
	}
	a := r.chat("ollama", bytes.Replace(body, []byte(`"messages"`), []byte(`"options":{"num_ctx":32768},"messages"`), 1))
	if got := a.header.Get("X-Recap-Tokens"); !has(a.status(), "clear") || !strings.Contains(got, "window=32768, source=request") {
		t.Errorf("with num_ctx: status %q, %s", a.status(), got)
	}
}

// B3, B6: over the level, every key beside the messages stays as it was; the summary call has the chat's num_ctx and
// keep_alive or none, and does not think.
func TestB3B6KeysStayOverTheLevel(t *testing.T) {
	f := func(extra, numCtx, keepAlive string) {
		t.Helper()
		r := newRig(t, 4096, fakellm.Options{}, nil)
		body := bytes.Replace(plain("", 40, 500, lastUser), []byte(`{"model":"fake-model",`), []byte(`{ "model":"fake-model",`+extra), 1)
		for range 2 {
			if a := r.chat("ollama", body); a.code != 200 || bytes.Equal(r.sent(), body) {
				t.Fatalf("%s: %d, status %q: the body was not rewritten", extra, a.code, a.status())
			}
			if err := fakellm.CheckKept("ollama", body, r.sent()); err != nil {
				t.Error(err)
			}
			if !strings.HasPrefix(string(r.sent()), `{ "model":"fake-model",`+extra+`"messages":[`) {
				t.Errorf("sent %.300s", r.sent())
			}
			r.settle()
		}
		var asked struct {
			Options   map[string]any  `json:"options"`
			KeepAlive json.RawMessage `json:"keep_alive"`
			Think     json.RawMessage `json:"think"`
		}
		calls := r.up.Summaries()
		if len(calls) == 0 {
			t.Fatal("no summary call")
		}
		if err := json.Unmarshal(calls[0].Body, &asked); err != nil {
			t.Fatal(err)
		}
		got := "none"
		if n, ok := asked.Options["num_ctx"]; ok {
			got = fmt.Sprint(n)
		}
		if calls[0].Path != "/api/chat" || got != numCtx || string(asked.KeepAlive) != keepAlive || string(asked.Think) == "true" {
			t.Errorf("%s: the summary call goes to %s with num_ctx %s, keep_alive %s, think %s", extra, calls[0].Path, got, asked.KeepAlive, asked.Think)
		}
	}
	f(`"think":"high","format":{ "type":"object" },"options":{"num_ctx":4096,"temperature":0,"num_predict":5,"stop":["x"]},"truncate":false,"keep_alive":-1,"x_y":1.10,`, "4096", "-1")
	f(`"think":true,"keep_alive":"10m","shift":false,"raw":12345678901234567890,`, "none", `"10m"`)
	f(`"stream":false,`, "none", "")
}

// P1, B6, B8: answers come back byte for byte, whatever they hold and however they are cut, plain and streamed.
func TestP1B6B8AnswersByteForByte(t *testing.T) {
	lines := "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"ż\\u00e9\",\"thinking\":\"hm\"},\"x\":1.10,\"done\":false}\n" +
		"{\"odd\": 12345678901234567890}\n\n{\"done\":true,\"done_reason\":\"stop\",\"total_duration\":1,\"prompt_eval_count\":26,\"eval_count\":2}"
	events := ": ping\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"漢😀\"}}]}\n\nevent: odd\ndata:x\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\n\ndata: [DONE]"
	f := func(path, kind, text string, piece int) {
		t.Helper()
		o := fakellm.Options{Handle: map[string]http.HandlerFunc{path: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("X-Accel-Buffering", "no")
			for rest := text; rest != ""; {
				n := min(piece, len(rest))
				_, _ = io.WriteString(w, rest[:n])
				w.(http.Flusher).Flush()
				rest = rest[n:]
			}
		}}}
		r := newRig(t, 100_000, o, nil)
		a := r.do("POST", path, `{"model":"fake-model","messages":[{"role":"user","content":"hi"}]}`)
		if string(a.body) != text || a.header.Get("Content-Type") != kind || a.header.Get("X-Accel-Buffering") != "no" {
			t.Errorf("%s in pieces of %d: got %q, %v", path, piece, a.body, a.header)
		}
	}
	for _, piece := range []int{1, 7, 10_000} {
		f("/api/chat", "application/x-ndjson", lines, piece)
		f("/v1/chat/completions", "text/event-stream", events, piece)
	}
	f("/api/chat", "application/json", `{ "message":{"role":"assistant","content":"\u00e9"},"done":true, "x":1.10}`+"\n", 10)
}

// B7, B10: a chat without a stream key streams line by line through the compactor, and so does a pull.
func TestB7B10LinesArriveLive(t *testing.T) {
	for _, path := range []string{"/api/chat", "/api/pull"} {
		next := make(chan struct{})
		r := newRig(t, 100_000, fakellm.Options{Handle: map[string]http.HandlerFunc{path: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/x-ndjson")
			for i := range 3 {
				fmt.Fprintf(w, "{\"n\":%d}\n", i)
				w.(http.Flusher).Flush()
				<-next
			}
		}}}, nil)
		req, _ := http.NewRequest("POST", r.url+path, strings.NewReader(`{"model":"fake-model","messages":[{"role":"user","content":"hi"}]}`))
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(resp.Body)
		for i := range 3 {
			line, err := lines.ReadString('\n') // a relay that holds a line back would wait for ever
			if want := fmt.Sprintf("{\"n\":%d}\n", i); line != want || err != nil {
				t.Errorf("%s: got %q, %v; want %q", path, line, err, want)
			}
			next <- struct{}{}
		}
		if rest, err := io.ReadAll(lines); len(rest) > 0 || err != nil || resp.Header.Get("Content-Type") != "application/x-ndjson" {
			t.Errorf("%s: at the end %q, %v, type %s", path, rest, err, resp.Header.Get("Content-Type"))
		}
		resp.Body.Close()
	}
}

// B10: uploads and other paths are not taken for chats: no summary, no status, and the bytes arrive.
func TestB10UploadIsNoChat(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{}, nil)
	chat := string(plain("", 60, 500, lastUser))
	for _, path := range []string{"/api/blobs/sha256:00", "/api/embed", "/v1/embeddings"} {
		a := r.do("POST", path, chat)
		all := r.up.Find(func(q *fakellm.Recorded) bool { return q.Path == path })
		if len(all) != 1 || all[0].Bytes != int64(len(chat)) || a.status() != "" {
			t.Errorf("%s: %d requests, status %q", path, len(all), a.status())
		}
	}
	r.settle()
	if n := len(r.up.Summaries()); n != 0 {
		t.Errorf("%d summaries", n)
	}
}

// B11: the default for the first byte is ten minutes or more, far over those of connect and idle.
func TestB11Defaults(t *testing.T) {
	d := config.Default().Upstreams[0].Timeouts
	if d.FirstByte < 10*time.Minute || d.Connect <= 0 || d.Connect > 30*time.Second || d.Idle < time.Minute || d.Idle > d.FirstByte {
		t.Errorf("timeouts %+v", d)
	}
}
