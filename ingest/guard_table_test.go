package ingest_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/ingest/opml"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// webHost is a server of the internet: the only address that the tests of this file allow.
const webHost = "127.99.0.1"

func web() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix(webHost + "/32")} }

// privateNames have the records of names of private addresses, some of which change with each query.
func privateNames(last int) map[string]record {
	loopback := fmt.Sprintf("127.0.0.%d", last)
	return map[string]record{
		"loopback": addresses(loopback), "loop6": addresses("::1"), "mapped": addresses("::ffff:" + loopback),
		"nat64": addresses(fmt.Sprintf("64:ff9b::7f00:%d", last)), "6to4": addresses(fmt.Sprintf("2002:7f00:%d::", last)),
		"metadata": addresses("169.254.169.254", "fd00:ec2::254"), "zero": addresses("0.0.0.0", "::"),
		"several": addresses("10.0.0.1", loopback, "::1", "192.168.0.1"), "rebound": inTurn("10.0.0.1", loopback),
		"cname": func(query int, typ dnsmessage.Type) []dnsmessage.ResourceBody {
			alias := &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName("localhost.")}
			return append([]dnsmessage.ResourceBody{alias}, addresses(loopback)(query, typ)...)
		},
	}
}

// privateHosts returns the spellings of private addresses and the names of privateNames.
func privateHosts(t *testing.T, last int) []string {
	t.Helper()
	all := storetest.Spellings(last)
	for name := range privateNames(last) {
		all = append(all, name+".example")
	}
	if len(all) < 90 {
		t.Errorf("only %d hosts", len(all))
	}
	return all
}

// settled polls a source with settings and returns the failure.
func settled(t *testing.T, opts fetch.Options, target string, request feed.Request) feed.PollState {
	t.Helper()
	store := newMemory(target)
	store.sources[target].Request = request
	in := ingest.New(store, ingest.Options{Fetch: opts})
	defer in.Transport().CloseIdleConnections()
	in.Step(t.Context())
	return store.next(t)
}

// No spelling of a private address is dialled, whoever names it and however.
func TestPrivateAddressesAreDialledInNoWay(t *testing.T) {
	inside := listen(t, "127.0.0.1", "127.0.0.2", "::1")
	newNames(t, privateNames(1))
	var location string
	outside := listenAndServe(t, webHost+":0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusMovedPermanently)
		case "/found":
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusFound)
		default:
			_, _ = io.WriteString(w, twoPosts)
		}
	}))
	site := "http://" + webHost + ":" + outside.port
	failure := func(err error) string {
		if err == nil {
			return ""
		}
		return err.Error()
	}
	proxied := func(scheme string) func(*testing.T, string) string {
		return func(t *testing.T, at string) string {
			return settled(t, fetch.Options{}, "http://news.example/feed", feed.Request{Proxy: scheme + "://" + at}).ErrorText
		}
	}
	redirected := func(path string) func(*testing.T, string) string {
		return func(t *testing.T, at string) string {
			location = "http://" + at + "/"
			return settled(t, fetch.Options{AllowNetworks: web()}, site+path, feed.Request{}).ErrorText
		}
	}
	ways := map[string]func(t *testing.T, at string) (failed string){
		"add": func(t *testing.T, at string) string {
			if _, err := feed.CanonicalURL("http://" + at + "/"); err != nil {
				return err.Error()
			}
			return settled(t, fetch.Options{}, "http://"+at+"/", feed.Request{}).ErrorText
		},
		"peek": func(t *testing.T, at string) string {
			_, err := discoverer(t).Peek(t.Context(), "http://"+at+"/")
			return failure(err)
		},
		"discover": func(t *testing.T, at string) string {
			_, err := discoverer(t).Discover(t.Context(), at+"/")
			return failure(err)
		},
		"permanent redirect": redirected("/moved"), "redirect": redirected("/found"),
		"redirected discovery": func(t *testing.T, at string) string {
			location = "//" + at + "/"
			_, err := discoverer(t, web()...).Discover(t.Context(), site+"/found")
			return failure(err)
		},
		"OPML": func(t *testing.T, at string) string {
			listed, err := opml.Read([]byte(`<opml><body><outline xmlUrl="http://`+at+`/"/></body></opml>`), "")
			if err != nil || listed[0].Problem != "" {
				return "invalid"
			}
			return settled(t, fetch.Options{}, listed[0].Source.URL, listed[0].Source.Request).ErrorText
		},
		"proxy": proxied("http"), "https proxy": proxied("https"), "socks5 proxy": proxied("socks5"), "socks5h proxy": proxied("socks5h"),
		"edit": func(t *testing.T, at string) string {
			store := newMemory(site + "/feed")
			in := ingest.New(store, ingest.Options{Fetch: fetch.Options{AllowNetworks: web()}})
			defer in.Transport().CloseIdleConnections()
			in.Step(t.Context())
			if state := store.next(t); state.ErrorText != "" {
				t.Fatal(state.ErrorText)
			}
			store.mu.Lock()
			store.sources[site+"/feed"].Request.Proxy = "http://" + at
			store.mu.Unlock()
			store.due(site + "/feed")
			in.Step(t.Context())
			return store.next(t).ErrorText
		},
	}
	hosts := privateHosts(t, 1)
	for name, try := range ways {
		t.Run(name, func(t *testing.T) {
			for _, host := range hosts {
				if try(t, host+":"+inside.port) == "" {
					t.Errorf("%s: no failure", host)
				}
			}
			inside.sawNobody(t)
		})
	}
	t.Logf("%d hosts, %d ways", len(hosts), len(ways))
}

func TestHubsAtPrivateAddressesAreNotDialled(t *testing.T) {
	inside := listen(t, "127.0.0.2", "::1")
	p := push(t, internet())
	newNames(t, privateNames(2))
	for _, host := range privateHosts(t, 2) {
		p.set(func() {
			p.header = http.Header{"Link": {fmt.Sprintf(`<http://%s:%s/h>; rel=hub, <%s>; rel=self`, host, inside.port, p.topic())}}
		})
		p.poll()
		p.turn()
		if got := p.source().Push; got.State == feed.PushActive {
			t.Errorf("%s: got %+v", host, got)
		}
		p.clock.advance(time.Hour)
	}
	inside.sawNobody(t)
}

// A proxy that a person, the API or the CLI sets may be in an allowed network only; one of the configuration anywhere.
func TestOnlyTheConfigurationNamesProxiesInPrivateNetworks(t *testing.T) {
	proxy := listenAndServe(t, "127.0.0.1:0", says(twoPosts))
	at := "http://127.0.0.1:" + proxy.port
	const target = "http://news.example/feed"
	for name, c := range map[string]struct {
		opts fetch.Options
		want string
	}{
		"by default":                   {fetch.Options{}, "blocked_address"},
		"another one in the file":      {fetch.Options{Proxies: []string{"http://u:secret@127.0.0.1:" + proxy.port}}, "blocked_address"},
		"in the file for all":          {fetch.Options{Proxy: at}, ""},
		"in the file for a source":     {fetch.Options{Proxies: []string{at}}, ""},
		"in an allowed network":        {fetch.Options{AllowNetworks: internet()}, ""},
		"with a name for trusted ones": {fetch.Options{Proxies: []string{at + "#configured"}}, "blocked_address"},
	} {
		before := proxy.accepted.Load()
		state := settled(t, c.opts, target, feed.Request{Proxy: at})
		if state.ErrorClass != c.want {
			t.Errorf("%s: %q, %s", name, state.ErrorClass, state.ErrorText)
		}
		if dialled := proxy.accepted.Load() != before; dialled != (c.want == "") {
			t.Errorf("%s: dialled: %t", name, dialled)
		}
		for _, part := range []string{"proxy", "127.0.0.1", "fetch.allow_networks", "configuration file"} {
			if c.want != "" && !strings.Contains(state.ErrorText, part) {
				t.Errorf("%s: %q does not say %q", name, state.ErrorText, part)
			}
		}
	}
}

func TestReloadEndsTheTrustInAProxy(t *testing.T) {
	proxy := listenAndServe(t, "127.0.0.1:0", says(twoPosts))
	at := "http://127.0.0.1:" + proxy.port
	client := fetch.New(fetch.Options{Proxies: []string{at}}, 1)
	defer client.CloseIdleConnections()
	get := func() error {
		const target = "http://news.example/feed"
		_, err := client.Get(t.Context(), &feed.Source{URL: target, Request: feed.Request{Proxy: at}}, fetch.Request{URL: target})
		return err
	}
	if err := get(); err != nil {
		t.Fatal(err)
	}
	client.Reload(fetch.Options{})
	if err := get(); feed.ClassOf(err) != feed.FailureBlockedAddress {
		t.Errorf("after the reload: %v", err)
	}
	client.Reload(fetch.Options{Proxies: []string{at}})
	if err := get(); err != nil {
		t.Errorf("named again: %v", err)
	}
	if n := proxy.accepted.Load(); n != 2 {
		t.Errorf("%d connections", n)
	}
}

// The trace of a refused proxy has the reason and nothing that the proxy could have sent, nor its password.
func TestTraceOfARefusedProxyShowsTheReasonOnly(t *testing.T) {
	inside := listenAndServe(t, "127.0.0.1:0", says("a banner of the inside"))
	const target = "http://news.example/feed"
	store := newMemory(target)
	store.sources[target].Request.Proxy = "http://ann:hush@127.0.0.1:" + inside.port
	in := ingest.New(store, ingest.Options{})
	defer in.Transport().CloseIdleConnections()
	trace, err := in.Trace(t.Context(), target, true)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%+v %+v", trace, trace.After)
	if len(trace.Requests) != 1 || !trace.Requests[0].Unsent || !strings.Contains(trace.Requests[0].Error, "the proxy of the source is refused") {
		t.Errorf("got %+v", trace.Requests)
	}
	if q := trace.Requests[0]; strings.Contains(q.Error+q.Proxy, "hush") || strings.Contains(text, "banner") || q.Status != "" || len(q.Got) != 0 {
		t.Errorf("the trace is %s", text)
	}
	inside.sawNobody(t)
}

// What a person entered for one scheme, host and port goes nowhere else.
func TestSecretsStayWhereTheyWereEnteredFor(t *testing.T) {
	got := make(chan http.Header, 10)
	elsewhere := listenAndServe(t, webHost+":0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got <- r.Header
		if r.URL.Path == "/closed" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, twoPosts)
	}))
	there := "http://" + webHost + ":" + elsewhere.port
	origin := listenAndServe(t, webHost+":0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, there+r.URL.Path, http.StatusFound)
	}))
	here := "http://" + webHost + ":" + origin.port
	secret := feed.Request{Username: "ann", Password: "secret", Headers: map[string]string{"X-Key": "secret", "Cookie": "secret"}}
	moved := secret
	moved.SecretsFor = there
	for _, c := range []struct {
		name, url string
		request   feed.Request
		sent      bool
		says      string
	}{
		{"of its own", there + "/feed", secret, true, ""},
		{"of another host", here + "/feed", secret, false, ""},
		{"of another host that wants a password", here + "/closed", secret, false, "were entered for " + here + " and not sent to " + there},
		{"entered for the target", here + "/feed", moved, true, ""},
		{"entered for another", there + "/feed", feed.Request{Username: "ann", Password: "secret", SecretsFor: here}, false, ""},
	} {
		client := fetch.New(fetch.Options{AllowNetworks: web()}, 1)
		_, err := client.Get(t.Context(), &feed.Source{URL: c.url, Request: c.request}, fetch.Request{URL: c.url})
		client.CloseIdleConnections()
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v", c.name, err)
		}
		header := <-got
		if sent := header.Get("Authorization") != "" || header.Get("X-Key") != "" || header.Get("Cookie") != ""; sent != c.sent {
			t.Errorf("%s: sent %v", c.name, header)
		}
	}
}

// A move to another scheme, host or port removes what was entered for the old one, until it is entered again.
func TestMoveRemovesTheSecretsOfASource(t *testing.T) {
	for name, c := range map[string]struct {
		to      string
		request feed.Request
		cleared bool
	}{
		"another host":               {"http://b.example/feed", feed.Request{Username: "ann", Password: "secret"}, true},
		"another scheme":             {"https://a.example/feed", feed.Request{Headers: map[string]string{"X-Key": "secret"}}, true},
		"another port":               {"http://a.example:8080/feed", feed.Request{Username: "key"}, true},
		"the same host":              {"http://a.example/new", feed.Request{Username: "ann", Password: "secret"}, false},
		"without secrets":            {"http://b.example/feed", feed.Request{Headers: map[string]string{"Accept-Language": "de"}}, false},
		"where they are entered for": {"http://b.example/feed", feed.Request{Username: "ann", Password: "secret", SecretsFor: "http://b.example"}, false},
	} {
		before := feed.Source{URL: "http://a.example/feed", Request: c.request}
		after := feed.PollState{Move: feed.Move{To: c.to, Adopted: time.Now()}}
		why := ingest.ClearedSecrets(&before, &after)
		if u, _ := url.Parse(c.to); (why != "") != c.cleared || c.cleared && !strings.Contains(why, u.Scheme+"://"+u.Host) {
			t.Errorf("%s: %q", name, why)
		}
	}
	if _, err := feed.CanonicalURL("http://u@a.example/"); !errors.Is(err, feed.ErrInvalid) || feed.Origin("http://u@a.example/") != "" {
		t.Error("a URL with a user name has an origin")
	}
}
