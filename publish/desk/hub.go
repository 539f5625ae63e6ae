package desk

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// hubRoutes adds the routes of the hub to the API.
func (d *Desk) hubRoutes(mux *http.ServeMux) {
	mux.Handle("GET /api/v1/hub", d.read(d.showHub))
	mux.Handle("GET /api/v1/hub/topics", d.read(d.listTopics))
	mux.Handle("GET /api/v1/hub/subscriptions", d.read(d.listSubscriptions))
	mux.Handle("GET /api/v1/hub/subscriptions/{subscription}", d.read(d.showSubscription))
	mux.Handle("POST /api/v1/hub/subscriptions/{subscription}/deny", d.act(hubDeny, d.denySubscription))
	mux.Handle("POST /api/v1/hub/subscriptions/{subscription}/resend", d.act(hubResend, d.withSubscription(d.opts.Hub.ResendSubscription)))
	mux.Handle("POST /api/v1/hub/subscriptions/{subscription}/pause", d.act(hubPause, d.withSubscription(d.opts.Hub.PauseSubscription)))
	mux.Handle("POST /api/v1/hub/subscriptions/{subscription}/resume", d.act(hubResume, d.withSubscription(d.opts.Hub.ResumeSubscription)))
	mux.Handle("GET /api/v1/hub/dead", d.read(d.listDeadLetters))
	mux.Handle("POST /api/v1/hub/dead/replay", d.act(hubReplay, d.replayLetters))
	mux.Handle("POST /api/v1/hub/dead/{letter}/replay", d.act(hubReplay, d.replay))
	mux.Handle("GET /api/v1/webhooks", d.read(d.listWebhooks))
	mux.Handle("POST /api/v1/webhooks", d.act(webhookAdd, d.addWebhook))
	mux.Handle("DELETE /api/v1/webhooks/{webhook}", d.act(webhookRemove, d.removeWebhook))
	mux.Handle("POST /api/v1/webhooks/{webhook}/test", d.act(webhookTest, d.testWebhook))
}

func (d *Desk) showHub(w http.ResponseWriter, r *http.Request) error {
	s, err := d.opts.Hub.HubState(r.Context())
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, HubCounts{
		Subscriptions: s.Subscriptions, Topics: s.Topics, Failing: s.Failing, Ready: s.Ready, Later: s.Later,
		Planning: s.Planning, DeadLetters: s.DeadLetters, Lag: s.Lag.String(),
	})
	return nil
}

// listTopics answers topics in the order of their URLs.
func (d *Desk) listTopics(w http.ResponseWriter, r *http.Request) error {
	topics, err := d.opts.Hub.Topics(r.Context())
	if err != nil {
		return err
	}
	items := make([]HubTopic, len(topics))
	for i, t := range topics {
		items[i] = HubTopic(t)
	}
	page, err := pieceOf(r, items, func(t HubTopic) string { return t.URL })
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, page)
	return nil
}

// moreSubscribers orders topics, those with most subscribers first.
func moreSubscribers(a, b feed.Topic) int {
	return cmp.Or(b.Subscribers-a.Subscribers, strings.Compare(a.URL, b.URL))
}

// listSubscriptions answers subscriptions of ?topic=, by its URL or id, or of all.
func (d *Desk) listSubscriptions(w http.ResponseWriter, r *http.Request) error {
	limit, err := limit(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	topic := query.Get("topic")
	if strings.Contains(topic, ":") {
		topic = feed.TopicID(topic)
	}
	all, err := d.opts.Hub.Subscriptions(r.Context(), topic, query.Get("cursor"), limit)
	if err != nil {
		return err
	}
	items := make([]HubSubscription, len(all))
	for i := range all {
		items[i] = hubSubscription(&all[i])
	}
	next := ""
	if len(all) == limit {
		next = all[limit-1].ID
	}
	answer(w, http.StatusOK, list(items, next))
	return nil
}

// showSubscription answers one subscription, to whoever has the token with its callback.
func (d *Desk) showSubscription(w http.ResponseWriter, r *http.Request) error {
	s, err := d.opts.Hub.Subscription(r.Context(), r.PathValue("subscription"))
	if err != nil {
		return err
	}
	seen := hubSubscription(&s)
	seen.URL = s.Callback
	answer(w, http.StatusOK, seen)
	return nil
}

// withSubscription does something with the subscription of the path and answers with it as it is then.
func (d *Desk) withSubscription(do func(ctx context.Context, id string) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id := r.PathValue("subscription")
		if err := do(r.Context(), id); err != nil {
			return err
		}
		s, err := d.opts.Hub.Subscription(r.Context(), id)
		if err != nil {
			return err
		}
		about(r, subscriptionText(&s), "", "")
		answer(w, http.StatusOK, hubSubscription(&s))
		return nil
	}
}

// subscriptionText is a subscription for the audit log.
func subscriptionText(s *feed.Subscription) string { return s.ID + ", " + s.Hint() + " to " + s.Topic }

// maxWaiting is how many requests of a subscription may wait when a person denies it: enough that others who ask in its
// name cannot keep the person back.
const maxWaiting = 16

// denySubscription has a subscriber told that it is refused; its subscription ends with that.
func (d *Desk) denySubscription(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Reason string `json:"reason"` // told to the subscriber; may be empty
	}
	if r.ContentLength != 0 {
		if err := decode(w, r, &body); err != nil {
			return err
		}
	}
	s, err := d.deny(r, body.Reason)
	if err != nil {
		return err
	}
	answer(w, http.StatusAccepted, hubSubscription(&s))
	return nil
}

// deny has the subscriber of the path told that it is refused.
func (d *Desk) deny(r *http.Request, why string) (feed.Subscription, error) {
	if len(why) > 200 {
		return feed.Subscription{}, wrong("reason", "use at most 200 bytes")
	}
	s, err := d.opts.Hub.Subscription(r.Context(), r.PathValue("subscription"))
	switch {
	case err != nil:
		return s, err
	case s.Way == feed.WayWebhook:
		return s, fmt.Errorf("it is a webhook: remove it instead: %w", feed.ErrConflict)
	case s.Way == feed.WayPing:
		return s, fmt.Errorf("it is a hub that is told of news: take it out of hub.ping instead: %w", feed.ErrConflict)
	}
	err = d.opts.Hub.AddHubRequest(r.Context(), feed.HubRequest{
		Mode: feed.HubDenied, Topic: s.Topic, Callback: s.Callback, Reason: why,
	}, maxWaiting)
	if err != nil {
		return s, err
	}
	d.opts.Logger.Info("subscription denied", "subscription", s.ID)
	about(r, subscriptionText(&s), "", why)
	return s, nil
}

func (d *Desk) listDeadLetters(w http.ResponseWriter, r *http.Request) error {
	limit, err := limit(r)
	if err != nil {
		return err
	}
	before := r.URL.Query().Get("cursor")
	if !signalID.MatchString(before) {
		return wrong("cursor", "use next of the answer before")
	}
	all, err := d.opts.Hub.DeadLetters(r.Context(), before, limit)
	if err != nil {
		return err
	}
	items := make([]HubDeadLetter, len(all))
	for i, l := range all {
		items[i] = HubDeadLetter(l)
	}
	next := ""
	if len(all) == limit {
		next = all[limit-1].ID
	}
	answer(w, http.StatusOK, list(items, next))
	return nil
}

func (d *Desk) replay(w http.ResponseWriter, r *http.Request) error {
	if err := d.opts.Hub.ReplayDeadLetter(r.Context(), r.PathValue("letter")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
