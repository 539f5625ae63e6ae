package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/signals/websub"
)

// maxDocument bounds a feed, as fetched or as delivered, in bytes after decompression.
const maxDocument = 8 << 20

// find fetches the feed and learns where it is distributed, under which name. The entries that it has are known from
// then on. With a hub that is given, the feed need not answer.
func (s *subscriber) find(ctx context.Context, feedURL string) error {
	u, err := url.Parse(feedURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return usage(fmt.Errorf("%q is no URL of the web: write https://…", feedURL))
	}
	doc, said, err := fetchTopic(ctx, feedURL)
	if err == nil {
		s.entries.learn(&doc)
	}
	if s.hub != "" {
		s.topic = feedURL
		return nil
	}
	switch {
	case err != nil:
		return err
	case len(said.Hubs) == 0:
		return fmt.Errorf("%s names no hub, so that its news can only be polled; if you know one, give it with --hub", feedURL)
	case said.Self == "":
		said.Self = doc.URL
	}
	s.hub, s.topic = said.Hubs[0], said.Self
	return nil
}

// fetchTopic gets a document and what it says of itself.
func fetchTopic(ctx context.Context, topic string) (doc ingest.Raw, said websub.Topic, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, topic, http.NoBody)
	if err != nil {
		return doc, said, err
	}
	req.Header.Set("User-Agent", userAgent(&config.Config{}))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return doc, said, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	if resp.StatusCode != http.StatusOK {
		return doc, said, fmt.Errorf("%s answers %s", topic, resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument))
	if err != nil {
		return doc, said, fmt.Errorf("read %s: %w", topic, err)
	}
	doc = ingest.Raw{
		Body: body, ContentType: resp.Header.Get("Content-Type"), URL: resp.Request.URL.String(), Received: time.Now(),
	}
	return doc, websub.Discover(resp.Header, body, doc.URL), nil
}

// errHubRedirects refuses a redirect that does not ask for the same request elsewhere, or would carry the secret out of
// https.
var errHubRedirects = errors.New("it redirects in a way that a request must not follow")

// ask sends the hub a request, which it may confirm from then on. It may send it on by 307 or 308 (section 5.1.2).
func (s *subscriber) ask(ctx context.Context, mode websub.Mode) error {
	s.mu.Lock()
	s.wanted, s.until = mode, time.Now().Add(10*time.Minute)
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	request := websub.Request{Mode: mode, Topic: s.topic, Callback: s.callback}
	if mode == websub.Subscribe {
		request.Secret, request.Lease = s.secret, askedLease
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.hub, strings.NewReader(request.Form().Encode()))
	if err != nil {
		return fmt.Errorf("hub: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("User-Agent", userAgent(&config.Config{}))
	client := http.Client{CheckRedirect: func(req *http.Request, via []*http.Request) error {
		status := req.Response.StatusCode
		if status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect || len(via) > 5 ||
			via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
			return errHubRedirects
		}
		return nil
	}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("ask the hub: %w", err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	reason, _ := io.ReadAll(io.LimitReader(resp.Body, 512))
	if resp.StatusCode/100 == 2 { // hubs of PubSubHubbub 0.3 say 204
		return nil
	}
	text := fmt.Sprintf("the hub %s answers %s", s.hub, resp.Status)
	if said := s.safe(string(reason)); said != "" && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		text += ": " + said
	}
	return errors.New(text)
}

// safe is what a hub says, without the secret parts of what it was asked.
func (s *subscriber) safe(text string) string {
	return oneLine(strings.NewReplacer(s.token, "…", s.secret, "…").Replace(text))
}
