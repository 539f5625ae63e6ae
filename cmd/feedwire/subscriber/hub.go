package subscriber

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// maxDocument is the maximum size of a decompressed document in bytes.
const maxDocument = 8 << 20

// find discovers hub and topic of a document, and marks what the document has as printed. If the hub is given, the document need not be
// available.
func (s *subscriber) find(ctx context.Context) error {
	if s.opts.Hub != "" {
		s.hub, s.topic = s.opts.Hub, s.feedURL
	}
	found, document, err := s.fetch(ctx)
	s.discovered = time.Now()
	if err == nil {
		_, notFeed := s.printed.news(document)
		if s.page = notFeed != nil && !errors.Is(notFeed, errNoEntries); s.page {
			s.printed.pageNews(s.feedURL, document)
		}
	}
	switch {
	case s.opts.Hub != "":
		return nil
	case err != nil:
		return err
	case len(found.Hubs) == 0:
		return fmt.Errorf("%s does not name a hub; set --hub to one that distributes it", s.feedURL)
	}
	s.hub, s.topic = found.Hubs[0], found.Self
	return nil
}

// fetch fetches the document, and returns it with its hubs and its topic.
func (s *subscriber) fetch(ctx context.Context) (websub.Topic, parser.Raw, error) {
	got, err := s.opts.Client.Get(ctx, &feed.Source{URL: s.feedURL}, fetch.Request{URL: s.feedURL})
	if err != nil {
		return websub.Topic{}, parser.Raw{}, fmt.Errorf("fetch %s: %w", s.feedURL, err)
	}
	found := websub.Discover(got.Header, got.Body, got.URL)
	found.Self = cmp.Or(found.Self, got.URL)
	return found, parser.NewRaw(got.Body, got.Header, got.URL, time.Now()), nil
}

// rediscover changes to another hub or topic if the document no longer names the present one, and prints what the hub did not deliver.
// The subscription at the former hub ends with its lease.
func (s *subscriber) rediscover(ctx context.Context) {
	if time.Since(s.discovered) < s.opts.rest {
		return
	}
	s.discovered = time.Now()
	found, document, err := s.fetch(ctx)
	if err != nil {
		fmt.Fprintf(s.opts.Notes, "the hub may have changed: %v\n", err)
		return
	}
	s.queue <- document
	if s.opts.Hub != "" || len(found.Hubs) == 0 || slices.Contains(found.Hubs, s.hub) && found.Self == s.topic {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.topic = found.Self; !slices.Contains(found.Hubs, s.hub) {
		s.hub = found.Hubs[0]
	}
	fmt.Fprintf(s.opts.Notes, "%s now names the topic %s at %s\n", s.feedURL, terminal.OneLine(s.topic), terminal.OneLine(s.hub))
}

// request sends a request to the hub, which may confirm it from then on.
func (s *subscriber) request(ctx context.Context, mode feed.HubMode) error {
	s.mu.Lock()
	s.wanted, s.until = mode, time.Now().Add(10*time.Minute)
	s.mu.Unlock()
	request := feed.HubRequest{Mode: mode, Topic: s.topic, Callback: s.callback}
	if mode == feed.HubSubscribe {
		request.Secret, request.Lease = s.secret, requestedLease
	}
	resp, err := s.opts.Client.PostForm(ctx, &feed.Source{}, s.hub, websub.RequestForm(&request))
	if err != nil {
		return fmt.Errorf("request to the hub %s: %w", s.hub, err)
	}
	if resp.Status/100 == 2 { // hubs of PubSubHubbub 0.3 respond 204
		return nil
	}
	text := fmt.Sprintf("the hub %s responded %d %s", s.hub, resp.Status, http.StatusText(resp.Status))
	if reason := s.redact(string(resp.Body)); reason != "" && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		text += ": " + reason
	}
	return errors.New(text)
}

// redact removes the secrets of the request from a text of the hub.
func (s *subscriber) redact(text string) string {
	return terminal.OneLine(strings.NewReplacer(s.token, "…", s.secret, "…").Replace(text))
}
