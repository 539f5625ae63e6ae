package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// deliveryTime is how long a delivery may take: hubs wait about as long for an answer.
const deliveryTime = 10 * time.Second

// ServeHTTP is the callback of every subscription. A GET is a hub that asks whether we mean it, a POST is a delivery. The
// answer 2xx says that what came is stored, so that a hub which repeats what was not taken loses nothing.
func (s *Subscriber) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	ctx, cancel := context.WithTimeout(r.Context(), deliveryTime)
	defer cancel()
	c, err := s.store.Callback(ctx, r.PathValue("token"))
	switch {
	case err != nil && !errors.Is(err, feed.ErrNotFound):
		s.unavailable(w, "callback not looked up", c.FeedURL, err)
	case r.Method == http.MethodGet && err != nil:
		s.metrics.verifications[verificationRefused].Inc()
		http.NotFound(w, r)
	case r.Method == http.MethodGet:
		s.confirm(ctx, w, r, c)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "hubs send GET and POST", http.StatusMethodNotAllowed)
	case err != nil || c.State == feed.PushLeaving:
		s.metrics.deliveries[deliveryGone].Inc()
		http.Error(w, "there is no subscription here", http.StatusGone)
	default:
		s.deliver(ctx, w, r, c)
	}
}

// unavailable asks the hub to come back, and keeps the reason in the house.
func (s *Subscriber) unavailable(w http.ResponseWriter, message, source string, err error) {
	s.in.opts.Logger.Warn("push: try again later", "reason", message, "source", source, "err", err)
	w.Header().Set("Retry-After", "30")
	http.Error(w, "try again later", http.StatusServiceUnavailable)
}

// confirm answers a hub that asks whether we mean it, or that refuses us (sections 5.2 and 5.3). Only what we have asked
// for is confirmed: whoever else knows the URL gets a 404.
func (s *Subscriber) confirm(ctx context.Context, w http.ResponseWriter, r *http.Request, c feed.PushSubscription) {
	now, spread := s.in.opts.Now(), s.in.jitter()
	intent, ok := websub.ParseIntent(r.URL.Query())
	known := func(c *feed.PushSubscription) bool {
		if intent.Mode == websub.Denied {
			return c.Topic == intent.Topic && c.State != feed.PushLeaving
		}
		return mayConfirm(c, &intent, now)
	}
	if !ok || !known(&c) {
		s.metrics.verifications[verificationRefused].Inc()
		http.NotFound(w, r)
		return
	}
	was := c.State
	_, err := s.change(ctx, c, func(c *feed.PushSubscription) {
		switch {
		case !known(c): // any more
		case intent.Mode == websub.Subscribe:
			confirmSubscription(c, intent.Lease, spread, now)
		case intent.Mode == websub.Unsubscribe:
			*c = feed.PushSubscription{}
		default:
			deny(c, feed.ShortLine(withoutSecrets(intent.Reason, c.Token, c.Secret)), now)
		}
	})
	if err == nil && intent.Mode == websub.Denied && was == feed.PushActive {
		err = s.pollSoon(ctx, c.FeedURL, whySilent)
	}
	if err != nil {
		s.unavailable(w, "confirmation not stored", c.FeedURL, err)
		return
	}
	result := verificationConfirmed
	if intent.Mode == websub.Denied {
		result = verificationDenied
	}
	s.metrics.verifications[result].Inc()
	s.in.opts.Logger.Info("hub answered", "source", c.FeedURL, "hub", c.Hub, "mode", intent.Mode, "lease", intent.Lease)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if intent.Mode != websub.Denied {
		_, _ = io.WriteString(w, intent.Challenge) // a hub that hears nothing asks again
	}
}

// deliver takes a delivery: its signature is checked over its bytes, then it goes the way of a polled document. What is no
// document, or not to be believed alone, makes the source due.
func (s *Subscriber) deliver(ctx context.Context, w http.ResponseWriter, r *http.Request, c feed.PushSubscription) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		s.unavailable(w, "too many deliveries at a time", c.FeedURL, ctx.Err())
		return
	}
	body, err := s.body(r)
	if err != nil {
		result, status := deliveryBroken, http.StatusBadRequest
		if errors.Is(err, errTooLarge) {
			result, status = deliveryTooLarge, http.StatusRequestEntityTooLarge
		}
		s.metrics.deliveries[result].Inc()
		s.in.opts.Logger.Warn("delivery not taken", "source", c.FeedURL, "err", err)
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
	if errors.Is(err, feed.ErrNotFound) || errors.Is(err, feed.ErrLeaseLost) { // the source was removed
		s.metrics.deliveries[deliveryGone].Inc()
		http.Error(w, "there is no subscription here", http.StatusGone)
		return
	}
	if err == nil {
		_, err = s.change(ctx, c, func(c *feed.PushSubscription) { receive(c, result == deliveryPing, s.in.opts.Now()) })
	}
	if err == nil && result == deliveryPing {
		err = s.pollSoon(ctx, c.FeedURL, whyPing)
	}
	if errors.Is(err, feed.ErrNotFound) { // given up meanwhile
		err = nil
	}
	if err != nil {
		s.metrics.deliveries[deliveryFailed].Inc()
		s.unavailable(w, "delivery not stored", c.FeedURL, err)
		return
	}
	s.metrics.deliveries[result].Inc()
	s.in.opts.Logger.Info("push", "source", c.FeedURL, "result", result, "bytes", len(body))
	w.WriteHeader(http.StatusAccepted)
}

// accept takes a document in. One that cannot be read as a feed, or has no entry, is a ping; so is what came through a
// hub without encryption for a source that is polled with it, because whoever listened there knows the secret.
func (s *Subscriber) accept(
	ctx context.Context, c *feed.PushSubscription, source feed.Source, body []byte, contentType string,
) (string, error) {
	if len(bytes.TrimSpace(body)) == 0 || strings.HasPrefix(source.URL, "https:") && !strings.HasPrefix(c.Hub, "https:") {
		return deliveryPing, nil
	}
	saved, err := s.in.Accept(ctx, feed.Claim{Source: source}, parser.Raw{
		Body: body, ContentType: contentType, URL: c.Topic, Received: s.in.opts.Now(), Pushed: true,
		Identity: source.Poll.Identity,
	})
	if _, unreadable := errors.AsType[*feed.Failure](err); unreadable {
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

// refuse answers a delivery without a good signature.
func (s *Subscriber) refuse(ctx context.Context, w http.ResponseWriter, c feed.PushSubscription, cause error) {
	result := deliveryForged
	if errors.Is(cause, websub.ErrUnsigned) {
		result = deliveryUnsigned
	}
	s.metrics.deliveries[result].Inc()
	s.in.opts.Logger.Warn("delivery not taken", "source", c.FeedURL, "err", cause)
	after, err := s.change(ctx, c, func(c *feed.PushSubscription) { refuse(c, s.in.opts.Now()) })
	if err == nil && c.State == feed.PushActive && after.State == feed.PushSilent {
		err = s.pollSoon(ctx, c.FeedURL, whySilent)
	}
	if err != nil && !errors.Is(err, feed.ErrNotFound) {
		s.in.opts.Logger.Warn("refused delivery not noted", "source", c.FeedURL, "err", err)
	}
	http.Error(w, cause.Error(), http.StatusForbidden)
}

// errTooLarge: a delivery passes the bound of a document.
var errTooLarge = errors.New("the delivery is larger than fetch.max_bytes")

// body reads a delivery, decompressed: the signature is over what the topic is (section 7.1), not over how it travels.
func (s *Subscriber) body(r *http.Request) ([]byte, error) {
	most := s.in.client.MaxBytes()
	if r.ContentLength > most {
		return nil, errTooLarge
	}
	from := io.LimitReader(r.Body, most+1)
	switch coding := r.Header.Get("Content-Encoding"); coding {
	case "", "identity":
	case "gzip", "x-gzip":
		unpacked, err := gzip.NewReader(from)
		if err != nil {
			return nil, errors.New("the delivery is not gzip, as it says")
		}
		from = io.LimitReader(unpacked, most+1)
	default:
		return nil, errors.New("deliveries may be encoded by gzip only")
	}
	body, err := io.ReadAll(from)
	switch {
	case err != nil:
		return nil, errors.New("the delivery cannot be read to its end")
	case int64(len(body)) > most:
		return nil, errTooLarge
	}
	return body, nil
}
