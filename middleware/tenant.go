package middleware

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/maphash"
	"slices"
	"strings"

	"recap/chat"
)

// Tenant tells whose checkpoints a request may use.
type Tenant struct {
	header string // "" = the credential
	none   bool
	secret []byte
	known  *chat.Memo[[2]uint64, string] // by a fingerprint, so that no credential is kept
	seeds  [2]maphash.Seed
}

// tenantsRemembered is for how many credentials the digest is remembered.
const tenantsRemembered = 10_000

// NewTenant reads the `tenant` setting: credential, header:NAME or none. secret keys the digest, so that the store
// tells nothing about credentials.
func NewTenant(setting string, secret []byte) *Tenant {
	header, _ := strings.CutPrefix(setting, "header:")
	if header == setting {
		header = ""
	}
	return &Tenant{
		header: header, none: setting == "none", secret: secret, known: chat.NewMemo[[2]uint64, string](tenantsRemembered),
		seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
	}
}

// Of returns the tenant of a request, header being its look-up and query what stands behind the path's question mark: a
// digest of its credential, "" where tenants are off. Requests without any credential share one tenant of their own.
func (t *Tenant) Of(header func(name string) string, query string) string {
	name, _ := t.Find(header, query)
	return name
}

// Find is Of, and gives a number that stands for the tenant in this process, never 0.
func (t *Tenant) Find(header func(name string) string, query string) (name string, mark uint64) {
	if t.none {
		return "", 1
	}
	var space [512]byte
	who := t.credential(space[:0], header, query)
	marks := [2]uint64{maphash.Bytes(t.seeds[0], who), maphash.Bytes(t.seeds[1], who)}
	if name, ok := t.known.Get(marks); ok {
		return name, marks[0] | 1
	}
	mac := hmac.New(sha256.New, t.secret)
	_, _ = mac.Write(slices.Clone(who)) // what a Writer gets is no longer on the stack
	name = hex.EncodeToString(mac.Sum(nil)[:16])
	t.known.Put(marks, name)
	return name, marks[0] | 1
}

// credential appends what tells tenants apart, each value with its length, so that two cannot run into each other.
func (t *Tenant) credential(dst []byte, header func(string) string, query string) []byte {
	if t.header != "" {
		return appendField(dst, header(t.header))
	}
	for _, name := range credentialHeaders {
		dst = appendField(dst, header(name))
	}
	for part := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(part, "="); slices.Contains(credentialParameters, strings.ToLower(name)) {
			dst = appendField(dst, value)
		}
	}
	if len(dst) == 4*len(credentialHeaders) { // nothing else names the caller
		dst = appendField(dst, header("Cookie"))
	}
	return dst
}

// Where clients of chat services put their keys. A cookie counts where none of them is there.
var (
	credentialHeaders    = []string{"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key"}
	credentialParameters = []string{"key", "api_key", "api-key", "apikey", "token", "access_token"}
)

func appendField(dst []byte, value string) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(value)))
	return append(dst, value...)
}
