package hub_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/hub"
)

func TestHubExplainsItself(t *testing.T) {
	g := newFrontHarness(t, func(o *hub.FrontOptions) { o.URL, o.MinLease = "https://wire.example/hub", 2*time.Minute })
	text := func() string {
		rec := httptest.NewRecorder()
		g.front.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/hub", http.NoBody))
		if rec.Code != http.StatusOK || !strings.HasPrefix(rec.Header().Get("Content-Type"), "text/plain") {
			t.Errorf("got %d %s", rec.Code, rec.Header().Get("Content-Type"))
		}
		return rec.Body.String()
	}
	got := text()
	for _, want := range []string{
		"curl https://wire.example/hub -d hub.mode=subscribe", "-d hub.mode=publish", "-d hub.mode=list", "from 120 to 2592000; default 864000", "hub.challenge", "hub.secret",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "adds that: a feed") {
		t.Error("it promises to add feeds")
	}
	g.front.Reload(hub.FrontOptions{AddTopic: func(context.Context, string) error { return nil }})
	if !strings.Contains(text(), "adds that: a feed") {
		t.Error("it does not say that it adds feeds")
	}
}
