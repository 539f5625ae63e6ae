package websub

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Mode says what a request asks for, or what a hub tells.
type Mode string

// The modes of sections 5.1 to 5.3, and what publishers and others ask of hubs beside them.
const (
	Subscribe   Mode = "subscribe"
	Unsubscribe Mode = "unsubscribe"
	Denied      Mode = "denied"   // hub to subscriber only
	Publish     Mode = "publish"  // a topic has news (PubSubHubbub 0.4 section 7.1)
	Retrieve    Mode = "retrieve" // what a topic is now, as Superfeedr has it
	Replay      Mode = "replay"   // the newest delivery again, likewise
)

// Request is what a subscriber asks of a hub (section 5.1).
type Request struct {
	Mode     Mode
	Topic    string
	Callback string
	Secret   string        // at most MaxSecret bytes; empty: deliveries are not signed
	Lease    time.Duration // whole seconds; 0: the hub decides

	Method      Method // of the signature, an extension; empty: the hub decides
	VerifyToken string // PubSubHubbub 0.3: echoed by the hub; empty: none
}

// maxLease is the longest lease that is told apart from longer ones.
const maxLease = 10 * 365 * 24 * time.Hour

// Form is the request as a hub takes it, by POST. hub.verify is for hubs of PubSubHubbub 0.3, which refuse a request
// without it; others ignore what they do not know.
func (r Request) Form() url.Values {
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
		form.Set("hub.signature_algorithm", string(r.Method))
	}
	if r.VerifyToken != "" {
		form.Set("hub.verify_token", r.VerifyToken)
	}
	return form
}

// PublishForm is the form that tells a hub of news of a topic. The Recommendation leaves it open (section 6); hubs take
// hub.url, as PubSubHubbub 0.4 had it, or hub.topic, or either.
func PublishForm(topic string) []byte {
	return []byte(url.Values{"hub.mode": {"publish"}, "hub.url": {topic}, "hub.topic": {topic}}.Encode())
}

// MaxChallenge bounds the challenge that is echoed, in bytes.
const MaxChallenge = 512

// Intent is what a hub asks at a callback: whether a subscriber means it (section 5.3), or that it is denied (5.2).
type Intent struct {
	Mode      Mode
	Topic     string
	Challenge string        // to be echoed; none where denied
	Lease     time.Duration // 0: not said, as by hubs that keep subscriptions for ever
	Reason    string        // why it is denied; may be empty

	VerifyToken string // PubSubHubbub 0.3: of the request; empty: it had none
}

// URL is where a hub asks, by GET: the callback as it is, with the parameters behind its own (section 5.1.1). Those may
// have the same names, and stay.
func (i Intent) URL(callback string) string {
	var b strings.Builder
	b.WriteString(callback)
	separator := byte('?')
	if strings.Contains(callback, "?") {
		separator = '&'
	}
	for _, parameter := range [...][2]string{
		{"hub.mode", string(i.Mode)}, {"hub.topic", i.Topic}, {"hub.challenge", i.Challenge}, {"hub.lease_seconds", i.seconds()},
		{"hub.reason", i.Reason}, {"hub.verify_token", i.VerifyToken},
	} {
		if parameter[1] != "" {
			b.WriteByte(separator)
			b.WriteString(parameter[0] + "=" + strings.ReplaceAll(url.QueryEscape(parameter[1]), "+", "%20"))
			separator = '&'
		}
	}
	return b.String()
}

// seconds is the lease that is announced: of a subscription alone.
func (i Intent) seconds() string {
	if i.Mode != Subscribe || i.Lease <= 0 {
		return ""
	}
	return strconv.FormatInt(int64(i.Lease/time.Second), 10)
}

// maxReaders bounds the number of readers that a subscriber can claim.
const maxReaders = 10_000_000

// Readers is how many readers a subscriber says it has (X-Hub-On-Behalf-Of, PubSubHubbub 0.3 section 7.4); 0: it says
// nothing. Nobody checks it.
func Readers(header http.Header) int {
	n, err := strconv.Atoi(strings.TrimSpace(header.Get("X-Hub-On-Behalf-Of")))
	if err != nil || n < 0 {
		return 0
	}
	return min(n, maxReaders)
}

// ParseIntent reads the query of a GET at a callback. It reports false for what no hub sends: another mode, no topic, no
// challenge or one that is longer than MaxChallenge.
func ParseIntent(query url.Values) (Intent, bool) {
	i := Intent{
		Mode: Mode(query.Get("hub.mode")), Topic: query.Get("hub.topic"), Challenge: query.Get("hub.challenge"),
		Reason: query.Get("hub.reason"),
	}
	const most = int64(maxLease / time.Second)
	if seconds, err := strconv.ParseInt(query.Get("hub.lease_seconds"), 10, 64); err == nil {
		i.Lease = time.Duration(min(max(seconds, 0), most)) * time.Second
	}
	switch i.Mode {
	case Denied:
		return i, i.Topic != ""
	case Subscribe, Unsubscribe:
		return i, i.Topic != "" && i.Challenge != "" && len(i.Challenge) <= MaxChallenge
	}
	return i, false
}
