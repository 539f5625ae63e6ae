package feed

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Request is the connection settings of a source. The zero value selects the defaults of the daemon.
type Request struct {
	Timeout     time.Duration     `redis:"timeout"`      // of one fetch
	MinInterval time.Duration     `redis:"min_interval"` // the shortest adaptive interval
	Headers     map[string]string `redis:"headers"`      // additional header fields, sent only to Source.SecretsOrigin; may be secret
	Username    string            `redis:"username"`     // HTTP Basic, sent only to Source.SecretsOrigin; empty: none
	Password    string            `redis:"password"`     //
	Proxy       string            `redis:"proxy"`        // URL, or "direct" for none; empty: default of the daemon
	SecretsFor  string            `redis:"secrets_for"`  // Origin for which they were entered after a move; empty: that of the source
	Cleared     string            `redis:"cleared"`      // why the secrets were removed and must be entered again; empty: they were not
}

// HasSecrets reports whether there are credentials: a user name, a password, or header fields that may contain a key.
func (r *Request) HasSecrets() bool {
	for name := range r.Headers {
		if isSecretHeader(name) {
			return true
		}
	}
	return r.Username != "" || r.Password != ""
}

// WithoutSecrets returns the settings without user name, password and the header fields that may contain a key.
func (r Request) WithoutSecrets() Request {
	r.Username, r.Password, r.SecretsFor = "", "", ""
	r.Headers = maps.Clone(r.Headers)
	maps.DeleteFunc(r.Headers, func(name, _ string) bool { return isSecretHeader(name) })
	return r
}

// isSecretHeader reports whether the value of a header field may be a key.
func isSecretHeader(name string) bool {
	return !slices.Contains([]string{"accept", "accept-language", "referer", "user-agent"}, strings.ToLower(name))
}

// ShownProxy returns the proxy without its password.
func (r *Request) ShownProxy() string {
	if u, err := url.Parse(r.Proxy); err == nil {
		return u.Redacted()
	}
	return r.Proxy
}

// managed lists the header fields that the fetcher sets.
var managed = []string{
	"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "if-none-match", "if-modified-since", "range", "te",
	"trailer", "upgrade", "referer", "expect",
}

// CheckHeader checks an additional header field (RFC 9110 section 5). ErrInvalid: it is malformed, or the fetcher sets it. The
// error does not contain the value.
func CheckHeader(name, value string) error {
	token := func(r rune) bool {
		return r > ' ' && r < 0x7f && !strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	}
	other := func(r rune) bool { return !token(r) }
	switch {
	case name == "" || len(name) > 100 || strings.ContainsFunc(name, other):
		return fmt.Errorf("%w: %.100q is not the name of a header field", ErrInvalid, name)
	case slices.Contains(managed, strings.ToLower(name)):
		return fmt.Errorf("%w: header field %s is set by feedwire", ErrInvalid, name)
	case len(value) > 4096 || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return fmt.Errorf("%w: the value of header field %s has a control character or more than 4096 bytes", ErrInvalid, name)
	}
	return nil
}

// CheckProxy checks the URL of an HTTP or SOCKS5 proxy. The ErrInvalid does not contain the URL, which may contain a password.
func CheckProxy(s string) error {
	u, err := url.Parse(s)
	if err != nil || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) || u.Hostname() == "" ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return fmt.Errorf("%w: write a proxy like http://proxy.example.org:3128 or socks5://127.0.0.1:1080", ErrInvalid)
	}
	return nil
}

// CheckCredentials checks credentials for HTTP Basic (RFC 7617 section 2). The ErrInvalid does not contain them.
func CheckCredentials(username, password string) error {
	control := func(r rune) bool { return r < ' ' || r == 0x7f }
	switch {
	case username == "" && password != "":
		return fmt.Errorf("%w: there is a password, but no user name", ErrInvalid)
	case strings.Contains(username, ":") || strings.ContainsFunc(username+password, control) || len(username+password) > 4096:
		return fmt.Errorf("%w: a colon in the user name, a control character, or more than 4096 bytes", ErrInvalid)
	}
	return nil
}
