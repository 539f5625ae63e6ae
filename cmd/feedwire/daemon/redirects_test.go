package daemon

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store/feed"
)

// A server that redirects gets no secret sent to another host, another port, or without TLS.
func TestRedirectsPassNoSecret(t *testing.T) {
	const secret = "open-sesame-4711"
	spelled := []string{secret, base64.StdEncoding.EncodeToString([]byte("ann:" + secret))}
	local := fetch.Options{AllowNetworks: []netip.Prefix{netip.MustParsePrefix(wiretest.Loopback)}, MaxRedirects: 5, Timeout: 5 * time.Second}
	senders := []struct {
		name string
		send func(trusting *http.Transport, home string) error
	}{
		{"password and header of a source", func(trusting *http.Transport, home string) error {
			c := fetch.New(local, 1)
			c.Transport = trusting
			source := feed.Source{URL: home + "/feed", Request: feed.Request{
				Username: "ann", Password: secret, Headers: map[string]string{"X-Key": secret},
			}}
			_, err := c.Get(t.Context(), &source, fetch.Request{URL: source.URL})
			return err
		}},
		{"query of a source", func(trusting *http.Transport, home string) error {
			c := fetch.New(local, 1)
			c.Transport = trusting
			source := feed.Source{URL: home + "/feed?key=" + secret}
			_, err := c.Get(t.Context(), &source, fetch.Request{URL: source.URL})
			return err
		}},
		{"secret and callback for a hub", func(trusting *http.Transport, home string) error {
			c := fetch.New(local, 1)
			c.Transport = trusting
			form := url.Values{"hub.secret": {secret}, "hub.callback": {"https://wire.example/push/" + secret}}
			_, err := c.PostForm(t.Context(), new(feed.Source), home+"/hub", form)
			return err
		}},
		{"token of a command that reads", func(trusting *http.Transport, home string) error {
			c := client.New(home, secret, 5*time.Second)
			c.Http.Transport = trusting
			return c.WithTimeout(5*time.Second).Call(t.Context(), http.MethodGet, "/api/v1/sources", nil, nil)
		}},
		{"token of a command that writes", func(trusting *http.Transport, home string) error {
			c := client.New(home, secret, 5*time.Second)
			c.Http.Transport = trusting
			return c.Call(t.Context(), http.MethodPost, "/api/v1/sources", map[string]string{"password": secret}, nil)
		}},
	}
	var mu sync.Mutex
	var passed []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		dump, _ := httputil.DumpRequest(r, true)
		mu.Lock()
		defer mu.Unlock()
		for _, s := range spelled {
			if strings.Contains(string(dump), s) {
				passed = append(passed, string(dump))
			}
		}
	}))
	t.Cleanup(elsewhere.Close)
	port := elsewhere.URL[strings.LastIndexByte(elsewhere.URL, ':')+1:]
	for _, to := range []struct {
		name, target string
		tls          bool
	}{
		{"another port", "http://127.0.0.1:" + port, false},
		{"another host", "http://localhost:" + port, false},
		{"no TLS", "http://127.0.0.1:" + port, true},
	} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			redirects := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to.target+"/x", status) })
			home := httptest.NewUnstartedServer(redirects)
			if to.tls {
				home.StartTLS()
			} else {
				home.Start()
			}
			for _, s := range senders {
				_ = s.send(home.Client().Transport.(*http.Transport), home.URL)
				mu.Lock()
				for _, request := range passed {
					t.Errorf("%s, redirected with %d to %s, was passed on:\n%s", s.name, status, to.name, request)
				}
				passed = nil
				mu.Unlock()
			}
			home.Close()
		}
	}
}

// Redirects within a server are followed with the secret.
func TestRedirectsWithinAServerKeepTheSecret(t *testing.T) {
	got := make(chan string, 1)
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/there" {
			http.Redirect(w, r, "/there", http.StatusPermanentRedirect)
			return
		}
		got <- fmt.Sprint(r.PostFormValue("hub.secret"), r.Header.Get("Authorization"))
	}))
	t.Cleanup(home.Close)
	hub := fetch.New(fetch.Options{AllowNetworks: []netip.Prefix{netip.MustParsePrefix(wiretest.Loopback)}}, 1)
	if _, err := hub.PostForm(t.Context(), new(feed.Source), home.URL+"/hub", url.Values{"hub.secret": {"s"}}); err != nil || <-got != "s" {
		t.Errorf("the hub: %v", err)
	}
	if err := client.New(home.URL, "t", time.Minute).Call(t.Context(), http.MethodGet, "/x", nil, nil); err != nil || <-got != "Bearer t" {
		t.Errorf("the daemon: %v", err)
	}
}
