package desk

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// Webhook is one item of GET /api/v1/webhooks: a subscription that gets signals as JSON.
type Webhook struct {
	HubSubscription
	Kinds  []feed.SignalKind `json:"kinds,omitempty"`  // left out: all
	Source string            `json:"source,omitempty"` // feed_url; left out: all
	Secret string            `json:"secret,omitempty"` // only in the answer that tells of a new one
}

// WebhookTest is the answer of POST /api/v1/webhooks/{webhook}/test.
type WebhookTest struct {
	Taken  bool   `json:"taken"`            // it answered with a 2xx
	Status int    `json:"status,omitempty"` // HTTP; left out: no answer
	Reason string `json:"reason"`           // class of the answer: "2xx", "timeout" …
}

func webhookOf(s *feed.Subscription) Webhook {
	f, _ := feed.ParseSignalTopic(s.Topic)
	return Webhook{HubSubscription: hubSubscription(s), Kinds: f.Kinds, Source: f.Source}
}

// webhookBody is what POST /webhooks takes.
type webhookBody struct {
	URL    string            `json:"url"`
	Kinds  []feed.SignalKind `json:"kinds"`  // left out: all
	Source string            `json:"source"` // feed_url; left out: all
	Secret string            `json:"secret"` // "whsec_…"; left out: one is made
}

// maxWebhooks bounds the webhooks of a daemon.
const maxWebhooks = 1000

// listWebhooks answers webhooks in the order of their ids.
func (d *Desk) listWebhooks(w http.ResponseWriter, r *http.Request) error {
	all, err := d.webhooks(r.Context())
	if err != nil {
		return err
	}
	items := make([]Webhook, len(all))
	for i := range all {
		items[i] = webhookOf(&all[i])
	}
	page, err := pieceOf(r, items, func(h Webhook) string { return h.ID })
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, page)
	return nil
}

// webhooks are all webhooks, in the order of their ids.
func (d *Desk) webhooks(ctx context.Context) ([]feed.Subscription, error) {
	topics, err := d.opts.Hub.Topics(ctx)
	if err != nil {
		return nil, err
	}
	var all []feed.Subscription
	for _, t := range topics {
		if _, ok := feed.ParseSignalTopic(t.URL); !ok {
			continue
		}
		some, err := d.opts.Hub.Subscriptions(ctx, t.ID, "", maxWebhooks)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b feed.Subscription) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

// addWebhook makes a webhook, or gives one with the same URL and filter another secret.
func (d *Desk) addWebhook(w http.ResponseWriter, r *http.Request) error {
	var body webhookBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	sub, err := body.subscription()
	if err != nil {
		return err
	}
	all, err := d.webhooks(r.Context())
	if err != nil {
		return err
	}
	status := http.StatusCreated
	if slices.ContainsFunc(all, func(s feed.Subscription) bool { return s.ID == sub.ID }) {
		status = http.StatusOK
	} else if len(all) >= maxWebhooks {
		return fmt.Errorf("there are %d webhooks, which is the most: %w", len(all), feed.ErrConflict)
	}
	if err := d.opts.Hub.Subscribe(r.Context(), &sub); err != nil {
		return err
	}
	made, err := d.opts.Hub.Subscription(r.Context(), sub.ID)
	if err != nil {
		return err
	}
	d.opts.Logger.Info("webhook added", "subscription", sub.ID)
	about(r, subscriptionText(&made), "", "")
	seen := webhookOf(&made)
	seen.Secret = sub.Secret
	answer(w, status, seen)
	return nil
}

// subscription checks the body, all fields at once.
func (b *webhookBody) subscription() (feed.Subscription, error) {
	var problems invalid
	blame := func(field string, err error) {
		if err != nil {
			problems = append(problems, feed.FieldError{Field: field, Reason: err.Error()})
		}
	}
	if b.Secret == "" {
		b.Secret = feed.NewWebhookSecret()
	}
	sub, filter := feed.Subscription{Callback: b.URL, Way: feed.WayWebhook, Secret: b.Secret}, feed.SignalFilter{Kinds: b.Kinds}
	blame("url", feed.CheckCallback(b.URL))
	_, err := feed.WebhookKey(b.Secret)
	blame("secret", err)
	for _, k := range b.Kinds {
		if !slices.Contains(feed.SignalKinds(), k) {
			problems = append(problems, feed.FieldError{
				Field: "kinds", Reason: fmt.Sprintf("there is no kind %.64q; there are: %v", k, feed.SignalKinds()),
			})
			break
		}
	}
	if b.Source != "" {
		filter.Source, err = feed.CanonicalURL(b.Source)
		blame("source", err)
	}
	if problems != nil {
		return sub, problems
	}
	sub.Topic = filter.Topic()
	sub.ID = feed.SubscriptionID(sub.Topic, sub.Callback)
	return sub, nil
}

// webhook is the one of the path.
func (d *Desk) webhook(r *http.Request) (feed.Subscription, error) {
	id := r.PathValue("webhook")
	s, err := d.opts.Hub.Subscription(r.Context(), id)
	if err == nil && s.Way != feed.WayWebhook {
		err = fmt.Errorf("webhook %.32q: %w", id, feed.ErrNotFound)
	}
	return s, err
}

func (d *Desk) removeWebhook(w http.ResponseWriter, r *http.Request) error {
	s, err := d.webhook(r)
	if err != nil {
		return err
	}
	if err := d.opts.Hub.Unsubscribe(r.Context(), s.ID); err != nil {
		return err
	}
	d.opts.Logger.Info("webhook removed", "subscription", s.ID)
	about(r, subscriptionText(&s), "", "")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// testWebhook sends a webhook a message of type "test" at once, whatever else waits for it, and answers how it was taken.
func (d *Desk) testWebhook(w http.ResponseWriter, r *http.Request) error {
	s, err := d.webhook(r)
	if err != nil {
		return err
	}
	if d.opts.TestWebhook == nil {
		return fmt.Errorf("this daemon cannot test a webhook: %w", feed.ErrConflict)
	}
	status, reason := d.opts.TestWebhook(r.Context(), s)
	answer(w, http.StatusOK, WebhookTest{Taken: status/100 == 2, Status: status, Reason: reason})
	return nil
}
