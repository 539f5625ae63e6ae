package hub

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// OwnSubscription is a subscription as its owner sees it.
type OwnSubscription struct {
	Topic    string         `json:"topic"`
	State    string         `json:"state"` // active, waiting, failing or paused
	Since    time.Time      `json:"since"`
	Until    time.Time      `json:"until,omitzero"` // end of the lease; left out: none
	Format   string         `json:"format,omitempty"`
	Filter   []string       `json:"filter,omitempty"`
	Attempts []feed.Attempt `json:"attempts"` // to deliver, newest first
}

const (
	maxOwn     = 100 // subscriptions in one response
	maxListing = 4   // lists that are read at the same time: each reads all topics
)

// list responds with the subscriptions of a callback that have the secret of the request.
func (f *Front) list(ctx context.Context, w http.ResponseWriter, r *http.Request, form url.Values) error {
	own, err := f.ownSubscriptions(ctx, r, form)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(feed.Page[OwnSubscription]{Items: own}) // fails only if the client disconnected
	return nil
}

// ownSubscriptions returns the subscriptions of a callback that have the secret of the request.
func (f *Front) ownSubscriptions(ctx context.Context, r *http.Request, form url.Values) ([]OwnSubscription, error) {
	callback, err := f.proveCallback(r, form)
	if err != nil {
		return nil, err
	}
	select {
	case f.listing <- struct{}{}:
		defer func() { <-f.listing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	all, err := f.store.SubscriptionsOf(ctx, callback)
	if err != nil {
		return nil, err
	}
	own := []OwnSubscription{}
	for i := range all {
		s := &all[i]
		if !owns(s, form) || len(own) >= maxOwn {
			continue
		}
		attempts, err := f.store.Attempts(ctx, s.ID)
		if err != nil && !errors.Is(err, feed.ErrNotFound) {
			return nil, err
		}
		own = append(own, OwnSubscription{
			s.Topic, s.State(), s.Since, s.Until, s.Form.Format(), s.Form.Rules(), append([]feed.Attempt{}, attempts...),
		})
	}
	if len(own) == 0 {
		return nil, notOwned()
	}
	return own, nil
}

// proveCallback returns the callback of a request that proves with a secret that it is from its owner. The caller compares the
// secret. Requests are limited, because some guess.
func (f *Front) proveCallback(r *http.Request, form url.Values) (string, error) {
	callback, err := websub.ParseURL(form.Get("hub.callback"))
	if err != nil {
		return "", rejected(http.StatusBadRequest, "hub.callback: "+err.Error())
	}
	if form.Get("hub.secret") == "" {
		return "", rejected(http.StatusBadRequest, "hub.secret: is missing; send the secret of the subscription")
	}
	for _, key := range []string{networkOf(r, f.opts.IsProxy), "callback " + feed.HashSecret(callback)} {
		if wait := f.proofs.Take(key, f.opts.Now()); wait > 0 {
			return "", limited(wait, "hub.secret: too many requests with a secret; retry later")
		}
	}
	return callback, nil
}

// owns reports whether a request has the secret of a subscription. The time it takes does not depend on the secret.
func owns(s *feed.Subscription, form url.Values) bool {
	want, got := sha256.Sum256([]byte(s.Secret)), sha256.Sum256([]byte(form.Get("hub.secret")))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1 && s.Secret != "" && s.Kind == feed.KindWebSub
}

// notOwned is the same whether the callback or the secret is wrong.
func notOwned() *rejection {
	return rejected(http.StatusForbidden, "hub.secret: no such subscription of the callback has this secret")
}

// proveSubscription returns the subscription of a request that is from its owner.
func (f *Front) proveSubscription(ctx context.Context, r *http.Request, form url.Values) (s feed.Subscription, err error) {
	if form.Get("hub.secret") == "" {
		return s, rejected(http.StatusForbidden, "hub.mode: requires a token of this hub, or hub.secret of the subscription")
	}
	callback, err := f.proveCallback(r, form)
	if err != nil {
		return s, err
	}
	topic, err := f.knownTopic(ctx, "hub.topic", form.Get("hub.topic"))
	if err != nil {
		return s, err
	}
	s, err = f.store.Subscription(ctx, feed.SubscriptionID(topic, callback))
	switch {
	case errors.Is(err, feed.ErrNotFound) || err == nil && !owns(&s, form):
		return s, notOwned()
	}
	return s, err
}

// countRepetition counts a replay or a test of a subscription, or returns a rejection.
func (f *Front) countRepetition(s *feed.Subscription) error {
	if wait := f.replays.Take(s.ID, f.opts.Now()); wait > 0 {
		return limited(wait, "hub.callback: too many replays and tests; retry later")
	}
	return nil
}

// proveReplay checks that a request to replay a subscription is from its owner, and counts it.
func (f *Front) proveReplay(ctx context.Context, r *http.Request, form url.Values) error {
	s, err := f.proveSubscription(ctx, r, form)
	if err != nil {
		return err
	}
	if s.Waiting {
		return rejected(http.StatusConflict, "hub.topic: has news for this callback that is not delivered yet; it is delivered first")
	}
	return f.countRepetition(&s)
}

// OwnTest is the response to a test as the owner of the subscription sees it.
type OwnTest struct {
	Accepted bool   `json:"accepted"`         // the response was 2xx
	Status   int    `json:"status,omitempty"` // HTTP; left out: no response
	Reason   string `json:"reason"`           // as in feed.Attempt
}

// test sends a test message to the callback of a subscription and responds with its response.
func (f *Front) test(ctx context.Context, w http.ResponseWriter, r *http.Request, form url.Values) error {
	got, err := f.doTest(ctx, r, form)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(got) // fails only if the client disconnected
	return nil
}

// doTest sends a test message to the callback of a subscription, which has confirmed that it wants messages of this hub.
func (f *Front) doTest(ctx context.Context, r *http.Request, form url.Values) (OwnTest, error) {
	if f.opts.Test == nil {
		return OwnTest{}, rejected(http.StatusForbidden, "hub.mode: this hub sends no tests")
	}
	s, err := f.proveSubscription(ctx, r, form)
	if err == nil {
		err = f.countRepetition(&s)
	}
	if err != nil {
		return OwnTest{}, err
	}
	status, reason := f.opts.Test(ctx, s)
	return OwnTest{status/100 == 2, status, reason}, nil
}
