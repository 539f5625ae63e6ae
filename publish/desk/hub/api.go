package hub

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// getCounts serves GET /api/v1/hub.
func (h *Hub) getCounts(w http.ResponseWriter, r *http.Request) error {
	s, err := h.store.HubState(r.Context())
	if err != nil {
		return err
	}
	web.JSON(w, http.StatusOK, Counts{
		Subscriptions: s.Subscriptions, Topics: s.Topics, Failing: s.Failing, Ready: s.Ready, Later: s.Later,
		Planning: s.Planning, DeadLetters: s.DeadLetters, Lag: s.Lag.String(),
	})
	return nil
}

// listTopics serves GET /api/v1/hub/topics, ordered by URL.
func (h *Hub) listTopics(w http.ResponseWriter, r *http.Request) error {
	topics, err := h.store.Topics(r.Context())
	if err != nil {
		return err
	}
	items := make([]Topic, len(topics))
	for i, t := range topics {
		items[i] = Topic(t)
	}
	page, err := web.PageOf(r, items, func(t Topic) string { return t.URL })
	if err != nil {
		return err
	}
	web.JSON(w, http.StatusOK, page)
	return nil
}

// listSubscriptions serves GET /api/v1/hub/subscriptions. ?topic= selects a topic by URL or id.
func (h *Hub) listSubscriptions(w http.ResponseWriter, r *http.Request) error {
	limit, err := web.Limit(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	topic := query.Get("topic")
	if strings.Contains(topic, ":") {
		topic = feed.TopicID(topic)
	}
	all, err := h.store.Subscriptions(r.Context(), topic, query.Get("cursor"), limit)
	if err != nil {
		return err
	}
	items := make([]Subscription, len(all))
	for i := range all {
		items[i] = viewOf(&all[i])
	}
	next := ""
	if len(all) == limit {
		next = all[limit-1].ID
	}
	web.JSON(w, http.StatusOK, web.List(items, next))
	return nil
}

// getSubscription serves GET /api/v1/hub/subscriptions/{subscription}, with the callback.
func (h *Hub) getSubscription(w http.ResponseWriter, r *http.Request) error {
	s, err := h.store.Subscription(r.Context(), r.PathValue("subscription"))
	if err != nil {
		return err
	}
	view := viewOf(&s)
	view.URL = s.Callback
	web.JSON(w, http.StatusOK, view)
	return nil
}

// change changes the subscription of the path and returns its new state.
func (h *Hub) change(do func(ctx context.Context, id string) error) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id := r.PathValue("subscription")
		if err := do(r.Context(), id); err != nil {
			return err
		}
		s, err := h.store.Subscription(r.Context(), id)
		if err != nil {
			return err
		}
		web.Changed(r, feed.SubscriptionObject(&s), "", "")
		web.JSON(w, http.StatusOK, viewOf(&s))
		return nil
	}
}

// denySubscription serves POST /api/v1/hub/subscriptions/{subscription}/deny.
func (h *Hub) denySubscription(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Reason string `json:"reason"` // sent to the subscriber; may be empty
	}
	if r.ContentLength != 0 {
		if err := web.Decode(w, r, &body); err != nil {
			return err
		}
	}
	s, err := h.deny(r, body.Reason)
	if err != nil {
		return err
	}
	web.JSON(w, http.StatusAccepted, viewOf(&s))
	return nil
}

// maxPending bounds the pending requests of a subscription that a person denies. It is high enough that requests by others in the name of
// the subscriber cannot prevent the denial.
const maxPending = 16

// deny notifies the subscriber of the path and ends its subscription.
func (h *Hub) deny(r *http.Request, reason string) (feed.Subscription, error) {
	if len(reason) > 200 {
		return feed.Subscription{}, feed.Invalid("reason", "use at most 200 bytes")
	}
	s, err := h.store.Subscription(r.Context(), r.PathValue("subscription"))
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
	h.web.Logger().Info("subscription denied", "subscription", s.ID)
	web.Changed(r, feed.SubscriptionObject(&s), "", reason)
	return s, nil
}
