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

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// untrusted refuses what strangers may not do.
func untrusted() *refusal {
	return &refusal{status: http.StatusForbidden, result: requestDenied, reason: "hub.mode: this one is for people with a token of this hub"}
}

// retrieve answers with a topic as it is now.
func (f *Front) retrieve(ctx context.Context, w http.ResponseWriter, r *http.Request, query url.Values) error {
	if !f.opts.Trusted(r) {
		return untrusted()
	}
	topic, err := f.knownTopic(ctx, query)
	if err != nil {
		return err
	}
	part := Part{Before: query.Get("before"), After: query.Get("after")}
	if part.Count, err = parseCount(query, 0); err != nil {
		return err
	}
	d, err := f.topics.Document(ctx, topic, part)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return &refusal{status: http.StatusNotFound, result: requestDenied, reason: "hub.topic: there is nothing yet"}
	case errors.Is(err, feed.ErrConflict):
		return &refusal{
			status: http.StatusNotFound, result: requestDenied, reason: "count, before, after: are for sources, and the ids of entries that are stored",
		}
	case err != nil:
		return err
	}
	show(w, topic, d)
	return nil
}

// show answers with a topic, or a part of it.
func show(w http.ResponseWriter, topic string, d feed.Distribution) {
	h := w.Header()
	h.Set("Content-Type", d.ContentType)
	h.Set("Content-Length", strconv.Itoa(len(d.Body)))
	h.Set("Content-Security-Policy", "sandbox") // whatever it is, it must not act in our name
	h.Set("Link", fmt.Sprintf(`<%s>; rel="self"`, topic))
	_, _ = w.Write(d.Body)
}

// showWhole answers with a topic that has just been subscribed to.
func (f *Front) showWhole(ctx context.Context, w http.ResponseWriter, topic string) error {
	d, err := f.topics.Document(ctx, topic, Part{})
	switch {
	case errors.Is(err, feed.ErrNotFound):
		w.WriteHeader(http.StatusNoContent)
		return nil
	case err == nil:
		show(w, topic, d)
	}
	return err
}

// maxCount bounds what is asked for at once.
const maxCount = 50

// parseCount reads how much is asked for.
func parseCount(form url.Values, usual int) (int, error) {
	text := form.Get("count")
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxCount {
		return 0, invalid(http.StatusBadRequest, fmt.Sprintf("count: must be a number from 1 to %d", maxCount))
	}
	return n, nil
}

// How long one who asks for the topic with its subscription waits for the verification, and how often it is looked for.
const (
	confirmTime  = 8 * time.Second // of storeTime
	confirmEvery = 50 * time.Millisecond
)

// confirmed waits until a callback has confirmed a request that was made after some time, and reports whether it did: not
// yet, or, with a refusal, not at all. What is retrieved then and what is delivered from then on leave no gap.
func (f *Front) confirmed(ctx context.Context, r *feed.HubRequest, after time.Time) (bool, error) {
	for ctx.Err() == nil && f.opts.Now().Sub(after) < confirmTime {
		// In this order: what is granted between the two is seen by the second.
		waiting, err := f.store.HubRequests(ctx, r.Subscription())
		gone := err == nil && !slices.ContainsFunc(waiting, func(other feed.HubRequest) bool { return sameWish(*r, other) })
		sub, err := f.store.Subscription(ctx, r.Subscription())
		switch {
		case err == nil && !sub.Since.Before(after.Truncate(time.Millisecond)):
			return true, nil
		case gone && (err == nil || errors.Is(err, feed.ErrNotFound)):
			return false, &refusal{
				status: http.StatusUnprocessableEntity, result: requestDenied,
				reason: "hub.callback: did not confirm the request, or could not be subscribed to the topic",
			}
		}
		await(ctx, nil, confirmEvery)
	}
	return false, nil
}

// sameWish reports whether two requests ask for the same, however far they are.
func sameWish(a, b feed.HubRequest) bool {
	b.ID, b.Asked, b.Tries = a.ID, a.Asked, a.Tries
	return a == b
}

// replay has the newest versions of a topic delivered to a callback again.
func (f *Front) replay(ctx context.Context, w http.ResponseWriter, r *http.Request, form url.Values) error {
	if f.opts.Replay == nil || !f.opts.Trusted(r) {
		return untrusted()
	}
	topic, err := f.knownTopic(ctx, form)
	if err != nil {
		return err
	}
	callback, err := websub.ParseURL(form.Get("hub.callback"))
	if err != nil {
		return invalid(http.StatusBadRequest, "hub.callback: "+err.Error())
	}
	count, err := parseCount(form, 1)
	if err != nil {
		return err
	}
	err = f.opts.Replay(ctx, feed.SubscriptionID(topic, callback), count)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return &refusal{status: http.StatusNotFound, result: requestDenied, reason: "hub.callback: does not subscribe to this topic"}
	case errors.Is(err, feed.ErrConflict):
		return &refusal{status: http.StatusConflict, result: requestDenied, reason: "hub.topic: nothing was distributed yet"}
	case err != nil:
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}

// knownTopic is the name of the topic that somebody we trust asks for.
func (f *Front) knownTopic(ctx context.Context, form url.Values) (string, error) {
	written, err := websub.ParseURL(form.Get("hub.topic"))
	if err != nil {
		return "", invalid(http.StatusBadRequest, "hub.topic: "+err.Error())
	}
	topic, err := f.topics.Topic(ctx, written)
	if errors.Is(err, feed.ErrNotFound) {
		return "", unknownTopic("hub.topic")
	}
	return topic, err
}
