package hub

import (
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

// webhookBody is what a webhook is sent ("Webhook payload"): the signal, with its post as it is when the body is made.
type webhookBody struct {
	Type      string    `json:"type"` // the kind of the signal
	Timestamp time.Time `json:"timestamp"`
	Data      any       `json:"data"`
}

// webhookVersion is the version of a topic that tells of one signal.
func webhookVersion(topic string, s *feed.Signal) (feed.Distribution, error) {
	body, err := json.Marshal(webhookBody{string(s.Kind), s.Time.UTC(), s})
	if err == nil && len(body) > maxWebhook && s.Post != nil {
		short, post := *s, *s.Post
		post.Content, post.Summary, post.Extra = "", "", nil
		short.Post = &post
		body, err = json.Marshal(webhookBody{string(s.Kind), s.Time.UTC(), short})
	}
	return feed.Distribution{Topic: topic, ContentType: "application/json", Body: body}, err
}

// signWebhook sets the header fields of one try to send a webhook: its name, which is the same with each try, the time of
// the try, and the signature over both and the body.
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
