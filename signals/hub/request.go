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

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// ownCallbacks is the path at which feedwire receives deliveries of other hubs, see package ingest.
const ownCallbacks = "/push/"

// request stores a request to subscribe or unsubscribe. The response depends neither on the callback nor on whether the
// subscription exists, except for trusted clients, which can retrieve the topic with the same request.
func (f *Front) request(ctx context.Context, w http.ResponseWriter, req *http.Request, form url.Values) error {
	r, err := websub.ParseRequest(form)
	if err != nil {
		return rejected(http.StatusBadRequest, err.Error())
	}
	if u, err := url.Parse(r.Callback); err == nil && strings.EqualFold(u.Host, f.host) && !strings.HasPrefix(u.Path, ownCallbacks) {
		// It would deliver to itself forever.
		return rejected(http.StatusForbidden, "hub.callback: must not be on the host of this hub")
	}
	// This check precedes all reads, so that floods are cheap.
	if wait := f.arrivals.Wait(feed.HostID(r.Callback), f.opts.Now()); wait > 0 {
		return limited(wait, "hub.callback: too many requests for its host are queued; retry later")
	}
	if r.Topic, err = f.resolveTopic(ctx, r.Mode, r.Topic); err != nil {
		return err
	}
	if written := form.Get("hub.topic"); written != r.Topic {
		r.RequestedTopic = written
	}
	if r.Mode == feed.HubSubscribe {
		r.Lease = f.current.Load().leaseOf(r.Topic).Grant(r.Lease)
	}
	r.Client = networkOf(req, f.opts.IsProxy)
	start := f.opts.Now()
	if err := f.admit(ctx, &r); err != nil {
		return err
	}
	if r.Mode == feed.HubSubscribe && form.Get("retrieve") == "true" && f.opts.Trusted(req) {
		switch confirmed, err := f.awaitConfirmation(ctx, &r, start); {
		case err != nil:
			return err
		case confirmed:
			err := f.writeTopic(ctx, w, r.Topic, feed.EntryRange{})
			if errors.Is(err, feed.ErrNotFound) {
				w.WriteHeader(http.StatusNoContent)
				return nil
			}
			return err
		}
	}
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, "accepted; the hub will verify the request with the callback\n")
	return nil
}

// resolveTopic returns the name of a topic in a request. An unknown topic gets the name of a source if it may be added, or if its
// subscription is to end.
func (f *Front) resolveTopic(ctx context.Context, mode feed.HubMode, written string) (string, error) {
	topic, err := f.topics.ResolveTopic(ctx, written)
	if !errors.Is(err, feed.ErrNotFound) {
		return topic, err
	}
	if mode == feed.HubSubscribe && f.current.Load().AddTopic == nil {
		return "", unknownTopic("hub.topic")
	}
	if topic, err = feed.CanonicalURL(written); err != nil {
		return "", rejected(http.StatusBadRequest, "hub.topic: is not a URL that can be polled")
	}
	return topic, nil
}

// admit stores a request if the limits allow it. Requests that renew or end a subscription are exempt from the limits of
// subscriptions.
func (f *Front) admit(ctx context.Context, r *feed.HubRequest) error {
	pending := false
	if r.Mode == feed.HubUnsubscribe {
		// The order of the two reads matters: the second one sees requests that are granted between them.
		requests, err := f.store.HubRequests(ctx, r.Subscription())
		if err != nil {
			return err
		}
		pending = slices.ContainsFunc(requests, func(other feed.HubRequest) bool { return other.Mode == feed.HubSubscribe })
	}
	sub, err := f.store.Subscription(ctx, r.Subscription())
	known := err == nil
	switch {
	case err != nil && !errors.Is(err, feed.ErrNotFound):
		return err
	case known && sub.Kind != feed.KindWebSub:
		return rejected(http.StatusForbidden, "hub.callback: is not a WebSub subscription")
	case !known && !pending && r.Mode == feed.HubUnsubscribe:
		return nil // nothing to end
	}
	if wait := f.refusals.Wait(r.Subscription(), f.opts.Now()); wait > 0 {
		return limited(wait, "hub.callback: did not confirm too many requests; retry later")
	}
	counts, err := f.store.HubCounts(ctx, r)
	if err != nil {
		return err
	}
	if err := f.checkLimits(&counts, known || pending); err != nil {
		return err
	}
	switch {
	case known:
		r.Lane = feed.LaneRenewal
	case counts.OfHost > 0:
		r.Lane = feed.LaneKnownHost
	}
	err = f.store.AddHubRequest(ctx, *r, f.opts.Limits.QueuedPerPair)
	if errors.Is(err, feed.ErrConflict) {
		return limited(time.Minute, "hub.callback: too many requests for it are queued; retry later")
	}
	if err != nil {
		return err
	}
	f.arrivals.Book(feed.HostID(r.Callback), f.opts.Now())
	f.opts.Logger.Debug("request to the hub", "mode", r.Mode, "feed", r.Topic, "subscription", r.Subscription())
	retry.Wake(f.wakeup)
	return nil
}

// fullWait is the Retry-After of a full hub: leases may end until then.
const fullWait = time.Hour

func (f *Front) checkLimits(counts *feed.HubCounts, known bool) error {
	l := &f.opts.Limits
	full := &rejection{status: http.StatusServiceUnavailable, wait: fullWait, reason: "the hub is full; retry later"}
	switch {
	case counts.Requests >= l.Queued:
		full.wait = time.Minute
		return full
	case known:
		return nil
	case counts.Total >= l.Subscriptions:
		return full
	case counts.OfTopic >= l.SubscriptionsPerTopic:
		return limited(fullWait, "hub.topic: has too many subscribers; retry later")
	case counts.OfHost >= l.SubscriptionsPerHost:
		return limited(fullWait, "hub.callback: its host has too many subscriptions; end some of them")
	}
	return nil
}
