package publish_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/store/feed"
)

// get requests a path of a site with header fields, given as pairs of name and value.
func (s *site) get(t *testing.T, path string, fields ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestArticlesHaveDocumentsOfTheirOwn(t *testing.T) {
	m := newMemory(stories(2)...)
	f := production()
	f.Profile = "apple-news"
	s := serve(t, m, f, publish.Options{Dir: t.TempDir(), Freshness: -1})
	path := "/feed/production/" + m.articles[0].UUID + ".json"
	resp, body := s.get(t, path)
	var read struct{ Identifier, Title string }
	if err := json.Unmarshal([]byte(body), &read); err != nil || read.Identifier != m.articles[0].UUID || read.Title != "Story 0" {
		t.Errorf("%s: got %d, %v, %s", path, resp.StatusCode, err, body)
	}
	if got := resp.Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
		t.Errorf("%s has the type %s", path, got)
	}
	if resp, _ := s.get(t, path, "If-None-Match", resp.Header.Get("ETag")); resp.StatusCode != http.StatusNotModified {
		t.Errorf("the same version: got %d, want 304", resp.StatusCode)
	}
	if resp, _ := s.get(t, "/feed/production/"+feed.ArticleUUID("x", "y")+".json"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("an article that is not in the feed: got %d, want 404", resp.StatusCode)
	}
	if resp, _ := s.get(t, "/feed/other/"+m.articles[0].UUID+".json"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("another feed: got %d, want 404", resp.StatusCode)
	}
	if resp.Header.Get("X-Feedwire-Impressions") != "ignored; single article" {
		t.Errorf("a single article: %q", resp.Header)
	}
	m.mu.Lock()
	m.down = true
	m.mu.Unlock()
	if resp, body := s.get(t, path); resp.StatusCode != http.StatusOK || resp.Header.Get("X-Feedwire-Stale") != "1" {
		t.Errorf("without the store: got %d, %v, %s", resp.StatusCode, resp.Header, body)
	}
}

func TestPagesOfArticlesAreSandboxed(t *testing.T) {
	m := newMemory(stories(1)...)
	f := production()
	f.Profile = "amp"
	s := serve(t, m, f, publish.Options{})
	resp, body := s.get(t, "/feed/production/"+m.articles[0].UUID+".html")
	if got := resp.Header.Get("Content-Type"); got != "text/html; charset=utf-8" || !strings.HasPrefix(body, "<!doctype html>") {
		t.Errorf("got %d, %s, %s", resp.StatusCode, got, body)
	}
	if policy := resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "sandbox") || strings.Contains(policy, "same-origin") {
		t.Errorf("the page has the policy %q", policy)
	}
}

func TestArticlesOfPrivateFeedsRequireItsPassword(t *testing.T) {
	m := newMemory(stories(1)...)
	f := production()
	f.Profile, f.Username, f.Password = "apple-news", "eve", "twelve"
	s := serve(t, m, f, publish.Options{})
	path := "/feed/production/" + m.articles[0].UUID + ".json"
	if resp, body := s.get(t, path); resp.StatusCode != http.StatusUnauthorized || resp.Header.Get("WWW-Authenticate") == "" {
		t.Errorf("without a password: got %d, %s", resp.StatusCode, body)
	}
	if resp, body := s.get(t, path, "Authorization", "Basic ZXZlOnR3ZWx2ZQ=="); resp.StatusCode != http.StatusOK {
		t.Errorf("with the password: got %d, %s", resp.StatusCode, body)
	}
}

func TestFeedsOfItemsHaveNoDocumentsOfSingleArticles(t *testing.T) {
	m := newMemory(stories(1)...)
	s := serve(t, m, production(), publish.Options{})
	if resp, _ := s.get(t, "/feed/production/"+m.articles[0].UUID+".json"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("got %d, want 404", resp.StatusCode)
	}
}
