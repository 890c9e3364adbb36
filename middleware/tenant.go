package middleware

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/valyala/fasthttp"
)

// Tenant tells whose checkpoints a request may use.
type Tenant struct {
	header string // "" = the credential
	none   bool
	secret []byte
}

// NewTenant reads the `tenant` setting: credential, header:NAME or none. secret keys the digest, so that the store
// tells nothing about credentials.
func NewTenant(setting string, secret []byte) *Tenant {
	header, _ := strings.CutPrefix(setting, "header:")
	if header == setting {
		header = ""
	}
	return &Tenant{header: header, none: setting == "none", secret: secret}
}

// Of returns the tenant of a request: a digest of its credential, "" where tenants are off. Requests without any
// credential share one tenant of their own.
func (t *Tenant) Of(h *fasthttp.RequestHeader) string {
	if t.none {
		return ""
	}
	mac := hmac.New(sha256.New, t.secret)
	if t.header != "" {
		t.write(mac.Write, h.Peek(t.header))
	} else {
		for _, name := range []string{"Authorization", "X-Api-Key", "Api-Key"} {
			t.write(mac.Write, h.Peek(name))
		}
	}
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// write adds one credential with its length, so that two can not run into each other.
func (t *Tenant) write(write func([]byte) (int, error), value []byte) {
	n := len(value)
	_, _ = write([]byte{byte(n), byte(n >> 8), byte(n >> 16)})
	_, _ = write(value)
}
