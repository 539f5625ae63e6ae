package websub

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Modes of requests besides those of the vocabulary: extensions of the Recommendation.
const (
	Publish  feed.HubMode = "publish"  // by a publisher that has news (PubSubHubbub 0.4 section 7.1)
	Retrieve feed.HubMode = "retrieve" // returns the current document, as at Superfeedr
	List     feed.HubMode = "list"     // returns the subscriptions of a callback to their owner
	Replay   feed.HubMode = "replay"   // repeats the newest delivery, as at Superfeedr
	Test     feed.HubMode = "test"     // sends a test message to a callback
	Badge    feed.HubMode = "badge"    // returns an image with the number of subscribers of a topic
)

// maxLease bounds leases.
const maxLease = 10 * 365 * 24 * time.Hour

// RequestForm returns the form to POST to a hub to subscribe or unsubscribe (section 5.1). Hubs of PubSubHubbub 0.3 reject
// requests without hub.verify; others ignore it.
func RequestForm(r *feed.HubRequest) url.Values {
	form := url.Values{
		"hub.mode":     {string(r.Mode)},
		"hub.topic":    {r.Topic},
		"hub.callback": {r.Callback},
		"hub.verify":   {"async"},
	}
	if r.Secret != "" {
		form.Set("hub.secret", r.Secret)
	}
	if r.Lease > 0 {
		form.Set("hub.lease_seconds", strconv.FormatInt(int64(r.Lease/time.Second), 10))
	}
	if r.Method != "" {
		form.Set("hub.signature_algorithm", r.Method)
	}
	if r.VerifyToken != "" {
		form.Set("hub.verify_token", r.VerifyToken)
	}
	return form
}

// PublishForm returns the form of a publish request. The Recommendation does not define it (section 6); hubs accept
// hub.url, as in PubSubHubbub 0.4, or hub.topic, or either.
func PublishForm(topic string) []byte {
	return []byte(url.Values{"hub.mode": {"publish"}, "hub.url": {topic}, "hub.topic": {topic}}.Encode())
}

// MaxChallenge bounds a challenge, in bytes.
const MaxChallenge = 512

// Intent is a verification request of a hub to a callback (section 5.3), or a denial (section 5.2).
type Intent struct {
	feed.HubRequest        // Lease is 0 if the hub states none, because its subscriptions do not end
	Challenge       string // for the callback to echo; empty for a denial
}

// URL returns the URL to GET: the callback with the parameters appended to its own (section 5.1.1), even if these have the
// same names.
func (i *Intent) URL() string {
	var b strings.Builder
	b.WriteString(i.Callback)
	separator := byte('?')
	if strings.Contains(i.Callback, "?") {
		separator = '&'
	}
	for _, parameter := range [...][2]string{
		{"hub.mode", string(i.Mode)}, {"hub.topic", cmp.Or(i.RequestedTopic, i.Topic)}, {"hub.challenge", i.Challenge},
		{"hub.lease_seconds", i.seconds()}, {"hub.reason", i.Reason}, {"hub.verify_token", i.VerifyToken},
	} {
		if parameter[1] != "" {
			b.WriteByte(separator)
			b.WriteString(parameter[0] + "=" + strings.ReplaceAll(url.QueryEscape(parameter[1]), "+", "%20"))
			separator = '&'
		}
	}
	return b.String()
}

// seconds returns the lease if it is to be stated, which is only so for subscribe.
func (i *Intent) seconds() string {
	if i.Mode != feed.HubSubscribe || i.Lease <= 0 {
		return ""
	}
	return strconv.FormatInt(int64(i.Lease/time.Second), 10)
}

// maxReaders bounds the number of readers that a subscriber can report.
const maxReaders = 10_000_000

// Readers returns how many readers a subscriber reports (X-Hub-On-Behalf-Of, PubSubHubbub 0.3 section 7.4), or 0. The
// number is not verified.
func Readers(header http.Header) int {
	n, err := strconv.Atoi(strings.TrimSpace(header.Get("X-Hub-On-Behalf-Of")))
	if err != nil || n < 0 {
		return 0
	}
	return min(n, maxReaders)
}

// ParseIntent parses the query of a GET to a callback. It reports false for an unknown mode, a missing topic, and a missing
// or too long challenge.
func ParseIntent(query url.Values) (Intent, bool) {
	i := Intent{Challenge: query.Get("hub.challenge")}
	i.Mode, i.Topic, i.Reason = feed.HubMode(query.Get("hub.mode")), query.Get("hub.topic"), query.Get("hub.reason")
	const most = int64(maxLease / time.Second)
	if seconds, err := strconv.ParseInt(query.Get("hub.lease_seconds"), 10, 64); err == nil {
		i.Lease = time.Duration(min(max(seconds, 0), most)) * time.Second
	}
	switch i.Mode {
	case feed.HubDenied:
		return i, i.Topic != ""
	case feed.HubSubscribe, feed.HubUnsubscribe:
		return i, i.Topic != "" && i.Challenge != "" && len(i.Challenge) <= MaxChallenge
	}
	return i, false
}
