package feed

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// SignalKinds returns all kinds of signals.
func SignalKinds() []SignalKind {
	return []SignalKind{FeedCreated, FeedModified, PostCreated, PostModified, PostDeleted, CommentCreated, EntryVoted, ListModified}
}

// DefaultSignalKinds returns the kinds that webhooks receive which name none: those of sources and posts. Receivers that were written
// before others existed get no signals that they do not know.
func DefaultSignalKinds() []SignalKind {
	return slices.DeleteFunc(SignalKinds(), func(k SignalKind) bool { return !k.OfSource() })
}

// SignalFilter selects the signals of a webhook. The zero value selects DefaultSignalKinds of all sources.
type SignalFilter struct {
	Kinds  []SignalKind // empty: DefaultSignalKinds
	Source string       // feed URL; empty: all
}

// Matches reports whether the filter selects a signal.
func (f SignalFilter) Matches(s *Signal) bool {
	kinds := f.Kinds
	if len(kinds) == 0 {
		kinds = DefaultSignalKinds()
	}
	return slices.Contains(kinds, s.Kind) && (f.Source == "" || f.Source == s.FeedURL)
}

// String describes the filter: "all signals of sources and posts", "signals post_created, post_modified of https://…".
func (f SignalFilter) String() string {
	text := "all signals of sources and posts"
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

// signalTopic is the prefix of the topics of filters. They are not http URLs, so that only webhooks can subscribe to them.
const signalTopic = "feedwire:signals?"

// Topic returns the topic of the filter, which is the same for equal filters:
// "feedwire:signals?kind=post_created&source=https%3A%2F%2Fblog.example%2Ffeed".
func (f SignalFilter) Topic() string {
	query := make(url.Values)
	// In a fixed order.
	kinds := slices.DeleteFunc(SignalKinds(), func(k SignalKind) bool { return !slices.Contains(f.Kinds, k) })
	if slices.Equal(kinds, DefaultSignalKinds()) {
		kinds = nil
	}
	for _, k := range kinds {
		query.Add("kind", string(k))
	}
	if f.Source != "" {
		query.Set("source", f.Source)
	}
	return signalTopic + query.Encode()
}

// ParseSignalTopic returns the filter of a topic. It reports false for other topics.
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

// The secret of a webhook is "whsec_" and 24 to 64 bytes in base64 (Standard Webhooks 1.0.0, "Signature scheme").
const (
	secretPrefix   = "whsec_"
	minSecretBytes = 24
	maxSecretBytes = 64
)

// NewWebhookSecret returns a secret of 32 random bytes.
func NewWebhookSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// WebhookKey decodes a secret. ErrInvalid: it is malformed.
func WebhookKey(secret string) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < minSecretBytes || len(key) > maxSecretBytes {
		return nil, fmt.Errorf("%w secret: write %s and %d to %d bytes in base64", ErrInvalid, secretPrefix, minSecretBytes, maxSecretBytes)
	}
	return key, nil
}

// CheckCallback checks the URL of a callback: an absolute http or https URL of at most 2048 bytes without user name and
// fragment. The ErrInvalid does not contain the URL, which may be a secret.
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
		return fmt.Errorf("%w: the URL contains a user name or password; remove it", ErrInvalid)
	case strings.Contains(raw, "#"):
		return fmt.Errorf("%w: the URL has a fragment; remove it", ErrInvalid)
	}
	return nil
}
