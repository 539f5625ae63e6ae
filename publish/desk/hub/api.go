package hub

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// counts serves GET /api/v1/hub.
func (h *Hub) counts(r *http.Request) (Counts, error) {
	s, err := h.store.HubState(r.Context())
	return Counts{s, s.Lag.String()}, err
}

// listSubscriptions serves GET /api/v1/hub/subscriptions. ?topic= selects a topic by URL or id.
func (h *Hub) listSubscriptions(r *http.Request) (page feed.Page[Subscription], err error) {
	query := web.QueryOf(r)
	topic, limit := query.Get("topic"), query.Limit()
	if query.Err != nil {
		return page, query.Err
	}
	if strings.Contains(topic, ":") {
		topic = feed.TopicID(topic)
	}
	all, err := h.store.Subscriptions(r.Context(), topic, query.Get("cursor"), limit)
	items := make([]Subscription, len(all))
	for i := range all {
		items[i] = viewOf(&all[i])
	}
	return web.Part(items, limit, func(s *Subscription) string { return s.ID }), err
}

// getSubscription serves GET /api/v1/hub/subscriptions/{subscription}, with the callback.
func (h *Hub) getSubscription(r *http.Request) (Subscription, error) {
	s, err := h.store.Subscription(r.Context(), r.PathValue("subscription"))
	view := viewOf(&s)
	view.URL = s.Callback
	return view, err
}

// maxPending bounds the pending requests of a subscription that a person denies. It is high enough that requests by others in the name of
// the subscriber cannot prevent the denial.
const maxPending = 16

// deny notifies the subscriber of the path and ends its subscription.
func (h *Hub) deny(r *http.Request) (s feed.Subscription, err error) {
	var body struct {
		Reason string `json:"reason"` // sent to the subscriber; may be empty
	}
	if r.ContentLength != 0 {
		if err := web.Input(r, &body); err != nil {
			return s, err
		}
	}
	reason := strings.TrimSpace(body.Reason)
	if len(reason) > 200 {
		return s, feed.Invalid("reason", "use at most 200 bytes")
	}
	s, err = h.store.Subscription(r.Context(), r.PathValue("subscription"))
	switch {
	case err != nil:
		return s, err
	case s.Kind == feed.KindWebhook:
		return s, fmt.Errorf("subscription %s is a webhook; remove the webhook instead: %w", s.ID, feed.ErrConflict)
	case s.Kind == feed.KindPing:
		return s, fmt.Errorf("subscription %s is another hub; remove it from hub.ping instead: %w", s.ID, feed.ErrConflict)
	}
	err = h.store.AddHubRequest(r.Context(), feed.HubRequest{Mode: feed.HubDenied, Topic: s.Topic, Callback: s.Callback, Reason: reason}, maxPending)
	if err != nil {
		return s, err
	}
	h.opts.Requested()
	h.web.Logger.Info("subscription denied", "subscription", s.ID)
	web.Changed(r, feed.SubscriptionObject(&s), "", reason)
	return s, nil
}
