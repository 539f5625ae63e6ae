package subscriber

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
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

// find discovers hub and topic of a feed and marks its entries as printed. If the hub is given, the feed need not respond.
func (s *subscriber) find(ctx context.Context, feedURL string) error {
	got, err := s.opts.Client.Get(ctx, &feed.Source{URL: feedURL}, fetch.Request{URL: feedURL})
	if err == nil {
		document := parser.NewRaw(got.Body, got.Header, got.URL, time.Now())
		_, _ = s.printed.news(document) // it may be a page, and deliveries feeds
	}
	if s.opts.Hub != "" {
		s.hub, s.topic = s.opts.Hub, feedURL
		return nil
	}
	if err != nil {
		return fmt.Errorf("fetch %s: %w", feedURL, err)
	}
	topic := websub.Discover(got.Header, got.Body, got.URL)
	if len(topic.Hubs) == 0 {
		return fmt.Errorf("%s does not name a hub; set --hub to one that distributes it", feedURL)
	}
	s.hub, s.topic = topic.Hubs[0], cmp.Or(topic.Self, got.URL)
	return nil
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
