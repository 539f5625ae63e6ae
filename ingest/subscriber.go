package ingest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// PushStore stores the subscriptions at the hubs of sources. It is safe for concurrent use. An error that is
// feed.ErrUnavailable is temporary.
type PushStore interface {
	// SourceByURL returns a source. feed.ErrNotFound: it does not exist.
	SourceByURL(ctx context.Context, url string) (feed.Source, error)
	// PollSoon makes a source due now, a few seconds after its last poll, or later after a failure. why is for people.
	// feed.ErrConflict: the source is paused.
	PollSoon(ctx context.Context, id, why string) error
	// Callback returns the subscription with a token, also one that was left. feed.ErrNotFound: it does not exist.
	Callback(ctx context.Context, token string) (feed.PushSubscription, error)
	// SourceCallback returns the subscription of a source. Without a subscription the token is empty.
	SourceCallback(ctx context.Context, feedURL string) (feed.PushSubscription, error)
	// ReplaceCallback replaces the callback that was read and returns what is stored. If the tokens differ, the old callback
	// remains, of state feed.PushLeaving and due at once, until it is replaced by one without a token. Nothing is written on
	// feed.ErrConflict, if it was written since, and on feed.ErrNotFound, if the source does not exist.
	ReplaceCallback(ctx context.Context, before, after feed.PushSubscription) (feed.PushSubscription, error)
	// ClaimCallbacks leases up to most due subscriptions and returns when the next one is due. No other call returns them
	// until the lease ends or they are written.
	ClaimCallbacks(ctx context.Context, most int, lease time.Duration) ([]feed.PushSubscription, time.Time, error)
}

// Bounds of the subscriber.
const (
	requestLease = time.Minute
	requestsMost = 8 // concurrent requests, besides those in the slow pool
	pushesMost   = 8 // concurrent deliveries; each may hold a document in memory
	longestRest  = 30 * time.Second
	failedRest   = 2 * time.Second // after a failed claim: the daemon promises to recover within 5 s
)

// Subscriber receives pushed documents (WebSub) for the sources of an Ingester that name a hub. It subscribes at the hubs and
// renews the subscriptions. Its ServeHTTP is the callback, with the token as path value "token". Pushed documents are stored
// like polled ones, so no entry is stored twice. Sources whose hub works are polled slowly, because hubs can fail.
//
// All state is in the store, so several daemons can share the work.
type Subscriber struct {
	in          *Ingester
	store       PushStore
	callbackURL string
	deliveries  chan struct{} // a token for each delivery in progress
	wake        chan struct{} // a token if a subscription became due
	failures    retry.Report  // of requests of hubs
}

// NewSubscriber returns a Subscriber for the sources of in. Call it before in.Run. callbackURL is the URL of callbacks up to the
// token, such as "https://wire.example/push/". If it is empty, the Subscriber only ends subscriptions.
func NewSubscriber(in *Ingester, store PushStore, callbackURL string) *Subscriber {
	s := &Subscriber{
		in: in, store: store, callbackURL: callbackURL,
		deliveries: make(chan struct{}, pushesMost), wake: make(chan struct{}, 1),
	}
	in.subscriber = s
	return s
}

// Run sends due requests to hubs until ctx ends. It claims no more subscriptions than it has idle workers. It always returns
// nil, because it waits for an unavailable store.
func (s *Subscriber) Run(ctx context.Context) error {
	pool := newPool(requestsMost, s.in.client.MaxBytes)
	defer pool.polls.Wait()
	for away := false; ; {
		free := pool.acquire(ctx, nil)
		if ctx.Err() != nil {
			pool.release(free)
			return nil
		}
		due, next, err := s.store.ClaimCallbacks(ctx, free, requestLease)
		if err != nil && ctx.Err() == nil && !away {
			s.in.opts.Logger.Warn("subscriptions wait: cannot claim them", "err", err)
		}
		away = err != nil
		for _, c := range due {
			pool.run(ctx, relaxed, func(ctx context.Context) { s.step(ctx, c) })
		}
		pool.release(free - len(due))
		if len(due) < free { // nothing else is due
			rest := longestRest
			if away {
				rest = failedRest
			} else if !next.IsZero() {
				rest = max(shortestNap, min(next.Sub(s.in.opts.Now()), longestRest))
			}
			retry.Await(ctx, s.wake, rest)
		}
	}
}

// step executes the next step of a due subscription.
func (s *Subscriber) step(ctx context.Context, c feed.PushSubscription) {
	defer func() {
		if p := recover(); p != nil {
			s.in.opts.OnPanic("poll")
			s.in.opts.Logger.Error("panic in a subscription", "source", c.FeedURL, "err", p, "stack", string(debug.Stack()))
		}
	}()
	err := s.proceed(ctx, c)
	if err != nil && ctx.Err() == nil && !errors.Is(err, feed.ErrNotFound) {
		s.in.opts.Logger.Warn("subscription waits", "source", c.FeedURL, "err", err)
	}
}

func (s *Subscriber) proceed(ctx context.Context, c feed.PushSubscription) error {
	now := s.in.opts.Now()
	source, err := s.store.SourceByURL(ctx, c.FeedURL)
	if err != nil && !errors.Is(err, feed.ErrNotFound) {
		return err
	}
	if c.State == feed.PushLeaving {
		if c.Errors >= leaveTries || s.callbackURL == "" {
			_, err := s.store.ReplaceCallback(ctx, c, feed.PushSubscription{})
			return err
		}
		return s.request(ctx, c, &source)
	}
	if err != nil || source.Paused || source.Poll.Gone || s.callbackURL == "" {
		_, err := s.change(ctx, c, func(c *feed.PushSubscription) { c.Leave(now) })
		return err
	}
	if c.State == feed.PushActive && !now.Before(c.LeaseEnd) {
		s.in.opts.Logger.Warn("the hub is silent: normal polling resumes", "source", c.FeedURL)
		c, err = s.change(ctx, c, func(c *feed.PushSubscription) {
			setSilent(c, "the hub has not renewed the subscription", now)
		})
		if err != nil {
			return err
		}
		if err := s.pollSoon(ctx, c.FeedURL, whySilent); err != nil {
			return err
		}
	}
	return s.request(ctx, c, &source)
}

// request sends a request to subscribe or unsubscribe, with the proxy and timeout of the source. A removed source has none.
func (s *Subscriber) request(ctx context.Context, c feed.PushSubscription, source *feed.Source) error {
	c, err := s.change(ctx, c, func(c *feed.PushSubscription) { prepareRequest(c, s.in.opts.Now()) })
	if err != nil {
		return err
	}
	request := feed.HubRequest{Mode: c.PendingMode, Topic: c.Topic, Callback: s.callbackURL + c.Token}
	if request.Mode == feed.HubSubscribe {
		request.Secret, request.Lease = c.Secret, leaseAsked
	}
	result, wait, failure := s.post(ctx, source, c.Hub, request)
	s.in.metrics.requests.WithLabelValues(string(request.Mode), result).Inc()
	if failure == nil {
		s.in.opts.Logger.Info("request sent to hub", "source", c.FeedURL, "hub", c.Hub, "mode", c.PendingMode)
		return nil
	}
	s.in.opts.Logger.Warn("request to hub failed", "source", c.FeedURL, "hub", c.Hub, "mode", c.PendingMode, "err", feed.ShortLine(failure.Error()))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, err = s.change(ctx, c, func(c *feed.PushSubscription) {
		requestFailure(c, explainRequest(result, failure), wait, s.in.opts.Now())
	})
	return err
}

// changeTries bounds the repetitions of a change that conflicts with other writers.
const changeTries = 10

// change applies edit to the stored callback, of which c is a recent copy, and returns what is stored then.
// feed.ErrNotFound: the subscription was left meanwhile.
func (s *Subscriber) change(ctx context.Context, c feed.PushSubscription, edit func(*feed.PushSubscription)) (feed.PushSubscription, error) {
	leaving := c.State == feed.PushLeaving
	for range changeTries {
		after := c
		edit(&after)
		stored, err := s.store.ReplaceCallback(ctx, c, after)
		if err == nil && stored.Token != c.Token {
			retry.Wake(s.wake)
		}
		if !errors.Is(err, feed.ErrConflict) {
			return stored, err
		}
		if c.Token != "" {
			c, err = s.store.Callback(ctx, c.Token)
		} else {
			c, err = s.store.SourceCallback(ctx, c.FeedURL)
		}
		if err == nil && leaving != (c.State == feed.PushLeaving) {
			err = fmt.Errorf("the subscription was left: %w", feed.ErrNotFound)
		}
		if err != nil {
			return c, err
		}
	}
	return c, fmt.Errorf("change the subscription of %s: %w: other daemons write it all the time", c.FeedURL, feed.ErrConflict)
}

// Reasons for the poll of a source.
const (
	whyPing    = "its hub says that there is something new"
	whySilent  = "its hub does not push everything"
	whyLimited = "its hub pushed more entries in a minute than fetch.push_entries allows"
)

// pollSoon makes a source due. It is a no-op if the source is paused or removed.
func (s *Subscriber) pollSoon(ctx context.Context, feedURL, why string) error {
	err := s.store.PollSoon(ctx, feed.SourceID(feedURL), why)
	if errors.Is(err, feed.ErrConflict) || errors.Is(err, feed.ErrNotFound) {
		return nil
	}
	return err
}
