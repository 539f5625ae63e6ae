package hub

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Webhook is one item of GET /api/v1/webhooks: a subscription that receives signals as JSON.
type Webhook struct {
	Subscription
	Kinds  []feed.SignalKind `json:"kinds,omitempty"`  // left out: those of sources and posts
	Source string            `json:"source,omitempty"` // feed_url; left out: all
	Secret string            `json:"secret,omitempty"` // only in the response to POST
}

// WebhookTest is the response of POST /api/v1/webhooks/{webhook}/test.
type WebhookTest struct {
	Taken  bool   `json:"taken"`            // the response was 2xx
	Status int    `json:"status,omitempty"` // HTTP; left out: no response
	Reason string `json:"reason"`           // class of the response: "2xx", "timeout" …
}

func webhookOf(s *feed.Subscription) Webhook {
	f, _ := feed.ParseSignalTopic(s.Topic)
	return Webhook{Subscription: viewOf(s), Kinds: f.Kinds, Source: f.Source}
}

// webhookBody is the body of POST /api/v1/webhooks.
type webhookBody struct {
	URL    string            `json:"url"`
	Kinds  []feed.SignalKind `json:"kinds"`  // left out: those of sources and posts
	Source string            `json:"source"` // feed_url; left out: all
	Secret string            `json:"secret"` // "whsec_…"; left out: a new one
}

// maxWebhooks bounds the webhooks of a daemon.
const maxWebhooks = 1000

// webhooks returns all webhooks.
func (h *Hub) webhooks(ctx context.Context) (all []Webhook, err error) {
	topics, err := h.store.Topics(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range topics {
		if _, ok := feed.ParseSignalTopic(t.URL); !ok {
			continue
		}
		some, err := h.store.Subscriptions(ctx, t.ID, "", maxWebhooks)
		if err != nil {
			return nil, err
		}
		for i := range some {
			all = append(all, webhookOf(&some[i]))
		}
	}
	return all, nil
}

// addWebhook serves POST /api/v1/webhooks. If a webhook has the same URL and filter, it gets the new secret.
func (h *Hub) addWebhook(w http.ResponseWriter, r *http.Request) error {
	var body webhookBody
	if err := web.Decode(r, &body); err != nil {
		return err
	}
	sub, err := body.subscription()
	if err != nil {
		return err
	}
	all, err := h.webhooks(r.Context())
	if err != nil {
		return err
	}
	status := http.StatusCreated
	if slices.ContainsFunc(all, func(known Webhook) bool { return known.ID == sub.ID }) {
		status = http.StatusOK
	} else if len(all) >= maxWebhooks {
		return fmt.Errorf("there are %d webhooks, the maximum; remove one first: %w", len(all), feed.ErrConflict)
	}
	if err := h.store.Subscribe(r.Context(), &sub); err != nil {
		return err
	}
	added, err := h.store.Subscription(r.Context(), sub.ID)
	if err != nil {
		return err
	}
	h.web.Logger.Info("webhook added", "subscription", sub.ID)
	web.Changed(r, feed.SubscriptionObject(&added), "", "")
	view := webhookOf(&added)
	view.Secret = sub.Secret
	web.JSON(w, status, view)
	return nil
}

// subscription returns the subscription of a body, or the errors of all its fields.
func (b *webhookBody) subscription() (feed.Subscription, error) {
	var problems feed.FieldErrors
	check := func(field string, err error) {
		if err != nil {
			problems = append(problems, feed.FieldError{Field: field, Reason: err.Error()})
		}
	}
	if b.Secret == "" {
		b.Secret = feed.NewWebhookSecret()
	}
	sub, filter := feed.Subscription{Callback: b.URL, Kind: feed.KindWebhook, Secret: b.Secret}, feed.SignalFilter{Kinds: b.Kinds}
	check("url", feed.CheckCallback(b.URL))
	_, err := feed.WebhookKey(b.Secret)
	check("secret", err)
	for _, k := range b.Kinds {
		if !slices.Contains(feed.SignalKinds(), k) {
			problems = append(problems, feed.FieldError{
				Field: "kinds", Reason: fmt.Sprintf("unknown kind %.64q; use one of %v", k, feed.SignalKinds()),
			})
			break
		}
	}
	if b.Source != "" {
		filter.Source, err = feed.CanonicalURL(b.Source)
		check("source", err)
	}
	if problems != nil {
		return sub, problems
	}
	sub.Topic = filter.Topic()
	sub.ID = feed.SubscriptionID(sub.Topic, sub.Callback)
	return sub, nil
}

// webhook returns the webhook of the path.
func (h *Hub) webhook(r *http.Request) (feed.Subscription, error) {
	id := r.PathValue("webhook")
	s, err := h.store.Subscription(r.Context(), id)
	if err == nil && s.Kind != feed.KindWebhook {
		err = fmt.Errorf("webhook %.32q: %w", id, feed.ErrNotFound)
	}
	return s, err
}

// getWebhook serves GET /api/v1/webhooks/{webhook}.
func (h *Hub) getWebhook(r *http.Request) (Webhook, error) {
	s, err := h.webhook(r)
	return webhookOf(&s), err
}

// removeWebhook serves DELETE /api/v1/webhooks/{webhook}.
func (h *Hub) removeWebhook(r *http.Request) error {
	s, err := h.webhook(r)
	if err != nil {
		return err
	}
	if err := h.store.Unsubscribe(r.Context(), s.ID); err != nil {
		return err
	}
	web.Changed(r, feed.SubscriptionObject(&s), "", "")
	h.web.Logger.Info("webhook removed", "subscription", s.ID)
	return nil
}

// testWebhook serves POST /api/v1/webhooks/{webhook}/test. It sends a message of type "test" before all pending deliveries.
func (h *Hub) testWebhook(r *http.Request) (WebhookTest, error) {
	s, err := h.webhook(r)
	if err != nil {
		return WebhookTest{}, err
	}
	status, reason := h.opts.Test(r.Context(), s)
	return WebhookTest{Taken: status/100 == 2, Status: status, Reason: reason}, nil
}
