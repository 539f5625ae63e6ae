package feed

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// SignalKinds lists all kinds of signals.
func SignalKinds() []SignalKind {
	return []SignalKind{FeedCreated, FeedModified, PostCreated, PostModified}
}

// SignalFilter says which signals a webhook gets. The zero value takes all.
type SignalFilter struct {
	Kinds  []SignalKind // none: all
	Source string       // feed_url; empty: of all sources
}

// Takes reports whether a signal passes.
func (f SignalFilter) Takes(s *Signal) bool {
	return (len(f.Kinds) == 0 || slices.Contains(f.Kinds, s.Kind)) && (f.Source == "" || f.Source == s.FeedURL)
}

// String tells which signals pass, for people: "all signals", "signals post_created, post_modified of https://…".
func (f SignalFilter) String() string {
	text := "all signals"
	if len(f.Kinds) > 0 {
		kinds := make([]string, len(f.Kinds))
		for i, k := range f.Kinds {
			kinds[i] = string(k)
		}
		text = "signals " + strings.Join(kinds, ", ")
	}
	if f.Source != "" {
		text += " of " + f.Source
	}
	return text
}

// signalTopic is what the topics of filters begin with. They are no URLs of the web: nobody subscribes to them but by us.
const signalTopic = "feedwire:signals?"

// Topic is the filter as the name of a topic, the same for equal filters:
// "feedwire:signals?kind=post_created&source=https%3A%2F%2Fblog.example%2Ffeed".
func (f SignalFilter) Topic() string {
	query := make(url.Values)
	for _, k := range SignalKinds() { // in one order
		if slices.Contains(f.Kinds, k) {
			query.Add("kind", string(k))
		}
	}
	if len(query["kind"]) == len(SignalKinds()) {
		query.Del("kind")
	}
	if f.Source != "" {
		query.Set("source", f.Source)
	}
	return signalTopic + query.Encode()
}

// ParseSignalTopic is the filter of a topic, and false for a topic of another kind.
func ParseSignalTopic(topic string) (SignalFilter, bool) {
	text, ok := strings.CutPrefix(topic, signalTopic)
	query, err := url.ParseQuery(text)
	if !ok || err != nil {
		return SignalFilter{}, false
	}
	f := SignalFilter{Source: query.Get("source")}
	for _, k := range query["kind"] {
		f.Kinds = append(f.Kinds, SignalKind(k))
	}
	return f, f.Topic() == topic
}

// SignalTopics are the topics of all filters that may take signals of a source: of each set of kinds, with the source and
// without. So nobody has to remember which filters there are.
func SignalTopics(feedURL string) []string {
	kinds := SignalKinds()
	var topics []string
	for set := 1; set < 1<<len(kinds); set++ {
		var f SignalFilter
		for i, k := range kinds {
			if set&(1<<i) != 0 {
				f.Kinds = append(f.Kinds, k)
			}
		}
		topics = append(topics, f.Topic())
		f.Source = feedURL
		topics = append(topics, f.Topic())
	}
	return topics
}

// The secret of a webhook, by Standard Webhooks 1.0.0, "Signature scheme": "whsec_" and 24 to 64 bytes in base64.
const (
	secretPrefix   = "whsec_"
	minSecretBytes = 24
	maxSecretBytes = 64
)

// NewWebhookSecret makes a secret of 32 random bytes.
func NewWebhookSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// WebhookKey is the key that a secret stands for. ErrInvalid: it is none.
func WebhookKey(secret string) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < minSecretBytes || len(key) > maxSecretBytes {
		return nil, fmt.Errorf("%w secret: write %s and %d to %d bytes in base64", ErrInvalid, secretPrefix, minSecretBytes, maxSecretBytes)
	}
	return key, nil
}

// CheckCallback reports why a URL cannot be a callback: it is no absolute http or https URL, holds a user name or a
// fragment, or is longer than 2048 bytes. The error does not repeat it, because it may be a secret.
func CheckCallback(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case raw == "":
		return fmt.Errorf("%w: a URL is required", ErrInvalid)
	case len(raw) > maxURL:
		return fmt.Errorf("%w: the URL is longer than %d bytes", ErrInvalid, maxURL)
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return fmt.Errorf("%w: use a URL that starts with http:// or https:// and names a host", ErrInvalid)
	case u.User != nil:
		return fmt.Errorf("%w: the URL holds a user name or password; leave it out", ErrInvalid)
	case strings.Contains(raw, "#"):
		return fmt.Errorf("%w: the URL has a fragment; leave it out", ErrInvalid)
	}
	return nil
}
