package delivery

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Header fields of a webhook (Standard Webhooks 1.0.0, "Webhook headers"), as net/http spells them.
const (
	webhookID        = "Webhook-Id"
	webhookTimestamp = "Webhook-Timestamp"
	webhookSignature = "Webhook-Signature"
)

// maxWebhook bounds the body of a webhook, in bytes. A larger one is sent without the text of its post, which the API
// returns.
const maxWebhook = 256 << 10

// Webhooks distribute each signal to the topics whose filters match it, of all kinds: those of its source, and those of all sources.
func Webhooks() []Outlet {
	return []Outlet{
		{Filters: true, Make: makeWebhooks, Redact: redactWebhook},
		{Filters: true, Make: makeWebhooks, Redact: redactWebhook, Shared: true},
	}
}

// filterTopic is a topic of webhooks that has subscribers.
type filterTopic struct {
	topic  string
	filter feed.SignalFilter
}

// filterTopics returns the topics of webhooks that have subscribers, if an outlet needs them. It reports false if ctx has ended.
func (e *Engine) filterTopics(ctx context.Context) (all []filterTopic, ok bool) {
	if !slices.ContainsFunc(e.outlets, func(o Outlet) bool { return o.Filters }) {
		return nil, true
	}
	topics, ok := patiently(ctx, e, "webhooks are not read", e.store.FilterTopics)
	for _, topic := range topics {
		if filter, known := feed.ParseSignalTopic(topic); known { // a newer daemon may know more kinds
			all = append(all, filterTopic{topic, filter})
		}
	}
	return all, ok
}

func makeWebhooks(_ context.Context, topic string, news News) (all []feed.Distribution, err error) {
	filter, ok := feed.ParseSignalTopic(topic)
	for i := range news.Signals {
		s := &news.Signals[i]
		if !ok || !filter.Matches(s) {
			continue
		}
		body, err := webhookBody(s)
		if err != nil {
			return nil, err
		}
		d := feed.Distribution{Topic: topic, ContentType: "application/json", Body: body}
		if s.IsPost() {
			d.Posts = []string{s.Entry}
		}
		all = append(all, d)
	}
	return all, nil
}

// redactWebhook removes the members that a signal loses with its post.
func redactWebhook(body []byte, _ *feed.Signal) ([]byte, error) {
	var w struct {
		Type      string                     `json:"type"`
		Timestamp time.Time                  `json:"timestamp"`
		Data      map[string]json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, err
	}
	delete(w.Data, "post")
	delete(w.Data, "changed")
	return json.Marshal(w)
}

// webhook is the body of a webhook ("Webhook payload").
type webhook struct {
	Type      string       `json:"type"` // the kind of the signal, or "test"
	Timestamp time.Time    `json:"timestamp"`
	Data      *feed.Signal `json:"data,omitempty"`
}

// webhookBody encodes a signal with its post in its current state.
func webhookBody(s *feed.Signal) ([]byte, error) {
	body, err := json.Marshal(webhook{string(s.Kind), s.Time.UTC(), s})
	if err != nil || len(body) <= maxWebhook || s.Post == nil {
		return body, err
	}
	short := s.WithoutText()
	return json.Marshal(webhook{string(s.Kind), s.Time.UTC(), &short})
}

// signWebhook sets the header fields of one attempt: the id, which is the same for each attempt, the time of the attempt,
// and the signature of both and the body. feed.ErrInvalid: the secret is malformed.
func signWebhook(header http.Header, secret, id string, body []byte, now time.Time) error {
	key, err := feed.WebhookKey(secret)
	if err != nil {
		return err
	}
	stamp := strconv.FormatInt(now.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	header[webhookID], header[webhookTimestamp] = []string{id}, []string{stamp}
	header[webhookSignature] = []string{"v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))}
	return nil
}
