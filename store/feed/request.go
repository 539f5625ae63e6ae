package feed

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Request is what a person decided about the requests for one source. The zero value takes the daemon's defaults.
type Request struct {
	Timeout     time.Duration     // of one fetch
	MinInterval time.Duration     // the shortest adaptive interval
	Headers     map[string]string // sent besides the daemon's own, to the source's own host only; may hold secrets
	Username    string            // of HTTP Basic, to the source's own host only; empty: none
	Password    string            //
	Proxy       string            // URL, or "direct" for none; empty: the daemon's
}

// ShownProxy is the proxy without its password.
func (r *Request) ShownProxy() string {
	if u, err := url.Parse(r.Proxy); err == nil {
		return u.Redacted()
	}
	return r.Proxy
}

// isManaged reports whether the fetch itself answers for a header field.
func isManaged(name string) bool {
	switch strings.ToLower(name) {
	case "host", "connection", "content-length", "transfer-encoding", "accept-encoding", "if-none-match",
		"if-modified-since", "range", "te", "trailer", "upgrade", "referer", "expect":
		return true
	}
	return false
}

// CheckHeader refuses, with ErrInvalid, header fields that cannot be sent (RFC 9110 section 5) and those that the fetch
// itself answers for. The error does not repeat the value.
func CheckHeader(name, value string) error {
	token := func(r rune) bool {
		return r > ' ' && r < 0x7f && !strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	}
	other := func(r rune) bool { return !token(r) }
	switch {
	case name == "" || len(name) > 100 || strings.ContainsFunc(name, other):
		return fmt.Errorf("%w: %.100q is not the name of a header field", ErrInvalid, name)
	case isManaged(name):
		return fmt.Errorf("%w: header field %s is set by the fetch itself", ErrInvalid, name)
	case len(value) > 4096 || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return fmt.Errorf("%w: the value of header field %s has a control character or more than 4096 bytes", ErrInvalid, name)
	}
	return nil
}

// CheckProxy refuses, with ErrInvalid, what is not the URL of an HTTP or SOCKS5 proxy. The error does not repeat it: it
// may hold a password.
func CheckProxy(s string) error {
	u, err := url.Parse(s)
	if err != nil || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) || u.Hostname() == "" ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return fmt.Errorf("%w: a proxy is written like http://proxy.example.org:3128 or socks5://127.0.0.1:1080", ErrInvalid)
	}
	return nil
}

// CheckCredentials refuses, with ErrInvalid, what HTTP Basic cannot carry (RFC 7617 section 2). The error repeats neither.
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
