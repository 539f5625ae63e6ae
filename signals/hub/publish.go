package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// maxPublished bounds the topics of one publish request.
const maxPublished = 100

// publish handles a request of a publisher that has news. It responds 204 if all topics are accepted, and 207 with a line
// for each topic if some are.
func (f *Front) publish(ctx context.Context, w http.ResponseWriter, form url.Values, client string) error {
	urls := websub.Published(form)
	switch {
	case len(urls) == 0:
		return invalid(http.StatusBadRequest, "hub.url: is missing; name the topic that has news")
	case len(urls) > maxPublished:
		return invalid(http.StatusRequestEntityTooLarge, fmt.Sprintf("hub.url: at most %d topics in one request", maxPublished))
	}
	for range urls[1:] { // the request itself is counted already
		f.clients.book(client, f.opts.Now())
	}
	var rejections []*rejection
	var text strings.Builder
	for _, u := range urls {
		if err := f.publishTopic(ctx, u); err != nil {
			r := f.rejectionFor(websub.Publish, err)
			rejections = append(rejections, r)
			fmt.Fprintf(&text, "%s: %d %s\n", u, r.status, r.reason)
		} else {
			fmt.Fprintf(&text, "%s: 204 accepted\n", u)
		}
	}
	switch {
	case len(rejections) == 0:
		w.WriteHeader(http.StatusNoContent)
	case len(rejections) == len(urls):
		return rejections[0] // a response has one status; the next attempt shows the others
	default:
		w.WriteHeader(http.StatusMultiStatus)
		_, _ = io.WriteString(w, text.String())
	}
	return nil
}

func (f *Front) publishTopic(ctx context.Context, written string) error {
	parsed, err := websub.ParseURL(written)
	if err != nil {
		return invalid(http.StatusBadRequest, "hub.url: "+err.Error())
	}
	topic, err := f.topics.ResolveTopic(ctx, parsed)
	if errors.Is(err, feed.ErrNotFound) {
		return unknownTopic("hub.url")
	}
	if err != nil {
		return err
	}
	switch f.refreshes.add(topic, f.opts.Now()) {
	case refreshRejected:
		return limited(f.opts.Limits.RefreshInterval, "too many topics have news; retry later")
	case refreshQueued:
		wake(f.wakeup)
		return f.topics.ScheduleRefresh(ctx, topic)
	}
	return f.refresh(ctx, topic)
}

// refresh checks a topic for news. If that fails, the topic is queued again.
func (f *Front) refresh(ctx context.Context, topic string) error {
	if err := f.topics.RefreshTopic(ctx, topic); err != nil {
		f.refreshes.requeue(topic)
		return fmt.Errorf("publish %s: %w", topic, err)
	}
	f.metrics.checks.Inc()
	return nil
}

// refreshDue refreshes the queued topics that are due, and returns when the next one is due, or zero.
func (f *Front) refreshDue(ctx context.Context) (next time.Time) {
	due, next := f.refreshes.due(f.opts.Now())
	for _, topic := range due {
		call, cancel := context.WithTimeout(ctx, callTimeout)
		err := f.refresh(call, topic)
		cancel()
		if err != nil && ctx.Err() == nil {
			f.opts.Logger.Warn("published topic not refreshed, retrying", "feed", topic, "err", err)
		}
	}
	return next
}
