package delivery

import (
	"context"
	"encoding/json"

	"github.com/feedwire/feedwire/store/feed"
)

// testHeader marks a test message to a callback, which is no news. That to a webhook has the type "test" instead.
const testHeader = "X-Feedwire-Test"

// Test sends a test message to a subscriber now, signed as news is, and returns the HTTP status, or 0, and the class of the response or
// of the failure. It stores nothing.
func (e *Engine) Test(ctx context.Context, sub feed.Subscription) (status int, reason string) {
	now := e.opts.Now()
	d := feed.Delivery{Subscription: sub, Version: now.UnixMilli(), Test: sub.Kind == feed.KindWebSub}
	message := feed.Distribution{
		Version: d.Version, ContentType: "text/plain; charset=utf-8", Body: []byte("This is a test of the hub. It is no news of " + sub.Topic + ".\n"),
	}
	if sub.Kind == feed.KindWebhook {
		message.ContentType = "application/json"
		message.Body, _ = json.Marshal(webhook{Type: "test", Timestamp: now.UTC()}) // cannot fail
	}
	r, err := e.send(ctx, &d, d.ID(), &message)
	if err != nil {
		return 0, classTimeout
	}
	return r.status, r.reason()
}
