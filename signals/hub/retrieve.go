package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

func untrusted() *rejection {
	return rejected(http.StatusForbidden, "hub.mode: requires a token of this hub")
}

func (f *Front) retrieve(ctx context.Context, w http.ResponseWriter, r *http.Request, query url.Values) error {
	if !f.opts.Trusted(r) {
		return untrusted()
	}
	topic, err := f.knownTopic(ctx, "hub.topic", query.Get("hub.topic"))
	if err != nil {
		return err
	}
	entries := feed.EntryRange{Before: query.Get("before"), After: query.Get("after")}
	if entries.Count, err = parseCount(query, 0); err != nil {
		return err
	}
	err = f.writeTopic(ctx, w, topic, entries)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return rejected(http.StatusNotFound, "hub.topic: has no document yet")
	case errors.Is(err, feed.ErrConflict):
		return rejected(http.StatusNotFound, "count, before, after: require a source, and ids of stored entries")
	}
	return err
}

// writeTopic responds with the document of a topic. Errors are those of Topics.Document.
func (f *Front) writeTopic(ctx context.Context, w http.ResponseWriter, topic string, entries feed.EntryRange) error {
	d, err := f.topics.Document(ctx, topic, entries)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", d.ContentType)
	h.Set("Content-Length", strconv.Itoa(len(d.Body)))
	h.Set("Content-Security-Policy", "sandbox") // the document comes from elsewhere
	h.Set("Link", fmt.Sprintf(`<%s>; rel="self"`, topic))
	_, _ = w.Write(d.Body) // fails only if the client disconnected
	return nil
}

const maxCount = 50

func parseCount(form url.Values, def int) (int, error) {
	text := form.Get("count")
	if text == "" {
		return def, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxCount {
		return 0, rejected(http.StatusBadRequest, fmt.Sprintf("count: must be a number from 1 to %d", maxCount))
	}
	return n, nil
}

// A client that retrieves the topic with its subscription waits for the verification.
const (
	confirmTimeout = 8 * time.Second // within requestTimeout
	confirmEvery   = 50 * time.Millisecond
)

// awaitConfirmation waits until the callback has confirmed a request that was made at start. It reports false if the
// verification is not finished in time; the error is a rejection if the callback did not confirm. A document that is
// retrieved afterwards and the deliveries of the subscription leave no gap.
func (f *Front) awaitConfirmation(ctx context.Context, r *feed.HubRequest, start time.Time) (bool, error) {
	for ctx.Err() == nil && f.opts.Now().Sub(start) < confirmTimeout {
		// The order of the two reads matters: the second one sees requests that are granted between them.
		requests, err := f.store.HubRequests(ctx, r.Subscription())
		gone := err == nil && !slices.ContainsFunc(requests, func(other feed.HubRequest) bool { return sameRequest(*r, other) })
		sub, err := f.store.Subscription(ctx, r.Subscription())
		switch {
		case err == nil && !sub.Since.Before(start.Truncate(time.Millisecond)):
			return true, nil
		case gone && (err == nil || errors.Is(err, feed.ErrNotFound)):
			return false, rejected(http.StatusUnprocessableEntity, "hub.callback: did not confirm the request, or the topic could not be added")
		}
		retry.Await(ctx, nil, confirmEvery)
	}
	return false, nil
}

// sameRequest reports whether two requests are equal apart from their progress.
func sameRequest(a, b feed.HubRequest) bool {
	b.ID, b.Created, b.Tries, b.Client, b.Lane = a.ID, a.Created, a.Tries, a.Client, a.Lane
	return a == b
}

// replay delivers the newest versions of a topic to a subscription again, for its owner or a client with a token.
func (f *Front) replay(ctx context.Context, w http.ResponseWriter, r *http.Request, form url.Values) error {
	if err := f.doReplay(ctx, r, form); err != nil {
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}

// doReplay delivers them without a response.
func (f *Front) doReplay(ctx context.Context, r *http.Request, form url.Values) error {
	count, err := parseCount(form, 1) // before the replay is counted
	if err != nil {
		return err
	}
	if !f.opts.Trusted(r) {
		if err := f.proveReplay(ctx, r, form); err != nil {
			return err
		}
	}
	topic, err := f.knownTopic(ctx, "hub.topic", form.Get("hub.topic"))
	if err != nil {
		return err
	}
	callback, err := websub.ParseURL(form.Get("hub.callback"))
	if err != nil {
		return rejected(http.StatusBadRequest, "hub.callback: "+err.Error())
	}
	err = f.store.ReplaySubscription(ctx, feed.SubscriptionID(topic, callback), count)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return rejected(http.StatusNotFound, "hub.callback: is not subscribed to this topic")
	case errors.Is(err, feed.ErrConflict):
		return rejected(http.StatusConflict, "hub.topic: has no version yet")
	}
	return err
}

// knownTopic returns the name of the topic in a parameter.
func (f *Front) knownTopic(ctx context.Context, parameter, written string) (string, error) {
	written, err := websub.ParseURL(written)
	if err != nil {
		return "", rejected(http.StatusBadRequest, parameter+": "+err.Error())
	}
	topic, err := f.topics.ResolveTopic(ctx, written)
	if errors.Is(err, feed.ErrNotFound) {
		return "", unknownTopic(parameter)
	}
	return topic, err
}
