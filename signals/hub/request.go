package hub

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// ownCallbacks is where feedwire itself receives what hubs bring, see package ingest.
const ownCallbacks = "/push/"

// request writes a request to subscribe or unsubscribe down. The answer is the same whatever the callback says later, and
// whether there is a subscription to be ended.
// That is so for all but those we trust, who may ask for the topic in the same breath.
func (f *Front) request(ctx context.Context, w http.ResponseWriter, req *http.Request, form url.Values) error {
	asked, err := websub.ParseRequest(form)
	if err != nil {
		return err
	}
	if err := f.checkCallback(asked.Callback); err != nil {
		return err
	}
	if wait := f.arrivals.wait(feed.HostID(asked.Callback), f.opts.Now()); wait > 0 { // before anything is looked up: floods are to cost little
		return limited(wait, "hub.callback: too many requests for its host wait already; come back later")
	}
	topic, err := f.topic(ctx, asked.Topic)
	if err != nil {
		return err
	}
	r := feed.HubRequest{
		Mode: feed.HubMode(asked.Mode), Topic: topic, Callback: asked.Callback, Secret: asked.Secret, Method: string(asked.Method),
		VerifyToken: asked.VerifyToken,
	}
	if written := form.Get("hub.topic"); written != topic {
		r.As = written
	}
	if r.Mode == feed.HubSubscribe {
		r.Lease = f.lease(asked.Lease)
	}
	asking := f.opts.Now()
	if err := f.admit(ctx, &r); err != nil {
		return err
	}
	if r.Mode == feed.HubSubscribe && form.Get("retrieve") == "true" && f.opts.Trusted(req) {
		switch done, err := f.confirmed(ctx, &r, asking); {
		case err != nil:
			return err
		case done:
			return f.showWhole(ctx, w, topic)
		}
	}
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, "accepted; the callback will be asked whether it is meant\n")
	return nil
}

// lease is the lease that is granted for the one that was asked for.
func (f *Front) lease(asked time.Duration) time.Duration {
	if asked == 0 {
		asked = f.terms().LeaseDefault
	}
	return min(max(asked, f.terms().LeaseLeast), f.terms().LeaseMost)
}

// checkCallback refuses a callback that is this hub, which would deliver to itself for ever.
func (f *Front) checkCallback(callback string) error {
	u, err := url.Parse(callback)
	if err != nil {
		return invalid(http.StatusBadRequest, "hub.callback: is not a URL")
	}
	if f.host != "" && strings.EqualFold(u.Host, f.host) && !strings.HasPrefix(u.Path, ownCallbacks) {
		return &refusal{status: http.StatusForbidden, result: requestDenied, reason: "hub.callback: must not be on the host of this hub"}
	}
	return nil
}

// topic is the name of a topic that may be subscribed to. One that is not distributed is named as a source would be.
func (f *Front) topic(ctx context.Context, written string) (string, error) {
	topic, err := f.topics.Topic(ctx, written)
	if !errors.Is(err, feed.ErrNotFound) {
		return topic, err
	}
	if f.terms().Open == nil {
		return "", unknownTopic("hub.topic")
	}
	if topic, err = feed.CanonicalURL(written); err != nil {
		return "", invalid(http.StatusBadRequest, "hub.topic: is not a URL that can be followed")
	}
	return topic, nil
}

func unknownTopic(parameter string) *refusal {
	return &refusal{
		status: http.StatusNotFound, result: requestDenied,
		reason: parameter + ": is not distributed here; use the rel=self link of a feed that names this hub",
	}
}

// admit writes a request down if there is room for it. There always is for one that ends a subscription or renews it, but
// for the patience of its host.
func (f *Front) admit(ctx context.Context, r *feed.HubRequest) error {
	pending := false
	if r.Mode == feed.HubUnsubscribe {
		// In this order: what is granted between the two is seen by the second.
		waiting, err := f.store.HubRequests(ctx, r.Subscription())
		if err != nil {
			return err
		}
		pending = slices.ContainsFunc(waiting, func(other feed.HubRequest) bool { return other.Mode == feed.HubSubscribe })
	}
	had, err := f.store.Subscription(ctx, r.Subscription())
	known := err == nil
	switch {
	case err != nil && !errors.Is(err, feed.ErrNotFound):
		return err
	case known && had.Way != feed.WayWebSub:
		return &refusal{status: http.StatusForbidden, result: requestDenied, reason: "hub.callback: is not one of WebSub"}
	case !known && !pending && r.Mode == feed.HubUnsubscribe:
		return nil // nothing to end, and nobody to ask
	}
	if wait := f.refusals.wait(r.Subscription(), f.opts.Now()); wait > 0 {
		return limited(wait, "hub.callback: too many requests for it that it did not confirm; come back later")
	}
	if err := f.checkRoom(ctx, r, known || pending); err != nil {
		return err
	}
	err = f.store.AddHubRequest(ctx, *r, f.opts.Limits.PerPair)
	if errors.Is(err, feed.ErrConflict) {
		return limited(time.Minute, "hub.callback: too many requests for it wait already; come back later")
	}
	if err != nil {
		return err
	}
	f.arrivals.book(feed.HostID(r.Callback), f.opts.Now())
	f.opts.Logger.Debug("request to the hub", "mode", r.Mode, "feed", r.Topic, "subscription", r.Subscription())
	f.rouse()
	return nil
}

// fullTime is when it is worth to ask again where there is no room: somebody's lease may have ended.
const fullTime = time.Hour

// checkRoom refuses what goes beyond the bounds of what is kept.
func (f *Front) checkRoom(ctx context.Context, r *feed.HubRequest, known bool) error {
	counts, err := f.store.HubCounts(ctx, r.Topic, r.Callback)
	l := &f.opts.Limits
	full := &refusal{status: http.StatusServiceUnavailable, result: requestUnavailable, wait: fullTime, reason: "the hub is full; come back later"}
	switch {
	case err != nil:
		return err
	case counts.Requests >= l.Waiting:
		full.wait = time.Minute
		return full
	case known:
		return nil
	case counts.Total >= l.Subscriptions:
		return full
	case counts.OfTopic >= l.OfTopic:
		return limited(fullTime, "hub.topic: has too many subscribers; come back later")
	case counts.OfHost >= l.OfHost:
		return limited(fullTime, "hub.callback: its host has too many subscriptions; end some of them")
	}
	return nil
}
