package summarizer

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"recap/dialect"
	"recap/tokens"
)

// How long one summary call may take, and how much of its answer is read.
const (
	callTimeout = 10 * time.Minute
	maxAnswer   = 8 << 20
)

// NewClient returns a client for summary calls: a small pool of its own, answers as they are (no compression), and no
// redirect is followed, for it could carry credentials elsewhere. config may be nil.
func NewClient(config *tls.Config) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			TLSClientConfig:     config,
			DisableCompression:  true,
			MaxIdleConnsPerHost: 4,
			MaxConnsPerHost:     16,
			IdleConnTimeout:     30 * time.Second,
			TLSHandshakeTimeout: 15 * time.Second,
			ForceAttemptHTTP2:   true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// overflow tells that a prompt was too long for the summariser. limit and used are tokens, 0 = not said.
type overflow struct{ limit, used, sent int }

// Error implements error.
func (o overflow) Error() string {
	return "ask for summary: the prompt is over the summariser's window"
}

// maxLearning is how often one question is put again because the answer taught how to put it.
const maxLearning = 3

// ask puts one question and returns the cleaned answer.
func (w *writer) ask(ctx context.Context, text string, limit int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	for try := 0; ; try++ {
		status, body, after, err := w.post(ctx, w.question(text, limit))
		if err != nil {
			return "", err
		}
		reply, err := w.asker.Answer(status, body)
		if err == nil {
			w.count(&reply, w.asked(text))
			return clean(reply.Text), nil
		}
		if long, ok := dialect.Overflow(status, body); ok {
			return "", overflow{long.Limit, long.Used, w.asked(text)}
		}
		if try >= maxLearning || !w.learn(err, status, body) {
			return "", refusal{reason: answerReason(err, status), retryAfter: after}
		}
	}
}

// question builds the call. Window and keep-alive go along only where the model is the chat's own, so that no
// model is loaded anew (B3).
func (w *writer) question(text string, limit int) dialect.Question {
	lesson := w.memory.get(w.place())
	q := dialect.Question{
		Model: w.model, Prompt: text, MaxTokens: limit, TokensField: lesson.tokensField,
		Parameters: w.job.Options.Parameters, NoThink: true, Live: w.live,
	}
	if t := styleOf(&w.job.Options).temperature; t > 0 && !lesson.noTemperature {
		if _, set := q.Parameters["temperature"]; !set {
			q.Parameters = with(q.Parameters, "temperature", t)
		}
	}
	if w.own {
		q.NumCtx, q.KeepAlive = w.job.NumCtx, w.job.KeepAlive
	}
	return q
}

func with(parameters map[string]any, name string, value any) map[string]any {
	all := map[string]any{name: value}
	for k, v := range parameters {
		all[k] = v
	}
	return all
}

// count adds up what the calls took; asked is what the question weighs where the answer does not say.
func (w *writer) count(reply *dialect.Reply, asked int) {
	w.usage.Cached += reply.Usage.Cached
	if reply.Usage.Prompt > 0 {
		w.usage.Prompt += reply.Usage.Prompt
	} else {
		w.usage.Prompt += asked
	}
	if reply.Usage.Completion > 0 {
		w.usage.Completion += reply.Usage.Completion
	} else {
		w.usage.Completion += tokens.Estimate(reply.Text)
	}
	if reply.Model != "" {
		w.answered = reply.Model
	}
}

// post sends one question. Errors never hold a URL, for that may hold a key.
func (w *writer) post(ctx context.Context, q dialect.Question) (status int, body []byte, after time.Duration, err error) {
	req, err := w.request(ctx, q)
	if err != nil {
		return 0, nil, 0, err
	}
	w.calls++
	resp, err := w.client.Do(req)
	if err != nil {
		return 0, nil, 0, networkError(ctx, err)
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return 0, nil, 0, networkError(ctx, err)
	}
	return resp.StatusCode, body, retryAfter(resp.Header.Get("Retry-After")), nil
}

func networkError(ctx context.Context, err error) error {
	var timeout interface{ Timeout() bool }
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return refusal{reason: ReasonTimeout}
	}
	return refusal{reason: ReasonNetwork}
}

// ownHeaders are not taken over from the chat's request: they belong to its connection and body, or are ours.
var ownHeaders = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "Content-Length", "Content-Encoding", "Accept-Encoding", "Expect", "Host",
	"Idempotency-Key",
}

func (w *writer) request(ctx context.Context, q dialect.Question) (*http.Request, error) {
	built, err := w.asker.Ask(q)
	if err != nil {
		return nil, refusal{reason: ReasonProvider}
	}
	address := w.target.URL
	if w.job.Options.Provider != "" {
		if address, err = join(address, built.Path); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(built.Body))
	if err != nil {
		return nil, refusal{reason: ReasonProvider}
	}
	for name, values := range w.target.Header {
		req.Header[http.CanonicalHeaderKey(name)] = append([]string(nil), values...)
	}
	for _, name := range ownHeaders {
		req.Header.Del(name)
	}
	for name := range req.Header {
		if strings.HasPrefix(name, "X-Recap-") {
			delete(req.Header, name)
		}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("X-Recap-Mode", "off") // should the call come back to us, it is only relayed
	return req, nil
}

// learn takes from a refused call how to put it right; false when there is nothing to learn.
func (w *writer) learn(err error, status int, body []byte) bool {
	var answer *dialect.AnswerError
	if !errors.As(err, &answer) || status != http.StatusBadRequest {
		return false
	}
	before := w.memory.get(w.place())
	if answer.TokensField {
		field := "max_completion_tokens"
		if before.tokensField == field {
			field = "max_tokens"
		}
		w.memory.change(w.place(), func(l *lesson) { l.tokensField = field })
		return true
	}
	if !before.noTemperature && styleOf(&w.job.Options).temperature > 0 && bytes.Contains(body, []byte("temperature")) {
		w.memory.change(w.place(), func(l *lesson) { l.noTemperature = true })
		return true
	}
	return false
}

// answerReason is the word for an answer that is not one.
func answerReason(err error, status int) string {
	var answer *dialect.AnswerError
	if !errors.As(err, &answer) {
		return ReasonShape
	}
	switch answer.Kind {
	case "status":
		return "http-" + strconv.Itoa(status)
	case "length":
		return ReasonTruncated
	case "error-in-200":
		return ReasonErrorText
	}
	return answer.Kind
}

// retryAfter reads a number of seconds or a date.
func retryAfter(value string) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(max(seconds, 0)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}
