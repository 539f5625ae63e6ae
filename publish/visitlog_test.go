package publish_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/store/feed"
)

// guests takes visits as the store does.
type guests struct {
	*memory
	mu  sync.Mutex
	all []feed.Visit
	err error
}

func (g *guests) AddVisits(_ context.Context, typ string, visits []feed.Visit) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if typ != "production" {
		return errors.New("of another feed")
	}
	g.all = append(g.all, visits...)
	return g.err
}

func TestVisitsAreStoredWithTheirVerdict(t *testing.T) {
	g := &guests{memory: newMemory(stories(1)...)}
	p := publish.New(g, []feed.Outgoing{{
		Type: "production", RetireAfter: 4, Counted: []string{"facebookexternalhit"},
	}}, publish.Options{})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- p.Run(ctx) }()
	get := func(agent string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/feed/production", nil)
		r.SetPathValue("type", "production")
		r.Header.Set("User-Agent", agent)
		rec := httptest.NewRecorder()
		p.ServeHTTP(rec, r)
		return rec
	}
	first := get("facebookexternalhit/1.1")
	get("Mozilla/5.0")
	document, err := p.Document(t.Context(), "production")
	if err != nil || string(document.Body) != first.Body.String() {
		t.Errorf("the document is another one, %v", err)
	}
	if _, err := p.Document(t.Context(), "nothing"); !errors.Is(err, feed.ErrNotFound) {
		t.Errorf("the document of no feed: %v", err)
	}
	stop()
	if err := <-done; err != nil { // what waited is written on the way out
		t.Fatal(err)
	}
	want := []feed.Visit{{Client: "facebook", Status: 200, Counted: true}, {Client: "browser", Status: 200}}
	if diff := cmp.Diff(want, g.all, cmpopts.IgnoreFields(feed.Visit{}, "Time")); diff != "" {
		t.Errorf("other visits (-want +got):\n%s", diff)
	}
	if !strings.Contains(first.Body.String(), "Story 0") {
		t.Error("the feed is empty")
	}
}

func TestPendingVisitsAreBounded(t *testing.T) {
	g := &guests{memory: newMemory(), err: feed.ErrUnavailable}
	p := publish.New(g, []feed.Outgoing{{Type: "production"}}, publish.Options{})
	for range 2000 {
		r := httptest.NewRequest(http.MethodHead, "/feed/production", nil)
		r.SetPathValue("type", "production")
		p.ServeHTTP(httptest.NewRecorder(), r)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := p.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if len(g.all) != 500 {
		t.Errorf("%d visits waited", len(g.all))
	}
}
