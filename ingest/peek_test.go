package ingest_test

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store/feed"
)

func TestPeekShowsAFeedAndStoresNothing(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{
		"/rss": says(twoPosts, "Content-Type", "application/rss+xml"), "/page": says("<!doctype html><p>hi", "Content-Type", "text/html"),
	})
	store := newMemory()
	in := ingest.New(store, ingest.Options{Fetch: fetch.Options{AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}})
	t.Cleanup(in.Transport().CloseIdleConnections)
	doc, err := in.Peek(t.Context(), s.URL+"/rss")
	if err != nil || len(doc.Entries) != 2 || doc.Entries[0].Title == "" {
		t.Fatalf("got %+v, %v", doc, err)
	}
	var reason *feed.PollError
	for _, path := range []string{"/page", "/nothing"} {
		if _, err := in.Peek(t.Context(), s.URL+path); !errors.As(err, &reason) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := in.Peek(t.Context(), "ftp://example.org/"); !errors.Is(err, feed.ErrInvalid) {
		t.Errorf("of another scheme: %v", err)
	}
	if _, err := ingest.New(store, ingest.Options{}).Peek(t.Context(), s.URL+"/rss"); err == nil || strings.Contains(err.Error(), "127.0.0.1:") {
		t.Errorf("of a private network: %v", err)
	}
}
