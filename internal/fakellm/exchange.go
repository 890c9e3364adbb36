package fakellm

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// exchange is one request while it is answered.
type exchange struct {
	*Server
	w     http.ResponseWriter
	r     *http.Request
	ctx   context.Context // ends when the client leaves
	rec   *Recorded       // written under Server.mu only
	body  *body           // empty when this is no chat, or one that could not be read
	blind bool            // compressed in a way that is not known here: answered, not judged
	fault Fault
}

// record reads the request and puts it into the journal, false when its body could not be read to the end.
func (x *exchange) record() bool {
	r := x.r
	rec := &Recorded{
		Method: r.Method, Target: r.RequestURI, Path: r.URL.Path, Host: r.Host, Header: r.Header.Clone(),
		Chunked: len(r.TransferEncoding) > 0, Dialect: dialectOf(r.URL.Path),
	}
	var err error
	if strings.Contains(rec.Path, "/api/blobs/") {
		rec.Bytes, err = io.Copy(io.Discard, r.Body)
	} else {
		rec.Body, err = io.ReadAll(r.Body)
		rec.Bytes = int64(len(rec.Body))
	}
	rec.Chat = r.Method == http.MethodPost && isChatPath(rec.Path)
	x.rec, x.body = rec, &body{dialect: rec.Dialect}
	if rec.Chat {
		x.read(rec)
	}
	x.append(rec)
	return err == nil
}

// read looks into the body of a chat.
func (x *exchange) read(rec *Recorded) {
	if rec.Dialect == Utility {
		rec.Summary = true
		return
	}
	text, ok := plain(rec.Header.Get("Content-Encoding"), rec.Body)
	if !ok {
		x.blind = true
		return
	}
	b, err := parseBody(rec.Dialect, text)
	if err != nil {
		return
	}
	x.body, rec.body = b, b
	model, _ := lookup(b.fields, "model")
	stream, found := lookup(b.fields, "stream")
	rec.Model = unquote(model.value)
	rec.Stream = string(stream.value) == "true" || (rec.Dialect == Ollama && (!found || isNull(stream.value)))
	if x.opts.IsSummary != nil {
		rec.Summary = x.opts.IsSummary(rec)
	} else {
		rec.Summary = hasMarker(rec, x.opts.Markers)
	}
}

func plain(coding string, text []byte) ([]byte, bool) {
	switch coding {
	case "", "identity":
		return text, true
	case "gzip":
		zip, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			return nil, false
		}
		text, err = io.ReadAll(zip)
		return text, err == nil
	}
	return nil, false
}

// wait lets time pass, false when the client left or the server closed meanwhile.
func (x *exchange) wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.ctx.Done():
		x.left()
	case <-x.done:
	}
	return false
}

// hang holds the connection until the client leaves or the server closes.
func (x *exchange) hang() {
	select {
	case <-x.ctx.Done():
		x.left()
	case <-x.done:
	}
}

// left notes that the client is gone.
func (x *exchange) left() {
	select {
	case <-x.done: // then it is the server that broke the connection
	default:
		x.note(func(rec *Recorded) { rec.Gone = time.Now() })
	}
}
