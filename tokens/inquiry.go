package tokens

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxAnswer bounds what is read of one answer, in bytes.
const maxAnswer = 8 << 20

// inquiry asks one upstream about one model.
type inquiry struct {
	ctx    context.Context
	client *http.Client
	header http.Header
	root   string // the base URL without a version at its end
	v1     string // the base URL with /v1 at its end
	model  string
}

// newInquiry returns nil when the base URL is none.
func newInquiry(ctx context.Context, client *http.Client, a Ask) *inquiry {
	u, err := url.Parse(a.URL)
	if err != nil || u.Host == "" {
		return nil
	}
	u.RawQuery, u.Fragment = "", ""
	base := strings.TrimRight(u.String(), "/")
	q := &inquiry{ctx: ctx, client: client, model: a.Model, root: base, v1: base}
	if a.Header != nil {
		q.header = a.Header()
	}
	if root, ok := strings.CutSuffix(base, "/v1"); ok {
		q.root = strings.TrimSuffix(root, "/api")
	} else {
		q.root = strings.TrimSuffix(base, "/api")
		q.v1 = base + "/v1"
	}
	return q
}

// get reads the JSON at address into into and reports whether it was there.
func (q *inquiry) get(address string, into any) bool {
	return q.call(http.MethodGet, address, "", into)
}

func (q *inquiry) call(method, address, body string, into any) bool {
	ctx, cancel := context.WithTimeout(q.ctx, probeTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return false
	}
	for name, values := range q.header {
		request.Header[name] = values
	}
	request.Header.Set("Accept", "application/json")
	if strings.HasSuffix(address, "/models") && request.Header.Get("X-Api-Key") != "" {
		request.Header.Set("Anthropic-Version", "2023-06-01") // without it, Anthropic tells nothing
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := q.client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return false
	}
	return json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(into) == nil
}

// minTold is the smallest size that is believed, in tokens: less is a server that says something else by it.
const minTold = 128

// number is a size in tokens as servers write it: an integer, a float, a string or null.
type number int

// UnmarshalJSON implements json.Unmarshaler. What is no size that a model may have is 0.
func (n *number) UnmarshalJSON(data []byte) error {
	*n = 0
	var f float64
	if json.Unmarshal([]byte(strings.Trim(string(data), `"`)), &f) == nil && f >= minTold && f <= maxWindow {
		*n = number(f)
	}
	return nil
}
