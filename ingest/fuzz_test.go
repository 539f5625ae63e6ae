package ingest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// oneCallback is a PushStore with one subscription, which stays as it is.
type oneCallback struct {
	c       feed.PushSubscription
	written int
}

func (o *oneCallback) SourceByURL(context.Context, string) (feed.Source, error) {
	return feed.Source{URL: o.c.FeedURL}, nil
}

func (o *oneCallback) PollSoon(context.Context, string, string) error { return nil }

func (o *oneCallback) Callback(context.Context, string) (feed.PushSubscription, error) {
	return o.c, nil
}

func (o *oneCallback) SourceCallback(context.Context, string) (feed.PushSubscription, error) {
	return o.c, nil
}

func (o *oneCallback) ReplaceCallback(_ context.Context, _, after feed.PushSubscription) (feed.PushSubscription, error) {
	o.written++
	return after, nil
}

func (o *oneCallback) ClaimCallbacks(context.Context, int, time.Duration) ([]feed.PushSubscription, time.Time, error) {
	return nil, time.Time{}, nil
}

// FuzzCallback sends requests to the callback URL of a subscription that is being requested: as the hub, which knows the secret,
// or as anyone else.
func FuzzCallback(f *testing.F) {
	const secret, most = "a secret that no input knows", 1 << 16
	f.Add("GET", "hub.mode=subscribe&hub.topic=https://x.example/t&hub.challenge=c&hub.lease_seconds=864000", "", "", []byte(nil), false)
	f.Add("GET", "hub.mode=denied&hub.topic=https://x.example/t&hub.reason=no", "", "", []byte(nil), false)
	f.Add("POST", "", "application/rss+xml", "gzip", []byte(twoPosts), true)
	f.Add("POST", "", "text/html", "", []byte("<html>"), true)
	f.Add("POST", "", "sha256=00", "gzip", []byte("\x1f\x8b\x08"), false)
	f.Add("HEAD", "", "sha1", "br", []byte("{"), false)
	store, push := newMemory(), &oneCallback{}
	in := ingest.New(store, ingest.Options{Now: func() time.Time { return received }, Fetch: fetch.Options{MaxBytes: most}})
	sub := ingest.NewSubscriber(in, push, "https://x.example/push/")
	f.Fuzz(func(t *testing.T, method, query, kind, coding string, body []byte, signed bool) {
		store.entries = map[string]map[string]string{}
		push.written = 0
		push.c = feed.PushSubscription{
			FeedURL: "https://x.example/feed", Token: "t", Secret: secret, PendingMode: "subscribe", Until: received.Add(time.Hour),
			Push: feed.Push{State: feed.PushPending, Hub: "https://hub.example/", Topic: "https://x.example/t"},
		}
		header := http.Header{"Content-Type": {kind}, "Content-Encoding": {coding}, websub.SignatureHeader: {kind}}
		sent := body
		if signed {
			header.Set(websub.SignatureHeader, websub.Sign(websub.SHA256, secret, body))
			header.Del("Content-Encoding")
			if coding == "gzip" {
				header.Set("Content-Encoding", "gzip")
				sent = packed(body)
			}
		}
		req := (&http.Request{Method: method, URL: &url.URL{Path: "/push/t", RawQuery: query}, Header: header}).WithContext(t.Context())
		req.Body, req.ContentLength = http.NoBody, -1
		if len(sent) > 0 {
			req.Body = readCloser{bytes.NewReader(sent)}
		}
		req.SetPathValue("token", "t")
		w := httptest.NewRecorder()
		sub.ServeHTTP(w, req)

		asked := req.URL.Query()
		switch {
		case method == http.MethodGet && w.Code == http.StatusOK:
			confirmed := asked.Get("hub.mode") == "subscribe" && w.Body.String() == asked.Get("hub.challenge")
			denied := asked.Get("hub.mode") == "denied" && w.Body.Len() == 0
			if asked.Get("hub.topic") != "https://x.example/t" || !confirmed && !denied || push.written != 1 {
				t.Errorf("%q is answered %q", query, w.Body)
			}
		case method == http.MethodGet:
			if w.Code != http.StatusNotFound || push.written != 0 {
				t.Errorf("%q: %d, %d writes", query, w.Code, push.written)
			}
		case method != http.MethodPost:
			if w.Code != http.StatusMethodNotAllowed || push.written != 0 {
				t.Errorf("%s: %d", method, w.Code)
			}
		case signed:
			if large := len(body) > most || len(sent) > most; (w.Code == http.StatusAccepted) == large {
				t.Errorf("%d bytes of the hub's own: %d %s", len(body), w.Code, w.Body)
			}
		case w.Code/100 != 4 || len(store.entries) != 0:
			t.Errorf("a delivery of a stranger: %d, %v", w.Code, store.entries)
		}
		if strings.Contains(w.Body.String(), secret) || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("answered %v %q", w.Header(), w.Body)
		}
	})
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

func packed(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(body)
	_ = w.Close()
	return b.Bytes()
}
