package desk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// HubStore is what people see and do of the hub. All methods may be called concurrently. Each returns feed.ErrUnavailable
// when the store cannot answer now, and feed.ErrNotFound for an id that names nothing.
type HubStore interface {
	// HubState counts the work that waits.
	HubState(ctx context.Context) (feed.HubState, error)
	// Topics are all topics that somebody subscribes to, in no order.
	Topics(ctx context.Context) ([]feed.Topic, error)
	// Subscriptions lists up to limit subscriptions of a topic, or of all where topicID is empty, behind the one with the
	// id after ("" for the first), in the order of their ids.
	Subscriptions(ctx context.Context, topicID, after string, limit int) ([]feed.Subscription, error)
	// Subscription is the one with this id.
	Subscription(ctx context.Context, id string) (feed.Subscription, error)
	// DeadLetters lists up to limit dead letters before the one with the id before ("" for the newest), newest first.
	DeadLetters(ctx context.Context, before string, limit int) ([]feed.DeadLetter, error)
	// ResendSubscription makes a subscription get the newest version of its topic again. feed.ErrConflict: nothing was
	// distributed yet.
	ResendSubscription(ctx context.Context, id string) error
	// ReplayDeadLetter makes a subscription get its topic again from the first version that it missed, and forgets the
	// dead letter.
	ReplayDeadLetter(ctx context.Context, id string) error
	// PauseSubscription stops deliveries to a subscription until ResumeSubscription; what comes meanwhile waits.
	PauseSubscription(ctx context.Context, id string) error
	// ResumeSubscription ends a pause, or does nothing where there is none.
	ResumeSubscription(ctx context.Context, id string) error
	// AddHubRequest writes a request down, due at once. feed.ErrConflict: most requests of the subscription wait already.
	AddHubRequest(ctx context.Context, r feed.HubRequest, most int) error
	// Subscribe makes or renews a subscription that nobody has to confirm. It sets sub.ID and sub.Since.
	Subscribe(ctx context.Context, sub *feed.Subscription) error
	// Unsubscribe ends a subscription without asking or telling anybody.
	Unsubscribe(ctx context.Context, id string) error
}

// HubTopic is one item of GET /api/v1/hub/topics.
type HubTopic struct {
	ID          string    `json:"id"`
	URL         string    `json:"url"`
	Version     int64     `json:"version"`          // of the newest distribution
	Changed     time.Time `json:"changed,omitzero"` // left out: nothing was distributed yet
	Subscribers int       `json:"subscribers"`
	Waiting     int       `json:"waiting"` // of them, with a distribution on its way
}

// HubSubscription is one item of GET /api/v1/hub/subscriptions. The callback is only hinted at, because who knows it can
// take the subscription over.
type HubSubscription struct {
	ID       string    `json:"id"`
	Topic    string    `json:"topic"`
	Callback string    `json:"callback"` // "reader.example/…x7qk"
	URL      string    `json:"callback_url,omitempty"`
	Way      feed.Way  `json:"way"`
	State    string    `json:"state"` // active, waiting, failing or paused
	Signed   bool      `json:"signed"`
	Since    time.Time `json:"since"`
	Until    time.Time `json:"until,omitzero"` // end of the lease; left out: none
	Next     int64     `json:"next_version"`
	Health   HubHealth `json:"health,omitzero"` // left out: the last delivery was taken
}

// HubHealth is how deliveries to a callback fail.
type HubHealth struct {
	Failures int       `json:"failures"` // in a row
	Since    time.Time `json:"since"`    // of the first of them
	Last     time.Time `json:"last"`
	Status   int       `json:"status,omitempty"` // HTTP; left out: no answer
	Reason   string    `json:"reason"`
	Next     time.Time `json:"next_try,omitzero"` // left out: with the next version
}

// HubDeadLetter is one item of GET /api/v1/hub/dead.
type HubDeadLetter struct {
	ID           string    `json:"id"`
	Subscription string    `json:"subscription"`
	Topic        string    `json:"topic"`
	First        int64     `json:"first_version"` // that was not delivered
	Last         int64     `json:"last_version"`
	Failures     int       `json:"failures"`
	Since        time.Time `json:"since"`
	Time         time.Time `json:"time"` // when it was given up
	Status       int       `json:"status,omitempty"`
	Reason       string    `json:"reason"`
}

// HubCounts is the answer of GET /api/v1/hub.
type HubCounts struct {
	Subscriptions int    `json:"subscriptions"`
	Topics        int    `json:"topics"`
	Failing       int    `json:"failing"`
	Ready         int    `json:"ready"`    // deliveries that may start
	Later         int    `json:"later"`    // deliveries under way, or to be tried again
	Planning      int    `json:"planning"` // topics with subscribers that do not know yet of their news
	DeadLetters   int    `json:"dead_letters"`
	Lag           string `json:"lag"` // since the oldest signal that was not distributed
}

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

// listTopics answers all topics at once, those with most subscribers first.
func (d *Desk) listTopics(w http.ResponseWriter, r *http.Request) error {
	topics, err := d.topics(r.Context())
	if err != nil {
		return err
	}
	items := make([]HubTopic, len(topics))
	for i, t := range topics {
		items[i] = HubTopic(t)
	}
	answer(w, http.StatusOK, list(items, ""))
	return nil
}

func (d *Desk) topics(ctx context.Context) ([]feed.Topic, error) {
	topics, err := d.opts.Hub.Topics(ctx)
	slices.SortFunc(topics, func(a, b feed.Topic) int {
		if a.Subscribers != b.Subscribers {
			return b.Subscribers - a.Subscribers
		}
		return strings.Compare(a.URL, b.URL)
	})
	return topics, err
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

// hubSubscription is a subscription as people may see it.
func hubSubscription(s *feed.Subscription) HubSubscription {
	seen := HubSubscription{
		ID: s.ID, Topic: s.Topic, Callback: s.Hint(), Way: s.Way, State: "active", Signed: s.Secret != "",
		Since: s.Since, Until: s.Until, Next: s.Next, Health: HubHealth(s.Health),
	}
	switch {
	case s.Paused:
		seen.State = "paused"
	case s.Health.Failures > 0:
		seen.State = "failing"
	case s.Waiting:
		seen.State = "waiting"
	}
	return seen
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
		answer(w, http.StatusOK, hubSubscription(&s))
		return nil
	}
}

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
	if len(body.Reason) > 200 {
		return wrong("reason", "use at most 200 bytes")
	}
	s, err := d.opts.Hub.Subscription(r.Context(), r.PathValue("subscription"))
	switch {
	case err != nil:
		return err
	case s.Way == feed.WayWebhook:
		return fmt.Errorf("it is a webhook: remove it instead: %w", feed.ErrConflict)
	case s.Way == feed.WayPing:
		return fmt.Errorf("it is a hub that is told of news: take it out of hub.ping instead: %w", feed.ErrConflict)
	}
	err = d.opts.Hub.AddHubRequest(r.Context(), feed.HubRequest{
		Mode: feed.HubDenied, Topic: s.Topic, Callback: s.Callback, Reason: body.Reason,
	}, maxWaiting)
	if err != nil && !errors.Is(err, feed.ErrConflict) {
		return err
	}
	d.opts.Logger.Info("subscription denied", "subscription", s.ID)
	answer(w, http.StatusAccepted, hubSubscription(&s))
	return nil
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
