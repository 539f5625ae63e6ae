package publish_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/store/feed"
)

func TestReloadedFeedServesLastGoodDocumentWhileTheStoreIsAway(t *testing.T) {
	m := newMemory(stories(2)...)
	s := serve(t, m, production(), publish.Options{})
	resp, _ := s.fetch(t, http.MethodGet, "reader")
	etag := resp.Header.Get("Etag")

	s.publisher.Reload([]feed.Outgoing{production()}, publish.Options{})
	if resp, _ = s.fetch(t, http.MethodGet, "reader"); resp.Header.Get("Etag") != etag {
		t.Error("a feed that has not changed has another document")
	}
	m.set(func() { m.down = true })
	renamed := production()
	renamed.Title, renamed.Username, renamed.Password = "Gazette", "u", "p"
	s.publisher.Reload([]feed.Outgoing{renamed}, publish.Options{})
	if resp, _ = s.fetch(t, http.MethodGet, "reader"); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a feed that has a password now answers %s without it", resp.Status)
	}
	const credentials = "Basic dTpw"
	resp, body := s.fetch(t, http.MethodGet, "reader", "Authorization", credentials)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("X-Feedwire-Stale") != "1" || resp.Header.Get("Etag") != etag {
		t.Errorf("while the store is unavailable it answers %s %v", resp.Status, resp.Header)
	}
	if !strings.Contains(body, "<title>News</title>") {
		t.Errorf("it is not the last good copy: %.200s", body)
	}
	m.set(func() { m.down = false })
	eventually(t, "served under its new name", func() bool {
		resp, body := s.fetch(t, http.MethodGet, "reader", "Authorization", credentials)
		return resp.Header.Get("X-Feedwire-Stale") == "" && strings.Contains(body, "<title>Gazette</title>")
	})

	s.publisher.Reload(nil, publish.Options{})
	if resp, _ = s.fetch(t, http.MethodGet, "reader"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("a feed that was removed answers %s", resp.Status)
	}
	s.publisher.Reload([]feed.Outgoing{production()}, publish.Options{})
	if resp, _ = s.fetch(t, http.MethodGet, crawler); resp.StatusCode != http.StatusOK || resp.Header.Get("X-Feedwire-Impressions") != "counted" {
		t.Errorf("a feed that is back answers %s %v", resp.Status, resp.Header)
	}
	eventually(t, "all is recorded", func() bool { return s.publisher.Idle("production") && m.total() > 0 })
}
