package ingest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// deliveryTime bounds the handling of a delivery. Hubs wait about as long for a response.
const deliveryTime = 10 * time.Second

// ServeHTTP is the callback of all subscriptions. A GET verifies a request, a POST is a delivery. A 2xx confirms that the
// document is stored, so a hub that repeats other deliveries loses nothing.
func (s *Subscriber) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	ctx, cancel := context.WithTimeout(r.Context(), deliveryTime)
	defer cancel()
	c, err := s.store.Callback(ctx, r.PathValue("token"))
	switch {
	case err != nil && !errors.Is(err, feed.ErrNotFound):
		s.unavailable(w, r, "callback not looked up", c.FeedURL, err)
	case r.Method == http.MethodGet && err != nil:
		s.in.metrics.verifications[verificationRefused].Inc()
		http.NotFound(w, r)
	case r.Method == http.MethodGet:
		s.confirm(ctx, w, r, c)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "hubs send GET and POST", http.StatusMethodNotAllowed)
	case err != nil || c.State == feed.PushLeaving:
		s.in.metrics.deliveries[deliveryGone].Inc()
		http.Error(w, "there is no subscription here", http.StatusGone)
	default:
		s.deliver(ctx, w, r, c)
	}
}

// unavailable asks the hub to retry. Only the log has the reason.
func (s *Subscriber) unavailable(w http.ResponseWriter, r *http.Request, message, source string, err error) {
	if r.Method == http.MethodGet {
		s.in.metrics.verifications[verificationFailed].Inc()
	} else {
		s.in.metrics.deliveries[deliveryFailed].Inc()
	}
	s.failures.Failed(err, func(count int) {
		s.in.opts.Logger.Warn("push: try again later", "reason", message, "source", source, "count", count, "err", err)
	})
	w.Header().Set("Retry-After", "30")
	http.Error(w, "try again later", http.StatusServiceUnavailable)
}

// confirm handles the verification of a request, or a denial (sections 5.2 and 5.3). It answers 404 to verifications of
// requests that were not sent.
func (s *Subscriber) confirm(ctx context.Context, w http.ResponseWriter, r *http.Request, c feed.PushSubscription) {
	now, spread := s.in.opts.Now(), s.in.jitter()
	intent, ok := websub.ParseIntent(r.URL.Query())
	expected := func(c *feed.PushSubscription) bool {
		if intent.Mode == feed.HubDenied {
			return c.Topic == intent.Topic && c.State != feed.PushLeaving
		}
		return mayConfirm(c, &intent, now)
	}
	if !ok || !expected(&c) {
		s.in.metrics.verifications[verificationRefused].Inc()
		http.NotFound(w, r)
		return
	}
	was := c.State
	_, err := s.change(ctx, c, func(c *feed.PushSubscription) {
		switch {
		case !expected(c): // the subscription has ended since
		case intent.Mode == feed.HubSubscribe:
			confirmSubscription(c, intent.Lease, spread, now)
		case intent.Mode == feed.HubUnsubscribe:
			*c = feed.PushSubscription{}
		default:
			deny(c, feed.ShortLine(withoutSecrets(intent.Reason, c.Token, c.Secret)), now)
		}
	})
	if err == nil && intent.Mode == feed.HubDenied && was == feed.PushActive {
		err = s.pollSoon(ctx, c.FeedURL, whySilent)
	}
	if err != nil {
		s.unavailable(w, r, "confirmation not stored", c.FeedURL, err)
		return
	}
	result := verificationConfirmed
	if intent.Mode == feed.HubDenied {
		result = verificationDenied
	}
	s.in.metrics.verifications[result].Inc()
	s.in.opts.Logger.Info("hub verified the subscription", "source", c.FeedURL, "hub", c.Hub, "mode", intent.Mode, "lease", intent.Lease)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if intent.Mode != feed.HubDenied {
		_, _ = io.WriteString(w, intent.Challenge) // a hub that hears nothing asks again
	}
}

// deliver checks the signature of a delivery and accepts its document. A delivery without a document, or with one that cannot
// be trusted, makes the source due.
func (s *Subscriber) deliver(ctx context.Context, w http.ResponseWriter, r *http.Request, c feed.PushSubscription) {
	if wait := c.LimitLeft(s.in.opts.Now()); wait > 0 {
		s.answerLimited(w, wait, pushedTooMuch)
		return
	}
	select {
	case s.deliveries <- struct{}{}:
		defer func() { <-s.deliveries }()
	case <-ctx.Done():
		s.unavailable(w, r, "too many deliveries at a time", c.FeedURL, ctx.Err())
		return
	}
	body, err := websub.ReadDelivery(r, s.in.client.MaxBytes())
	if err != nil {
		result, status := deliveryBroken, http.StatusBadRequest
		if errors.Is(err, websub.ErrTooLarge) {
			result, status = deliveryTooLarge, http.StatusRequestEntityTooLarge
			err = errors.New("the delivery is larger than fetch.max_bytes")
		}
		s.in.metrics.deliveries[result].Inc()
		s.in.opts.Logger.Warn("delivery rejected", "source", c.FeedURL, "err", err)
		http.Error(w, err.Error(), status)
		return
	}
	if err := websub.Verify(r.Header, c.Secret, body); err != nil {
		s.refuse(ctx, w, c, err)
		return
	}
	result := deliveryFailed
	source, err := s.store.SourceByURL(ctx, c.FeedURL)
	if err == nil {
		result, err = s.accept(ctx, &c, source, body, r.Header.Get("Content-Type"))
	}
	if over, ok := errors.AsType[*feed.PushLimitError](err); ok {
		s.limit(ctx, w, r, c, over)
		return
	}
	if over, ok := errors.AsType[*feed.DayLimitError](err); ok { // a poll could not save more either
		s.in.opts.Logger.Info("delivery refused", "source", c.FeedURL, "err", over, "wait", over.Wait)
		s.answerLimited(w, over.Wait, over.Error())
		return
	}
	if errors.Is(err, feed.ErrNotFound) || errors.Is(err, feed.ErrLeaseLost) { // the source was removed
		s.in.metrics.deliveries[deliveryGone].Inc()
		http.Error(w, "there is no subscription here", http.StatusGone)
		return
	}
	if err == nil {
		_, err = s.change(ctx, c, func(c *feed.PushSubscription) { recordDelivery(c, result == deliveryPing, s.in.opts.Now()) })
	}
	if err == nil && result == deliveryPing {
		err = s.pollSoon(ctx, c.FeedURL, whyPing)
	}
	if errors.Is(err, feed.ErrNotFound) { // the subscription was left meanwhile
		err = nil
	}
	if err != nil {
		s.unavailable(w, r, "delivery not stored", c.FeedURL, err)
		return
	}
	s.in.metrics.deliveries[result].Inc()
	s.in.opts.Logger.Info("push", "source", c.FeedURL, "result", result, "bytes", len(body))
	w.WriteHeader(http.StatusAccepted)
}

// AcceptContent accepts a document that the publisher of a source sent. Errors are those of Accept, *feed.PushLimitError and
// *feed.DayLimitError.
func (in *Ingester) AcceptContent(ctx context.Context, source feed.Source, contentType string, body []byte) error {
	_, err := in.acceptPushed(ctx, source, source.URL, contentType, body)
	return err
}

func (in *Ingester) acceptPushed(ctx context.Context, source feed.Source, url, contentType string, body []byte) (feed.Saved, error) {
	_, saved, err := in.Accept(ctx, feed.Claim{Source: source}, parser.Raw{
		Body: body, ContentType: contentType, URL: url, Received: in.opts.Now(), Pushed: true, Identity: source.Poll.Identity,
	}, nil)
	return saved, err
}

// accept accepts a document. A document that is not a feed, or has no entry, is a ping. So is a delivery of an http hub for an
// https source, because the secret was sent without encryption.
func (s *Subscriber) accept(
	ctx context.Context, c *feed.PushSubscription, source feed.Source, body []byte, contentType string,
) (string, error) {
	if len(bytes.TrimSpace(body)) == 0 || strings.HasPrefix(source.URL, "https:") && !strings.HasPrefix(c.Hub, "https:") {
		return deliveryPing, nil
	}
	saved, err := s.in.acceptPushed(ctx, source, c.Topic, contentType, body)
	if _, unreadable := errors.AsType[*feed.PollError](err); unreadable {
		return deliveryPing, nil
	}
	switch {
	case err != nil:
		return deliveryFailed, err
	case saved.Changed():
		return deliveryNew, nil
	case saved.Unchanged+saved.Dead+saved.Filtered == 0:
		return deliveryPing, nil
	}
	return deliveryKnown, nil
}

// refuse rejects a delivery without a valid signature.
func (s *Subscriber) refuse(ctx context.Context, w http.ResponseWriter, c feed.PushSubscription, cause error) {
	result := deliveryForged
	if errors.Is(cause, websub.ErrUnsigned) {
		result = deliveryUnsigned
	}
	s.in.metrics.deliveries[result].Inc()
	s.in.opts.Logger.Warn("delivery rejected", "source", c.FeedURL, "err", cause)
	after, err := s.change(ctx, c, func(c *feed.PushSubscription) { recordForgery(c, s.in.opts.Now()) })
	if err == nil && c.State == feed.PushActive && after.State == feed.PushSilent {
		err = s.pollSoon(ctx, c.FeedURL, whySilent)
	}
	if err != nil && !errors.Is(err, feed.ErrNotFound) {
		s.in.opts.Logger.Warn("rejected delivery not recorded", "source", c.FeedURL, "err", err)
	}
	http.Error(w, cause.Error(), http.StatusForbidden)
}

// limit refuses a delivery with more entries than the source may get by push in a minute. The source is polled instead: once,
// because later deliveries of that minute are refused unread.
func (s *Subscriber) limit(
	ctx context.Context, w http.ResponseWriter, r *http.Request, c feed.PushSubscription, over *feed.PushLimitError,
) {
	first := false
	_, err := s.change(ctx, c, func(c *feed.PushSubscription) {
		now := s.in.opts.Now()
		if first = c.LimitLeft(now) == 0; first {
			c.Limited++
			c.LimitedUntil = now.Add(over.Wait)
			recordDelivery(c, true, now) // the poll finds what was refused: the hub has missed nothing
		}
	})
	if err == nil && first {
		s.in.opts.Logger.Warn("the hub pushes too much: deliveries are refused, and the source is polled", "source", c.FeedURL, "err", over,
			"wait", over.Wait)
		err = s.pollSoon(ctx, c.FeedURL, whyLimited)
	}
	if err != nil && !errors.Is(err, feed.ErrNotFound) {
		s.unavailable(w, r, "refused delivery not recorded", c.FeedURL, err)
		return
	}
	s.answerLimited(w, over.Wait, pushedTooMuch)
}

const pushedTooMuch = "too many entries in a minute; the source is polled instead"

// answerLimited asks the hub to deliver later.
func (s *Subscriber) answerLimited(w http.ResponseWriter, wait time.Duration, why string) {
	s.in.metrics.deliveries[deliveryLimited].Inc()
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	http.Error(w, why, http.StatusTooManyRequests)
}
