package hub

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// The header fields of a webhook (Standard Webhooks 1.0.0, "Webhook headers"), in the spelling of net/http.
const (
	webhookID        = "Webhook-Id"
	webhookTimestamp = "Webhook-Timestamp"
	webhookSignature = "Webhook-Signature"
)

// maxWebhook bounds the body of a webhook, in bytes. The post of a larger one goes without its text, which the API has.
const maxWebhook = 256 << 10

// Webhooks is the outlet for webhooks: each signal is a distribution of the topics whose filters take it.
func Webhooks() Outlet {
	return Outlet{Topics: feed.SignalTopics, Make: makeWebhooks}
}

func makeWebhooks(_ context.Context, topic string, news News) (all []feed.Distribution, err error) {
	filter, ok := feed.ParseSignalTopic(topic)
	for i := range news.Signals {
		s := &news.Signals[i]
		if !ok || !filter.Takes(s) {
			continue
		}
		body, err := webhookBody(s)
		if err != nil {
			return nil, err
		}
		all = append(all, feed.Distribution{Topic: topic, ContentType: "application/json", Body: body})
	}
	return all, nil
}

// webhook is what a webhook is sent ("Webhook payload").
type webhook struct {
	Type      string       `json:"type"` // the kind of the signal, or "test"
	Timestamp time.Time    `json:"timestamp"`
	Data      *feed.Signal `json:"data,omitempty"`
}

// webhookBody is a signal as a webhook is sent it, with its post as it is now.
func webhookBody(s *feed.Signal) ([]byte, error) {
	body, err := json.Marshal(webhook{string(s.Kind), s.Time.UTC(), s})
	if err != nil || len(body) <= maxWebhook || s.Post == nil {
		return body, err
	}
	short, post := *s, *s.Post
	post.Content, post.Summary, post.Extra = "", "", nil
	short.Post = &post
	return json.Marshal(webhook{string(s.Kind), s.Time.UTC(), &short})
}

// signWebhook sets the header fields of one try to send a webhook: its name, which is the same with each try, the time of
// the try, and the signature over both and the body. feed.ErrInvalid: the secret is none.
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

// TestWebhook sends a webhook a message of type "test" at once, and tells the HTTP status, 0 for none, and the class of
// the answer. Nothing is written down of it.
func (e *Engine) TestWebhook(ctx context.Context, sub feed.Subscription) (status int, reason string) {
	now := e.opts.Now()
	body, _ := json.Marshal(webhook{Type: "test", Timestamp: now.UTC()}) // it always encodes
	d := feed.Delivery{Subscription: sub, Version: now.UnixMilli(), Fence: now.Add(2 * e.terms().Timeout)}
	a, err := e.send(ctx, &d, &feed.Distribution{Version: d.Version, ContentType: "application/json", Body: body})
	if err != nil {
		return 0, classTimeout
	}
	return a.status, a.class
}
