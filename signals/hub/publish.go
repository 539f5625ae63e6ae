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

const maxPublished = 100

// publish handles a request of a publisher that has news. It responds 204 if all topics are accepted, and 207 with a line
// for each topic if some are.
func (f *Front) publish(ctx context.Context, w http.ResponseWriter, form url.Values, client string) error {
	urls := websub.Published(form)
	switch {
	case len(urls) == 0:
		return rejected(http.StatusBadRequest, "hub.url: is missing; name the topic that has news")
	case len(urls) > maxPublished:
		return rejected(http.StatusRequestEntityTooLarge, fmt.Sprintf("hub.url: at most %d topics in one request", maxPublished))
	}
	for range urls[1:] { // the request itself is counted already
		f.clients.Book(client, f.opts.Now())
	}
	var rejections []*rejection
	var text strings.Builder
	for _, u := range urls {
		if err := f.publishTopic(ctx, u, client); err != nil {
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

func (f *Front) publishTopic(ctx context.Context, written, client string) error {
	topic, err := f.knownTopic(ctx, "hub.url", written)
	if r, ok := errors.AsType[*rejection](err); ok && r.status == http.StatusNotFound && f.current.Load().AddTopic != nil {
		return f.addLater(written, client)
	}
	if err != nil {
		return err
	}
	if err := f.topics.RefreshTopic(ctx, topic); err != nil {
		return fmt.Errorf("publish %s: %w", topic, err)
	}
	f.metrics.checks.Inc()
	return nil
}

const (
	maxUnknown = 100 // published topics that wait to be added
	addWorkers = 4   // topics that are added at the same time
)

// addLater queues an unknown topic of a publisher. It has no subscribers, so nothing is missed if the daemon stops before. The
// publisher does not wait, because its server may have to respond to it first.
func (f *Front) addLater(written, client string) error {
	topic, err := feed.CanonicalURL(written)
	if err != nil {
		return rejected(http.StatusBadRequest, "hub.url: is not a URL that can be fetched")
	}
	if wait := f.added.Take(client, f.opts.Now()); wait > 0 {
		return limited(wait, "hub.url: too many unknown topics from your address; retry later")
	}
	select {
	case f.unknown <- topic:
		return nil
	default:
		return &rejection{status: http.StatusServiceUnavailable, wait: 30 * time.Second, reason: "hub.url: too many unknown topics; retry later"}
	}
}

// addPublished adds the topics of publishers until ctx ends.
func (f *Front) addPublished(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case topic := <-f.unknown:
			if err := f.addUnknown(ctx, topic); err != nil && ctx.Err() == nil {
				f.opts.Logger.Info("published topic not added", "feed", topic, "err", err)
			}
		}
	}
}

func (f *Front) addUnknown(ctx context.Context, topic string) (err error) {
	defer f.recoverTo(&err, topic)
	return f.addTopic(ctx, topic)
}

func (f *Front) addTopic(ctx context.Context, topic string) error {
	ctx, cancel := context.WithTimeout(ctx, grantTimeout)
	defer cancel()
	if add := f.current.Load().AddTopic; add != nil {
		return add(ctx, topic)
	}
	return nil
}
