package websub

import (
	"net/url"
	"strconv"
	"time"
)

// Mode says what a request asks for, or what a hub tells.
type Mode string

// The modes of sections 5.1 to 5.3.
const (
	Subscribe   Mode = "subscribe"
	Unsubscribe Mode = "unsubscribe"
	Denied      Mode = "denied" // hub to subscriber only
)

// Request is what a subscriber asks of a hub (section 5.1).
type Request struct {
	Mode     Mode
	Topic    string
	Callback string
	Secret   string        // at most MaxSecret bytes; empty: deliveries are not signed
	Lease    time.Duration // whole seconds; 0: the hub decides
}

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
}

// ParseIntent reads the query of a GET at a callback. It reports false for what no hub sends: another mode, no topic, no
// challenge or one that is longer than MaxChallenge.
func ParseIntent(query url.Values) (Intent, bool) {
	i := Intent{
		Mode: Mode(query.Get("hub.mode")), Topic: query.Get("hub.topic"), Challenge: query.Get("hub.challenge"),
		Reason: query.Get("hub.reason"),
	}
	const most = int64(10 * 365 * 24 * time.Hour / time.Second)
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
