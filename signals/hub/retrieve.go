package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

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
	d, err := f.topics.Document(ctx, topic)
	if errors.Is(err, feed.ErrNotFound) {
		return &refusal{status: http.StatusNotFound, result: requestDenied, reason: "hub.topic: there is nothing yet"}
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", d.ContentType)
	h.Set("Content-Length", strconv.Itoa(len(d.Body)))
	h.Set("Content-Security-Policy", "sandbox") // whatever it is, it must not act in our name
	h.Set("Link", fmt.Sprintf(`<%s>; rel="self"`, topic))
	_, _ = w.Write(d.Body)
	return nil
}

// replay has the newest version of a topic delivered to a callback again.
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
	err = f.opts.Replay(ctx, feed.SubscriptionID(topic, callback))
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
