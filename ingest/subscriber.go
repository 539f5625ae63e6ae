package ingest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// PushStore keeps the subscriptions at the hubs of sources. Every method may be called concurrently. An error that is
// feed.ErrUnavailable means "not now".
type PushStore interface {
	// SourceByURL is one source. feed.ErrNotFound: there is none.
	SourceByURL(ctx context.Context, url string) (feed.Source, error)
	// PollSoon makes a source due now, or a few seconds after its last poll, or later where that failed. Why is for
	// people. feed.ErrConflict: it is paused.
	PollSoon(ctx context.Context, id, why string) error
	// Callback is the subscription with a token, also one that was given up. feed.ErrNotFound: there is none.
	Callback(ctx context.Context, token string) (feed.PushSubscription, error)
	// SourceCallback is the subscription of a source; one without a token where there is none.
	SourceCallback(ctx context.Context, feedURL string) (feed.PushSubscription, error)
	// ReplaceCallback writes a callback in place of the one that was read. Where the token differs, what was before is
	// given up: it goes on by itself, of state feed.PushLeaving and due at once, until it is written without a token.
	// feed.ErrConflict: it was written since; feed.ErrNotFound: the source is not known. Nothing is written then.
	// It returns what is stored.
	ReplaceCallback(ctx context.Context, before, after feed.PushSubscription) (feed.PushSubscription, error)
	// ClaimCallbacks leases up to most subscriptions that are due, and says when the next one comes due. Nobody else
	// gets them until the lease ends or they are written.
	ClaimCallbacks(ctx context.Context, most int, lease time.Duration) ([]feed.PushSubscription, time.Time, error)
}

// SubscriberOptions are the choices a Subscriber works by. All else it has from its Ingester.
type SubscriberOptions struct {
	CallbackURL string // before the token, "https://wire.example/push/"; empty: no source is subscribed to
}

// Bounds of the subscriber's work.
const (
	requestLease = time.Minute
	requestsMost = 8 // at the same time, besides those in the slow pool
	pushesMost   = 8 // deliveries handled at the same time; each may hold a document of MaxBytes in memory
	longestRest  = 30 * time.Second
)

// Subscriber receives what hubs push, for the sources of an Ingester whose documents name a hub (WebSub). It asks hubs for
// subscriptions and renews them, and its ServeHTTP is where they call back, with the token as path value "token". What
// comes goes the same way into the store as what is polled, so nothing comes twice; and sources whose hub works are
// polled slowly, because no hub is to be trusted for ever.
//
// All state is in the store: several daemons share the work.
type Subscriber struct {
	in      *Ingester
	store   PushStore
	opts    SubscriberOptions
	metrics *pushMetrics
	slots   chan struct{} // a token for each delivery that may be handled
	wake    chan struct{} // holds a token when there is something to do at once
}

// NewSubscriber returns a Subscriber for the sources of in, which tells it from then on what its polls see. It is to be
// called before in runs.
func NewSubscriber(in *Ingester, store PushStore, opts SubscriberOptions) *Subscriber {
	s := &Subscriber{
		in: in, store: store, opts: opts, metrics: newPushMetrics(in.opts.Registerer),
		slots: make(chan struct{}, pushesMost), wake: make(chan struct{}, 1),
	}
	in.subscriber = s
	return s
}

// Run asks hubs for what is wanted and renews it, until ctx ends. It claims no more than it can do at once, and hubs that
// answer late go on in a slow pool. The error is always nil: a store that is away is waited for.
func (s *Subscriber) Run(ctx context.Context) error {
	var requests sync.WaitGroup
	defer requests.Wait()
	idle := make(chan struct{}, requestsMost)
	for range requestsMost {
		idle <- struct{}{}
	}
	slow := &slowPool{size: slowPerWorker * requestsMost}
	away := false
	for {
		free := takeAll(ctx, idle, nil)
		if ctx.Err() != nil {
			return nil
		}
		due, next, err := s.store.ClaimCallbacks(ctx, free, requestLease)
		if err != nil && ctx.Err() == nil && !away {
			s.in.opts.Logger.Warn("subscriptions wait: the store does not give them", "err", err)
		}
		away = err != nil
		for _, c := range due {
			requests.Go(func() {
				defer newSlot(idle, slow).release()
				s.step(ctx, c)
			})
		}
		for range free - len(due) {
			idle <- struct{}{}
		}
		if len(due) < free { // nothing else is due
			s.rest(ctx, s.until(next))
		}
	}
}

// until is how long there is nothing to do.
func (s *Subscriber) until(next time.Time) time.Duration {
	if next.IsZero() {
		return longestRest
	}
	return max(shortestNap, min(next.Sub(s.in.opts.Now()), longestRest))
}

// rest waits for d, or until there is something to do.
func (s *Subscriber) rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.wake:
	case <-ctx.Done():
	}
}

// rouse makes Run look for work.
func (s *Subscriber) rouse() {
	select {
	case s.wake <- struct{}{}:
	default: // it is told already
	}
}

// step does the next thing for a subscription that is due.
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
		if c.Errors >= leaveTries || s.opts.CallbackURL == "" {
			_, err := s.store.ReplaceCallback(ctx, c, feed.PushSubscription{})
			return err
		}
		return s.request(ctx, c, &source)
	}
	if err != nil || source.Paused || source.Poll.Gone || s.opts.CallbackURL == "" {
		_, err := s.change(ctx, c, func(c *feed.PushSubscription) { c.Leave(now) })
		return err
	}
	if c.State == feed.PushActive && !now.Before(c.LeaseEnd) {
		s.in.opts.Logger.Warn("the hub is silent: the source is polled as before", "source", c.FeedURL)
		c, err = s.change(ctx, c, func(c *feed.PushSubscription) {
			fallSilent(c, "the hub has not renewed the subscription", time.Time{}, now)
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

// request asks the hub for the subscription, or to end it, in the way in which the source is polled; one that was
// removed meanwhile has no way of its own.
func (s *Subscriber) request(ctx context.Context, c feed.PushSubscription, source *feed.Source) error {
	c, err := s.change(ctx, c, func(c *feed.PushSubscription) { ask(c, s.in.opts.Now()) })
	if err != nil {
		return err
	}
	asked := websub.Request{Mode: websub.Mode(c.PendingMode), Topic: c.Topic, Callback: s.opts.CallbackURL + c.Token}
	if asked.Mode == websub.Subscribe {
		asked.Secret, asked.Lease = c.Secret, leaseAsked
	}
	failure := s.post(ctx, source, c.Hub, asked)
	s.metrics.requested(asked.Mode, failure)
	if failure == nil {
		s.in.opts.Logger.Info("hub asked", "source", c.FeedURL, "hub", c.Hub, "mode", c.PendingMode)
		return nil
	}
	s.in.opts.Logger.Warn("the hub did not take the request", "source", c.FeedURL, "hub", c.Hub, "mode", c.PendingMode, "err", feed.ShortLine(failure.Error()))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, err = s.change(ctx, c, func(c *feed.PushSubscription) {
		failedRequest(c, failure.explain(), failure.wait, s.in.opts.Now())
	})
	return err
}

// changeTries is how often a change is repeated because somebody else has written the callback meanwhile.
const changeTries = 10

// change edits a callback as it is in the store, which c was a moment ago, and returns what is stored then. Where it was
// given up meanwhile there is nothing to change: feed.ErrNotFound.
func (s *Subscriber) change(ctx context.Context, c feed.PushSubscription, edit func(*feed.PushSubscription)) (feed.PushSubscription, error) {
	leaving := c.State == feed.PushLeaving
	for range changeTries {
		after := c
		edit(&after)
		stored, err := s.store.ReplaceCallback(ctx, c, after)
		if err == nil && stored.Token != c.Token {
			s.rouse()
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
			err = fmt.Errorf("the subscription was given up: %w", feed.ErrNotFound)
		}
		if err != nil {
			return c, err
		}
	}
	return c, fmt.Errorf("subscription of %s: %w: it is written too often", c.FeedURL, feed.ErrConflict)
}

// Why a source is polled for the sake of its hub.
const (
	whyPing   = "its hub says that there is something new"
	whySilent = "its hub does not push any more"
)

// pollSoon makes a source due. One that is paused or gone from the store needs no poll.
func (s *Subscriber) pollSoon(ctx context.Context, feedURL, why string) error {
	err := s.store.PollSoon(ctx, feed.SourceID(feedURL), why)
	if errors.Is(err, feed.ErrConflict) || errors.Is(err, feed.ErrNotFound) {
		return nil
	}
	return err
}
