package hub

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/signals/websub"
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
	topic, err := f.knownTopic(ctx, "hub.url", written)
	if err != nil {
		return err
	}
	if err := f.topics.RefreshTopic(ctx, topic); err != nil {
		return fmt.Errorf("publish %s: %w", topic, err)
	}
	f.metrics.checks.Inc()
	return nil
}
