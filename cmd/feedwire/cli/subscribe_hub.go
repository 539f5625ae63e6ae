package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/signals/websub"
)

// maxDocument is the maximum size of a decompressed document in bytes.
const maxDocument = 8 << 20

// find discovers hub and topic of a feed and marks its entries as printed. With --hub the feed need not respond.
func (s *subscriber) find(ctx context.Context, feedURL string) error {
	u, err := url.Parse(feedURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return usage(fmt.Errorf("%q is not an HTTP URL; use https://…", feedURL))
	}
	doc, said, err := fetchTopic(ctx, feedURL)
	if err == nil {
		s.entries.markKnown(&doc)
	}
	if s.hub != "" {
		s.topic = feedURL
		return nil
	}
	switch {
	case err != nil:
		return err
	case len(said.Hubs) == 0:
		return fmt.Errorf("%s does not name a hub; set --hub to one that distributes it", feedURL)
	case said.Self == "":
		said.Self = doc.URL
	}
	s.hub, s.topic = said.Hubs[0], said.Self
	return nil
}

// fetchTopic fetches a document and returns its hub links.
func fetchTopic(ctx context.Context, topic string) (doc parser.Raw, said websub.Topic, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, topic, http.NoBody)
	if err != nil {
		return doc, said, err
	}
	req.Header.Set("User-Agent", setup.UserAgent(&config.Config{}))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return doc, said, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	if resp.StatusCode != http.StatusOK {
		return doc, said, fmt.Errorf("%s responded %s", topic, resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument))
	if err != nil {
		return doc, said, fmt.Errorf("read %s: %w", topic, err)
	}
	doc = parser.Raw{
		Body: body, ContentType: resp.Header.Get("Content-Type"), URL: resp.Request.URL.String(), Received: time.Now(),
	}
	return doc, websub.Discover(resp.Header, body, doc.URL), nil
}

// errUnsafeRedirect rejects redirects that change the method or leave HTTPS, which would expose the secret.
var errUnsafeRedirect = errors.New("unsafe redirect")

// request sends a request to the hub, which may confirm it from then on. The hub may redirect it with 307 or 308 (WebSub
// 5.1.2).
func (s *subscriber) request(ctx context.Context, mode websub.Mode) error {
	s.mu.Lock()
	s.wanted, s.until = mode, time.Now().Add(10*time.Minute)
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	request := websub.Request{Mode: mode, Topic: s.topic, Callback: s.callback}
	if mode == websub.Subscribe {
		request.Secret, request.Lease = s.secret, requestedLease
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.hub, strings.NewReader(request.Form().Encode()))
	if err != nil {
		return fmt.Errorf("hub: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("User-Agent", setup.UserAgent(&config.Config{}))
	client := http.Client{CheckRedirect: func(req *http.Request, via []*http.Request) error {
		status := req.Response.StatusCode
		if status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect || len(via) > 5 ||
			via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
			return errUnsafeRedirect
		}
		return nil
	}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("request to the hub: %w", err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	reason, _ := io.ReadAll(io.LimitReader(resp.Body, 512))
	if resp.StatusCode/100 == 2 { // hubs of PubSubHubbub 0.3 say 204
		return nil
	}
	text := fmt.Sprintf("the hub %s responded %s", s.hub, resp.Status)
	if said := s.redact(string(reason)); said != "" && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		text += ": " + said
	}
	return errors.New(text)
}

// redact removes the secrets of the request from a text of the hub.
func (s *subscriber) redact(text string) string {
	return terminal.OneLine(strings.NewReplacer(s.token, "…", s.secret, "…").Replace(text))
}
