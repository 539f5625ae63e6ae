package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	longestRest = 10 * time.Second // so that what another daemon was killed in is known of before its claim ends
	shortestNap = 20 * time.Millisecond
	stopTime    = 5 * time.Second // for what must not be lost when Run ends
	writeTime   = 5 * time.Second // for what a callback has said to be written, before it is asked again by whoever is there
	carryTime   = time.Minute     // for the same where a topic is opened for it; to be asked again meanwhile does no harm
)

// retryDelays are the pauses before a callback is asked again that failed to answer. Beyond them the request is dropped.
func retryDelays() []time.Duration {
	return []time.Duration{time.Minute, 5 * time.Minute, 25 * time.Minute}
}

// Run asks callbacks whether the requests that wait are meant, and looks at topics that were published often, until ctx
// ends. The error is always nil: a store that is away is waited for.
func (f *Front) Run(ctx context.Context) error {
	defer f.stop(ctx)
	f.reclaim(ctx)
	away := false
	for ctx.Err() == nil {
		rest, err := f.turn(ctx)
		switch {
		case err != nil && ctx.Err() == nil && !away:
			f.opts.Logger.Warn("requests to the hub wait: the store does not give them", "err", err)
			away = true
		case err == nil:
			away = false
		}
		f.rest(ctx, rest)
	}
	return nil
}

// reclaim makes what a kill of this daemon has cut off due again.
func (f *Front) reclaim(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	if n, err := f.store.ReclaimHubRequests(ctx); err != nil {
		f.opts.Logger.Warn("requests to the hub that were cut off wait for the end of their claims", "err", err)
	} else if n > 0 {
		f.opts.Logger.Info("requests to the hub that were cut off are due again", "count", n)
	}
}

// rest waits for d, or until there is something to do.
func (f *Front) rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-f.wake:
	case <-ctx.Done():
	}
}

// stop waits for what is under way, and looks at the topics that wait for it: a publish that was answered 204 counts.
func (f *Front) stop(ctx context.Context) {
	f.work.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	for _, topic := range f.news.all() {
		if err := f.topics.Publish(ctx, topic); err != nil {
			f.opts.Logger.Warn("published topic was not looked at", "feed", topic, "err", err)
		}
	}
}

// turn starts what is due, and says how long there will be nothing else.
func (f *Front) turn(ctx context.Context) (rest time.Duration, err error) {
	next := f.checkDue(ctx)
	free := f.opts.Limits.AtOnce - f.turns.underWay()
	if free > 0 {
		call, cancel := context.WithTimeout(ctx, callTime)
		due, coming, err := f.store.ClaimHubRequests(call, free, f.opts.Timeout+writeTime)
		cancel()
		if err != nil {
			return longestRest / 10, err
		}
		for i := range due {
			if err := f.start(ctx, due[i]); err != nil {
				return longestRest / 10, err
			}
		}
		if len(due) == free {
			coming = f.opts.Now() // there may be more
		}
		if next.IsZero() || !coming.IsZero() && coming.Before(next) {
			next = coming
		}
	}
	if next.IsZero() {
		return longestRest, nil
	}
	return min(max(next.Sub(f.opts.Now()), shortestNap), longestRest), nil
}

// start asks a callback if it is its turn, and else makes its request wait.
func (f *Front) start(ctx context.Context, r feed.HubRequest) error {
	if at := f.turns.start(&r, f.opts.Now()); !at.IsZero() {
		return f.store.PostponeHubRequest(ctx, r, at)
	}
	f.work.Go(func() {
		defer f.rouse()
		defer f.turns.end(&r)
		err := f.verify(ctx, r)
		switch {
		case err == nil || ctx.Err() != nil || errors.Is(err, feed.ErrNotFound):
		case errors.Is(err, feed.ErrUnavailable):
			f.opts.Logger.Warn("request to the hub waits", "subscription", r.Subscription(), "feed", r.Topic, "err", err)
		default: // it would fail again and again
			f.opts.Logger.Error("request to the hub dropped", "subscription", r.Subscription(), "feed", r.Topic, "err", err)
			if err := f.store.DropHubRequest(ctx, r); err != nil {
				f.opts.Logger.Warn("request to the hub waits", "subscription", r.Subscription(), "feed", r.Topic, "err", err)
			}
		}
	})
	return nil
}

// verify asks a callback, and does what its answer says. After feed.ErrUnavailable the request comes again.
func (f *Front) verify(ctx context.Context, r feed.HubRequest) (err error) {
	defer func() {
		if p := recover(); p != nil {
			f.opts.OnPanic("signal")
			f.opts.Logger.Error("panic in a request to the hub", "feed", r.Topic, "err", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	from := f.opts.Now()
	result := f.ask(ctx, &r)
	if ctx.Err() != nil {
		return ctx.Err() // nobody's fault
	}
	if r.Mode == feed.HubDenied { // it was told, or cannot be
		result = verifyDenied
	}
	f.metrics.verifications[result].Inc()
	f.opts.Logger.Info("callback asked", "mode", r.Mode, "feed", r.Topic, "subscription", r.Subscription(), "result", result)
	ctx, cancel := context.WithTimeout(ctx, carryTime)
	defer cancel()
	switch result {
	case verifyConfirmed:
		return f.grant(ctx, r, from)
	case verifyDenied:
		return f.store.GrantHubRequest(ctx, r, from)
	case verifyFailed:
		if delays := retryDelays(); r.Tries < len(delays) {
			return f.store.DelayHubRequest(ctx, r, f.opts.Now().Add(delays[r.Tries]))
		}
	}
	f.refusals.book(r.Subscription(), f.opts.Now())
	return f.store.DropHubRequest(ctx, r)
}

// grant carries a request out that is confirmed. A topic that nobody distributes is opened first; where it cannot be, the
// subscriber is told.
func (f *Front) grant(ctx context.Context, r feed.HubRequest, from time.Time) error {
	if r.Mode != feed.HubSubscribe {
		return f.store.GrantHubRequest(ctx, r, from)
	}
	if done, err := f.secure(ctx, r); !done {
		return err
	}
	if err := f.store.GrantHubRequest(ctx, r, from); err != nil {
		return err
	}
	// Who removes a topic without subscribers looks for them again afterwards. Between the two looks of each, one of them
	// sees what the other has done.
	_, err := f.secure(ctx, r)
	return err
}

// secure opens the topic of a request where nobody distributes it, and reports whether it is distributed. Where it cannot be
// the subscriber is told.
func (f *Front) secure(ctx context.Context, r feed.HubRequest) (bool, error) {
	_, err := f.topics.Topic(ctx, r.Topic)
	if !errors.Is(err, feed.ErrNotFound) {
		return err == nil, err
	}
	open := f.terms().Open
	if open == nil {
		return false, f.deny(ctx, r, "the topic is no longer distributed here")
	}
	err = open(ctx, r.Topic)
	if err != nil && !errors.Is(err, feed.ErrUnavailable) {
		return false, f.deny(ctx, r, err.Error())
	}
	return err == nil, err
}

// maxReason bounds what a subscriber is told, in bytes.
const maxReason = 200

// deny makes the subscriber hear that it does not get what it asked for (section 5.2).
func (f *Front) deny(ctx context.Context, r feed.HubRequest, reason string) error {
	reason = strings.ToValidUTF8(reason[:min(len(reason), maxReason)], "")
	denial := feed.HubRequest{Mode: feed.HubDenied, Topic: r.Topic, As: r.As, Callback: r.Callback, Reason: reason}
	if err := f.store.AddHubRequest(ctx, denial, f.opts.Limits.PerPair+1); err != nil && !errors.Is(err, feed.ErrConflict) {
		return err
	}
	f.rouse()
	return f.store.DropHubRequest(ctx, r)
}

// ask asks a callback whether a request is meant, or tells it that it is denied, and classifies the answer: only a 2xx with
// the challenge as its body confirms (section 5.3.1).
func (f *Front) ask(ctx context.Context, r *feed.HubRequest) (result string) {
	ctx, cancel := context.WithTimeout(ctx, f.opts.Timeout)
	defer cancel()
	intent := websub.Intent{
		Mode: websub.Mode(r.Mode), Topic: r.Topic, Lease: r.Lease, Reason: r.Reason, VerifyToken: r.VerifyToken,
	}
	if r.As != "" {
		intent.Topic = r.As
	}
	if r.Mode != feed.HubDenied {
		intent.Challenge = rand.Text() // of at least 128 bits, for this once
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, intent.URL(r.Callback), nil)
	if err != nil {
		return verifyFailed
	}
	req.Header.Set("User-Agent", f.terms().UserAgent)
	resp, err := f.transport.RoundTrip(req) // and not a Client's Do: redirects are failures
	if err != nil {
		if errors.Is(err, ErrBlocked) {
			return verifyBlocked
		}
		return verifyFailed
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	switch {
	case resp.StatusCode >= 500:
		return verifyFailed
	case resp.StatusCode/100 != 2:
		return verifyRefused
	}
	said, err := io.ReadAll(io.LimitReader(resp.Body, int64(len(intent.Challenge))+1))
	switch {
	case err != nil:
		return verifyFailed
	case string(said) != intent.Challenge:
		return verifyMismatch
	}
	return verifyConfirmed
}
