package hub

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// retryDelays returns the delays after failed verifications. After the last one the request is dropped.
func retryDelays(first time.Duration) []time.Duration {
	return []time.Duration{first, 5 * first, 25 * first}
}

// verify verifies a request with its callback and applies the result. The request stays in the store after
// feed.ErrUnavailable.
func (f *Front) verify(ctx context.Context, r feed.HubRequest) (err error) {
	defer f.recoverTo(&err, r.Topic)
	from := f.opts.Now()
	result := f.callBack(ctx, &r)
	if ctx.Err() != nil {
		return ctx.Err() // the daemon stops
	}
	if r.Mode == feed.HubDenied { // the response to a denial does not matter
		result = verifyDenied
	}
	f.metrics.verifications.WithLabelValues(result).Inc()
	f.opts.Logger.Info("callback verified", "mode", r.Mode, "feed", r.Topic, "subscription", r.Subscription(), "result", result)
	ctx, cancel := context.WithTimeout(ctx, grantTimeout)
	defer cancel()
	switch result {
	case verifyConfirmed:
		return f.grant(ctx, r, from)
	case verifyDenied:
		return f.store.GrantHubRequest(ctx, r, from)
	case verifyFailed:
		if delays := retryDelays(f.current.Load().FirstRetry); r.Tries < len(delays) {
			return f.store.RetryHubRequest(ctx, r, r.Tries+1, f.opts.Now().Add(delays[r.Tries]))
		}
	}
	f.refusals.Book(r.Subscription(), f.opts.Now())
	return f.store.DropHubRequest(ctx, r)
}

// recoverTo turns a panic in a request for a topic into an error. Defer it.
func (f *Front) recoverTo(err *error, topic string) {
	if p := recover(); p != nil {
		f.opts.OnPanic("signal")
		f.opts.Logger.Error("panic in a request to the hub", "feed", topic, "err", p, "stack", string(debug.Stack()))
		*err = fmt.Errorf("panic: %v", p)
	}
}

// grant grants a confirmed request. It adds an unknown topic first, or denies the request if that fails.
func (f *Front) grant(ctx context.Context, r feed.HubRequest, from time.Time) error {
	if r.Mode != feed.HubSubscribe {
		return f.store.GrantHubRequest(ctx, r, from)
	}
	if known, err := f.ensureTopic(ctx, r); !known {
		return err
	}
	if excessive, err := f.hasTooMany(ctx, &r); err != nil {
		return err
	} else if excessive {
		return f.deny(ctx, r, "your network has too many subscriptions to open topics")
	}
	if err := f.store.GrantHubRequest(ctx, r, from); err != nil {
		return err
	}
	// The job that removes topics without subscribers also checks before and after its change. With two checks each, at
	// least one side sees the change of the other.
	_, err := f.ensureTopic(ctx, r)
	return err
}

// ensureTopic adds the topic of a request if it is unknown, and reports whether the topic is distributed under that name.
// If it cannot be added, the request is denied. If it has another name, the request starts again with that.
func (f *Front) ensureTopic(ctx context.Context, r feed.HubRequest) (bool, error) {
	name, err := f.topics.ResolveTopic(ctx, r.Topic)
	if errors.Is(err, feed.ErrNotFound) {
		if f.current.Load().AddTopic == nil {
			return false, f.deny(ctx, r, "the topic is no longer distributed here")
		}
		if err := f.addTopic(ctx, r.Topic); errors.Is(err, feed.ErrUnavailable) {
			return false, err
		} else if err != nil {
			return false, f.deny(ctx, r, err.Error())
		}
		name, err = f.topics.ResolveTopic(ctx, r.Topic)
	}
	switch {
	case err != nil:
		return false, err
	case name != r.Topic:
		return false, f.rename(ctx, r, name)
	}
	return true, nil
}

// hasTooMany reports whether the client of a request has too many subscriptions to open topics for another one.
func (f *Front) hasTooMany(ctx context.Context, r *feed.HubRequest) (bool, error) {
	ip, err := netip.ParseAddr(r.Client)
	if f.current.Load().AddTopic == nil || r.Lane == feed.LaneRenewal || err != nil || ip.IsLoopback() {
		return false, nil //nolint:nilerr // no address: a request of the hub itself
	}
	counts, err := f.store.HubCounts(ctx, r)
	return counts.Open && counts.OfClient >= f.opts.Limits.OpenPerClient, err
}

// rename replaces a request by one for the same topic with another name. The subscriber still reads the name that it requested.
func (f *Front) rename(ctx context.Context, r feed.HubRequest, name string) error {
	renamed := r
	renamed.Topic, renamed.RequestedTopic, renamed.Tries = name, cmp.Or(r.RequestedTopic, r.Topic), 0
	renamed.Lease = f.current.Load().leaseOf(name).Grant(r.Lease)
	if err := f.store.AddHubRequest(ctx, renamed, f.opts.Limits.QueuedPerPair); err != nil && !errors.Is(err, feed.ErrConflict) {
		return err
	}
	retry.Wake(f.wakeup)
	return f.store.DropHubRequest(ctx, r)
}

// maxReason bounds the reason that a subscriber receives, in bytes.
const maxReason = 200

// deny replaces a request by a denial, which informs the subscriber (section 5.2).
func (f *Front) deny(ctx context.Context, r feed.HubRequest, reason string) error {
	reason = strings.ToValidUTF8(reason[:min(len(reason), maxReason)], "")
	denial := feed.HubRequest{
		Mode: feed.HubDenied, Topic: r.Topic, RequestedTopic: r.RequestedTopic, Callback: r.Callback, Reason: reason,
		Client: r.Client,
	}
	if err := f.store.AddHubRequest(ctx, denial, f.opts.Limits.QueuedPerPair+1); err != nil && !errors.Is(err, feed.ErrConflict) {
		return err
	}
	retry.Wake(f.wakeup)
	return f.store.DropHubRequest(ctx, r)
}

// callBack sends the verification request, or the denial, and classifies the response. Only a 2xx with the challenge as its
// body confirms a request (section 5.3.1).
func (f *Front) callBack(ctx context.Context, r *feed.HubRequest) (result string) {
	ctx, cancel := context.WithTimeout(ctx, f.current.Load().Timeout)
	defer cancel()
	intent := websub.Intent{HubRequest: *r}
	if r.Mode != feed.HubDenied {
		intent.Challenge = rand.Text() // at least 128 bits
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, intent.URL(), nil)
	if err != nil {
		return verifyFailed
	}
	req.Header.Set("User-Agent", f.current.Load().UserAgent)
	resp, err := f.transport.RoundTrip(req) // not Client.Do: a redirect is a refusal
	if err != nil {
		if feed.ClassOf(err) == feed.FailureBlockedAddress {
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
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(len(intent.Challenge))+1))
	switch {
	case err != nil:
		return verifyFailed
	case string(body) != intent.Challenge:
		return verifyMismatch
	}
	return verifyConfirmed
}
