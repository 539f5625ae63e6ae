package websub

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// ModeOf returns the mode of a form or a query in lower case.
func ModeOf(form url.Values) feed.HubMode { return feed.HubMode(strings.ToLower(form.Get("hub.mode"))) }

// ParseRequest parses a request to subscribe or unsubscribe (section 5.1). The first value of a repeated parameter counts.
// Unknown parameters, and the lease of an unsubscribe request, are ignored. Both URLs are normalised as by ParseURL. The
// error names the parameter, without its value. A lease or method that the request leaves to the hub is zero.
func ParseRequest(form url.Values) (feed.HubRequest, error) {
	r := feed.HubRequest{
		Mode: ModeOf(form), Secret: form.Get("hub.secret"), Method: strings.ToLower(form.Get("hub.signature_algorithm")),
		VerifyToken: form.Get("hub.verify_token"),
	}
	if r.Mode != feed.HubSubscribe && r.Mode != feed.HubUnsubscribe {
		return r, errors.New("hub.mode: must be subscribe or unsubscribe")
	}
	var err error
	if r.Callback, err = ParseURL(form.Get("hub.callback")); err != nil {
		return r, fmt.Errorf("hub.callback: %w", err)
	}
	if r.Topic, err = ParseURL(form.Get("hub.topic")); err != nil {
		return r, fmt.Errorf("hub.topic: %w", err)
	}
	if len(r.Secret) > MaxSecret {
		return r, fmt.Errorf("hub.secret: must be shorter than %d bytes", MaxSecret+1)
	}
	if len(r.VerifyToken) > maxURL {
		return r, fmt.Errorf("hub.verify_token: must not be longer than %d bytes", maxURL)
	}
	if r.Method != "" && !IsMethod(r.Method) {
		return r, errors.New("hub.signature_algorithm: must be one of sha1, sha256, sha384, sha512")
	}
	if r.Mode == feed.HubSubscribe {
		if r.Form, err = parseForm(form); err != nil {
			return r, fmt.Errorf("hub.filter: %w", err)
		}
		if r.Lease, err = parseLease(form.Get("hub.lease_seconds")); err != nil {
			return r, fmt.Errorf("hub.lease_seconds: %w", err)
		}
	}
	return r, nil
}

// parseForm parses the form of the news. An unknown hub.format is ignored.
func parseForm(form url.Values) (f feed.Form, err error) {
	f.JSON = strings.EqualFold(form.Get("hub.format"), "json")
	if f.Filter = strings.Join(slices.DeleteFunc(slices.Clone(form["hub.filter"]), func(rule string) bool { return rule == "" }), "\n"); f.Filter != "" {
		_, err = feed.ParseNewsFilter(f.Filter)
	}
	return f, err
}

// parseLease parses a number of seconds, up to maxLease. An empty lease, and 0, which some subscribers send, mean that the
// hub decides.
func parseLease(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	seconds, err := strconv.ParseUint(text, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, errors.New("must be a number of seconds")
	}
	return time.Duration(min(seconds, uint64(maxLease/time.Second))) * time.Second, nil
}

// ParseURL checks a topic or callback: an absolute http or https URL of at most 2048 bytes without user name and fragment.
// It decodes percent-encoded characters that need no encoding (RFC 3986 section 6.2.2.2) and changes nothing else. The
// error does not contain the URL.
func ParseURL(raw string) (string, error) {
	switch {
	case raw == "":
		return "", errors.New("is missing")
	case len(raw) > maxURL:
		return "", fmt.Errorf("must not be longer than %d bytes", maxURL)
	case strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "", errors.New("must not contain spaces or control characters")
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return "", errors.New("is not a URL")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", errors.New("must be an absolute http or https URL")
	case u.User != nil:
		return "", errors.New("must be a URL without user name and password")
	case strings.Contains(raw, "#"):
		return "", errors.New("must be a URL without a fragment")
	}
	return decodeUnreserved(raw), nil
}

// decodeUnreserved decodes the characters that never need percent-encoding (RFC 3986 section 2.3).
func decodeUnreserved(raw string) string {
	var b []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] == '%' && i+2 < len(raw) && bytes.IndexByte(b[max(0, len(b)-2):], '%') < 0 { // the result must not form a new escape
			if n, err := strconv.ParseUint(raw[i+1:i+3], 16, 8); err == nil && unreserved(byte(n)) {
				b = append(b, byte(n))
				i += 2
				continue
			}
		}
		b = append(b, raw[i])
	}
	return string(b)
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// Published returns the topics of a publish request, each once. They are in hub.url, as in PubSubHubbub, or in hub.topic.
func Published(form url.Values) []string {
	var topics []string
	for _, name := range []string{"hub.url", "hub.topic"} {
		for _, topic := range form[name] {
			if topic != "" && !slices.Contains(topics, topic) {
				topics = append(topics, topic)
			}
		}
	}
	return topics
}
