package ingest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store/feed"
)

func TestRequestsUseTheProxy(t *testing.T) {
	asked := make(chan string, 10)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.String()
		fmt.Fprint(w, rss("<item><guid>1</guid></item>"))
	}))
	defer proxy.Close()
	noNetworks := []netip.Prefix{} // proxies in the configuration are allowed all the same
	cases := []struct {
		name, url, all, own string
		class               string // of the failure
		says                string
	}{
		{"for all", "http://news.example/feed", proxy.URL, "", "", ""},
		{"for one", "http://news.example/feed", "", proxy.URL, "", ""},
		{"for one instead of that for all", "http://news.example/feed", "http://127.0.0.1:1", proxy.URL, "", ""},
		{"not for one", proxy.URL + "/feed", proxy.URL, "direct", "blocked_address", "127.0.0.1"},
		{"private address behind it", "http://169.254.169.254/latest", proxy.URL, "", "blocked_address", "169.254.169.254"},
		{"this machine behind it", "http://localhost:6379/", proxy.URL, "", "blocked_address", "127.0.0.1"},
		{"nonsense", "http://news.example/", "", "::", "connect", "not a valid proxy URL"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			store := newMemory(c.url)
			store.sources[c.url].Request = feed.Request{Proxy: c.own}
			run(t, ingest.New(store, ingest.Options{Fetch: fetch.Options{AllowNetworks: noNetworks, Proxy: c.all, Proxies: []string{proxy.URL}}}))
			state := store.next(t)
			if state.ErrorClass != c.class || !strings.Contains(state.ErrorText, c.says) {
				t.Errorf("got %q: %s", state.ErrorClass, state.ErrorText)
			}
			if c.class == "" {
				if got := <-asked; got != c.url || state.Entries != 1 {
					t.Errorf("the proxy was asked for %s, %+v", got, state)
				}
			}
			if len(asked) != 0 {
				t.Errorf("the proxy was asked for %s", <-asked)
			}
		})
	}
}

func TestRedirectBehindAProxyIsJudgedToo(t *testing.T) {
	proxy := httptest.NewServer(http.RedirectHandler("http://[::1]:6379/", http.StatusFound))
	defer proxy.Close()
	store := newMemory("http://news.example/feed")
	run(t, ingest.New(store, ingest.Options{Fetch: fetch.Options{Proxy: proxy.URL}}))
	if state := store.next(t); state.ErrorClass != "blocked_address" {
		t.Errorf("got %q: %s", state.ErrorClass, state.ErrorText)
	}
}
