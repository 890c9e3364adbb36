package middleware

import (
	"errors"
	"strconv"

	"github.com/valyala/fasthttp"

	"recap/dialect"
)

// Names as fasthttp wants them for its fast way in.
var (
	statusHeader  = []byte("X-Recap-Status")
	sessionHeader = []byte("X-Recap-Session")
	tokensHeader  = []byte("X-Recap-Tokens")
	summaryHeader = []byte("X-Recap-Summary")
)

// setHeaders tells the client what happened (design.md §7 «Answer headers»).
func (x *exchange) setHeaders(h *fasthttp.ResponseHeader) {
	var space [128]byte
	h.SetCanonical(statusHeader, x.appendStatus(space[:0]))
	if x.session != "" {
		h.SetCanonical(sessionHeader, append(space[:0], x.session...))
	}
	if x.decision.Status == "" {
		return
	}
	d := &x.decision
	b := strconv.AppendInt(append(space[:0], "before="...), int64(d.Before), 10)
	b = strconv.AppendInt(append(b, ", after="...), int64(d.After), 10)
	b = strconv.AppendInt(append(b, ", window="...), int64(x.window.Size), 10)
	h.SetCanonical(tokensHeader, append(append(b, ", source="...), x.window.Source...))
	if d.Used != nil {
		h.Set("X-Recap-Checkpoint", `"`+d.Used.Checkpoint.Key.String()+`";covers=`+
			strconv.Itoa(d.Used.Cut.Covers)+";rows="+strconv.Itoa(len(d.Used.Rows)))
	}
	if x.summary != "" {
		h.SetCanonical(summaryHeader, append(space[:0], x.summary...))
	}
}

func (x *exchange) statusItem() string { return string(x.appendStatus(nil)) }

func (x *exchange) appendStatus(item []byte) []byte {
	item = append(item, x.status...)
	if x.reason != "" {
		item = append(append(item, ";reason="...), x.reason...)
	}
	if x.broke {
		item = append(item, ";broke-prefix"...)
	}
	if x.retried {
		item = append(item, ";retried"...)
	}
	if x.window.Cut {
		item = append(item, ";silent-cut"...)
	}
	return item
}

// refuse answers with an error of our own in the dialect's shape.
func (x *exchange) refuse(ctx *fasthttp.RequestCtx, status int, code, message string) {
	ctx.SetStatusCode(status)
	ctx.SetContentType("application/json")
	ctx.Response.Header.Set("X-Should-Retry", "false")
	ctx.SetBody(x.d.Error(status, code, message))
}

// unreadable answers for a body that could not be read.
func (x *exchange) unreadable(ctx *fasthttp.RequestCtx, err error) {
	ctx.SetConnectionClose()
	if errors.Is(err, ErrTooLarge) {
		x.refuse(ctx, fasthttp.StatusRequestEntityTooLarge, "", "recap: request body is larger than limits.body")
		return
	}
	x.refuse(ctx, fasthttp.StatusBadRequest, "", "recap: request body could not be read")
}

// tooLong is what `overflow: reject` answers.
func (x *exchange) tooLong(ctx *fasthttp.RequestCtx) {
	d := &x.decision
	x.setHeaders(&ctx.Response.Header)
	x.refuse(ctx, fasthttp.StatusBadRequest, "context_length_exceeded",
		"This model's maximum context length is "+strconv.Itoa(x.window.Size)+" tokens. However, your messages resulted in "+
			strconv.Itoa(d.After)+" tokens. A summary of the older ones is not written yet.")
}

func oddReason(err error) string {
	var odd *dialect.Odd
	if errors.As(err, &odd) {
		return odd.Reason
	}
	return "decode"
}
