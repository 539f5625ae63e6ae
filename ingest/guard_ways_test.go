package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/ingest/opml"
	"github.com/feedwire/feedwire/store/feed"
)

// door counts who connects to some addresses of this machine, on one port.
type door struct {
	port     string
	accepted atomic.Int32
}

// sawNobody is the proof that what was refused was refused before a connection was made.
func (d *door) sawNobody(t *testing.T) {
	t.Helper()
	if n := d.accepted.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

// listen opens a door at the addresses, whatever of IPv6 there is. Who comes in is counted and sent away.
func listen(t *testing.T, hosts ...string) *door {
	t.Helper()
	d := &door{port: quietPort(t)}
	for _, host := range hosts {
		listener, err := net.Listen("tcp", net.JoinHostPort(host, d.port))
		if err != nil && strings.Contains(host, ":") {
			continue
		}
		if err != nil && runtime.GOOS != "linux" {
			t.Skipf("this system has no second loopback address: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		d.count(t, listener)
	}
	return d
}

// quietPort is a port that is free at each address of this machine, below those that the system gives to connections.
func quietPort(t *testing.T) string {
	t.Helper()
	for range 100 {
		port := strconv.Itoa(20_000 + rand.IntN(10_000))
		listener, err := net.Listen("tcp", ":"+port)
		if err == nil {
			_ = listener.Close()
			return port
		}
	}
	t.Fatal("no free port in a hundred")
	return ""
}

func (d *door) count(t *testing.T, listener net.Listener) {
	var counting sync.WaitGroup
	counting.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			d.accepted.Add(1)
			_ = c.Close()
		}
	})
	t.Cleanup(func() { _ = listener.Close(); counting.Wait() })
}

// listenAndServe opens a door that leads somewhere.
func listenAndServe(t *testing.T, address string, handler http.Handler) *door {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	d := &door{}
	_, d.port, _ = net.SplitHostPort(listener.Addr().String())
	server := httptest.NewUnstartedServer(handler)
	_ = server.Listener.Close()
	server.Listener = listener
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			d.accepted.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return d
}

// polled polls a source, and returns the class of its failure; empty: it has none.
func polled(t *testing.T, allowed []netip.Prefix, target string) feed.FailureClass {
	t.Helper()
	return polledBy(t, ingest.Options{Fetch: fetch.Options{AllowNetworks: allowed}}, target)
}

func polledBy(t *testing.T, opts ingest.Options, target string) feed.FailureClass {
	t.Helper()
	store := newMemory(target)
	in := ingest.New(store, opts)
	defer in.Transport().CloseIdleConnections()
	in.Step(t.Context())
	return feed.FailureClass(store.next(t).ErrorClass)
}

// invalid stands for a URL that nothing is asked for at all.
const invalid = feed.FailureClass("invalid")

// ways are the ways in which feedwire requests a URL of someone else, except of hubs. Each returns the class of the failure.
func ways() map[string]func(t *testing.T, allowed []netip.Prefix, target string) feed.FailureClass {
	return map[string]func(*testing.T, []netip.Prefix, string) feed.FailureClass{
		"poll": polled,
		"discovery": func(t *testing.T, allowed []netip.Prefix, target string) feed.FailureClass {
			_, err := discoverer(t, allowed...).Discover(t.Context(), target)
			if errors.Is(err, feed.ErrInvalid) {
				return invalid
			}
			if err == nil {
				return ""
			}
			return class(t, err)
		},
		"import": func(t *testing.T, allowed []netip.Prefix, target string) feed.FailureClass {
			listed, err := opml.Read([]byte(`<opml><body><outline xmlUrl="`+target+`"/></body></opml>`), "")
			if err != nil || listed[0].Problem != "" {
				return invalid
			}
			return polled(t, allowed, listed[0].Source.URL)
		},
	}
}

// loopbacks are hosts that are this machine to some resolvers or to all.
func loopbacks() []string {
	return []string{
		"127.0.0.1", "127.255.255.254", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]",
		"[64:ff9b::7f00:1]", "[64:ff9b:1::127.0.0.1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[fe80::1%25lo]", "[::1%25lo]",
		"①②⑦.⓪.⓪.①", "127。0。0。1", "１２７.0.0.1", "169.254.169.254", "10.0.0.1",
		"localhost", "LOCALHOST", "localhost.", "127.0.0.1.",
		"127.1", "127.0.1", "2130706433", "017700000001", "0x7f000001", "0x7F.0.0.1", "0177.0.0.1", "0x7f.1", "0",
		"user@127.0.0.1", "user:pass@localhost", "example.com@127.0.0.1", "127.0.0.1#@example.com", "127.0.0.1%00.example.com",
	}
}

// bySystem reports whether the names of this process are resolved by the system's library (see T6).
func bySystem() bool { return strings.Contains(os.Getenv("GODEBUG"), "netdns=cgo") }

func TestT1AddressesAreRefusedInAnySpelling(t *testing.T) {
	inside := listen(t, "127.0.0.1", "::1")
	if addrs, err := net.DefaultResolver.LookupHost(t.Context(), "127.1"); bySystem() {
		t.Logf("127.1 is %v, %v", addrs, err)
	} else {
		newNames(t, nil)
	}
	for _, host := range loopbacks() {
		if bySystem() && strings.HasSuffix(host, ".") {
			continue // the library would ask a name server outside
		}
		for way, ask := range ways() {
			switch got := ask(t, nil, "http://"+host+":"+inside.port+"/"); got {
			case feed.FailureBlockedAddress, invalid:
			case feed.FailureDNS:
				if strings.Trim(host, ".0123456789abcdefxABCDEFX") != "" && host != "localhost." {
					t.Errorf("%s, %s: not taken for an address", host, way)
				}
			case feed.FailureConnect:
				if !strings.Contains(host, "%00") {
					t.Errorf("%s, %s: %s", host, way, got)
				}
			default:
				t.Errorf("%s, %s: %q", host, way, got)
			}
		}
	}
	inside.sawNobody(t)
}

// hidden are hosts that are 127.0.0.2 to some resolvers or to all.
func hidden() []string {
	return []string{"127.0.0.2", "[::ffff:7f00:2]", "0x7f000002", "2130706434", "①②⑦.⓪.⓪.②", "[64:ff9b::7f00:2]", "[2002:7f00:2::]", "[::1]"}
}

// internet stands for it: the one network that may be dialled besides.
func internet() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} }

func TestT3RedirectsAreJudgedLikeAnyURL(t *testing.T) {
	inside := listen(t, "127.0.0.2", "::1")
	newNames(t, nil)
	targets := []string{
		"http://169.254.169.254/latest/meta-data/", "file:///etc/passwd", "gopher://127.0.0.2:" + inside.port + "/",
		"ftp://127.0.0.2/", "http://user:pass@127.0.0.1:" + inside.port + "/", "/loop", "/hop/6",
	}
	for _, host := range hidden() {
		targets = append(targets, "http://"+host+":"+inside.port+"/", "//"+host+":"+inside.port+"/")
	}
	outside := listenAndServe(t, "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var i int
		switch n, _ := fmt.Sscanf(r.URL.Path, "/to/%d", &i); {
		case n == 1:
			w.Header().Set("Location", targets[i])
			w.WriteHeader(http.StatusFound)
		case r.URL.Path == "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		default:
			if n, _ := fmt.Sscanf(r.URL.Path, "/hop/%d", &i); n == 1 && i > 1 {
				http.Redirect(w, r, fmt.Sprintf("/hop/%d", i-1), http.StatusFound)
				return
			}
			_, _ = io.WriteString(w, twoPosts)
		}
	}))
	for way, ask := range ways() {
		for i, target := range targets {
			switch got := ask(t, internet(), fmt.Sprintf("http://127.0.0.1:%s/to/%d", outside.port, i)); got {
			case feed.FailureBlockedAddress, feed.FailureRedirectLimit:
			case feed.FailureDNS:
				if strings.ContainsAny(target, "[①") {
					t.Errorf("%s to %s: not taken for an address", way, target)
				}
			default:
				t.Errorf("%s to %s: %q", way, target, got)
			}
		}
		if got := ask(t, internet(), "http://127.0.0.1:"+outside.port+"/hop/6"); got != "" {
			t.Errorf("%s over five redirects: %s", way, got)
		}
	}
	inside.sawNobody(t)
}

func TestT3WhatIsForOneHostIsNotSentToAnother(t *testing.T) {
	got := make(chan http.Header, 1)
	elsewhere := listenAndServe(t, "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got <- r.Header
		_, _ = io.WriteString(w, twoPosts)
	}))
	outside := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:"+elsewhere.port+"/", http.StatusFound))
	t.Cleanup(outside.Close)
	store := newMemory(outside.URL)
	store.sources[outside.URL].Request = feed.Request{
		Username: "ann", Password: "secret", Headers: map[string]string{"X-Key": "secret", "Cookie": "secret"},
	}
	in := ingest.New(store, ingest.Options{Fetch: fetch.Options{AllowNetworks: internet()}})
	t.Cleanup(in.Transport().CloseIdleConnections)
	in.Step(t.Context())
	if state := store.next(t); state.ErrorClass != "" {
		t.Fatalf("got %s: %s", state.ErrorClass, state.ErrorText)
	}
	for name, values := range <-got {
		if text := strings.Join(values, " "); strings.Contains(text, "secret") || name == "Authorization" || name == "Referer" {
			t.Errorf("sent %s: %s", name, text)
		}
	}
}

func TestT3PrivateLinksOfAPageAreRefused(t *testing.T) {
	inside := listen(t, "127.0.0.2", "::1")
	newNames(t, nil)
	var links, header strings.Builder
	for i, host := range hidden() {
		fmt.Fprintf(&links, `<link rel=alternate type=application/rss+xml href="//%s:%s/%d">`, host, inside.port, i)
		fmt.Fprintf(&header, `<http://%s:%s/%d/h>; rel=alternate; type="application/rss+xml", `, host, inside.port, i)
	}
	outside := newSite(t, map[string]http.HandlerFunc{
		"/named": says("<html><head>"+links.String(), "Link", header.String()),
		"/based": says(`<html><base href="http://127.0.0.2:` + inside.port + `/"><link rel=feed href=f>`),
		"/":      says("<html>"),
		"/feed":  http.RedirectHandler("http://127.0.0.2:"+inside.port+"/", http.StatusFound).ServeHTTP,
		"/rss":   says(twoPosts),
	})
	find := func(path string) []feed.Candidate {
		t.Helper()
		got, err := discoverer(t, internet()...).Discover(t.Context(), outside.URL+path)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	candidates := append(find("/named"), find("/based")...)
	if len(candidates) != 2*len(hidden())+1 {
		t.Errorf("got %v", candidates)
	}
	inside.sawNobody(t) // what a page names is not fetched
	for _, c := range candidates {
		if got := polled(t, internet(), c.URL); got != feed.FailureBlockedAddress && got != feed.FailureDNS {
			t.Errorf("%s: %q", c.URL, got)
		}
	}
	if got := find("/"); len(got) != 0 { // the common path leads inside, which ends the search
		t.Errorf("got %v", got)
	}
	inside.sawNobody(t)
}

func TestT3HubsAreJudgedLikeSources(t *testing.T) {
	inside := listen(t, "127.0.0.2", "::1")
	p := push(t, internet())
	newNames(t, nil)
	asked := func(name string, reasons ...string) {
		t.Helper()
		p.poll()
		p.turn()
		got := p.inState(feed.PushPending)
		if !slices.ContainsFunc(reasons, func(reason string) bool { return strings.Contains(got.ErrorText, reason) }) {
			t.Errorf("%s: got %+v", name, got)
		}
		p.clock.advance(time.Hour)
	}
	for _, host := range append(hidden(), "169.254.169.254", "10.0.0.1") {
		p.set(func() { p.body = p.document("http://"+host+":"+inside.port+"/", "1") })
		asked("a document that names "+host, "not public", "resolved")
		p.set(func() {
			p.header = http.Header{"Link": {fmt.Sprintf(`<http://%s:%s/h>; rel=hub, <%s>; rel=self`, host, inside.port, p.topic())}}
		})
		asked("a header that names "+host, "not public", "resolved")
		p.set(func() { p.header = http.Header{"Link": {}} })
	}
	for _, status := range []int{http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		p.set(func() {
			p.body = p.document(fmt.Sprintf("%s/%d", p.hub.URL, status), "1")
			p.answer = func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://127.0.0.2:"+inside.port+"/", status)
			}
		})
		asked(fmt.Sprintf("a hub that answers %d", status), "redirects to http://127.0.0.2") // before its address is judged
	}
	if n := p.requests("blocked"); n < float64(2*len(hidden())) {
		t.Errorf("counted %v blocked requests", n)
	}
	inside.sawNobody(t)
}

// A proxy that the configuration names may be reached wherever it is. It is never asked for what can be seen to be
// private; what names stand for is its own to judge.
func TestT4ProxiesGetNoRequestsForPrivateAddresses(t *testing.T) {
	newNames(t, nil)
	reached := make(chan string, 1)
	proxy := listenAndServe(t, "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.Header.Get("X-To"); to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
			return
		}
		reached <- r.URL.String()
		_, _ = io.WriteString(w, twoPosts)
	}))
	for _, scheme := range []string{"http", "socks5", "socks5h"} {
		opts := ingest.Options{Fetch: fetch.Options{Proxy: scheme + "://127.0.0.1:" + proxy.port}}
		for _, host := range append(loopbacks(), hidden()...) {
			for _, target := range []string{"http://" + host + ":8080/", "https://" + host + "/"} {
				if got := polledBy(t, opts, target); got != feed.FailureBlockedAddress && !strings.Contains(host, "%00") {
					t.Errorf("%s by %s: %q", target, scheme, got)
				}
			}
		}
	}
	proxy.sawNobody(t)

	opts := ingest.Options{Fetch: fetch.Options{Proxy: "http://127.0.0.1:" + proxy.port}}
	for _, host := range hidden() {
		store := newMemory("http://news.example/")
		store.sources["http://news.example/"].Request.Headers = map[string]string{"X-To": "http://" + host + ":8080/"}
		in := ingest.New(store, opts)
		in.Step(t.Context())
		in.Transport().CloseIdleConnections()
		if state := store.next(t); state.ErrorClass != "blocked_address" {
			t.Errorf("redirect to %s: %q", host, state.ErrorClass)
		}
	}
	for _, public := range []string{"http://news.example/feed", "http://8.8.8.8:8080/feed", "http://3com.example/"} {
		if got := polledBy(t, opts, public); got != "" {
			t.Errorf("%s: %s", public, got)
		} else if got := <-reached; got != public {
			t.Errorf("%s became %s", public, got)
		}
	}
}

func TestT4SocketsOfThisMachineAreNoProxies(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	inside := &door{}
	inside.count(t, listener)
	for _, proxy := range []string{
		"unix://" + socket, "unix://x" + socket, "unix:" + socket, "http+unix://" + url.PathEscape(socket), "http://" + url.PathEscape(socket),
		"file://" + socket, socket, "http://", "http:///",
	} {
		if err := feed.CheckProxy(proxy); err == nil {
			t.Errorf("%s: taken for a proxy", proxy)
		}
		if got := polledBy(t, ingest.Options{Fetch: fetch.Options{Proxy: proxy}}, "http://news.example/"); got != feed.FailureConnect {
			t.Errorf("%s: %q", proxy, got)
		}
	}
	inside.sawNobody(t)
}

func TestT4ProxiesOfTheEnvironmentAreIgnored(t *testing.T) {
	proxy := listen(t, "127.0.0.1")
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:"+proxy.port)
	}
	newNames(t, map[string]record{"news": addresses("127.0.0.1")}) // by a name: loopback itself never has one
	outside := listenAndServe(t, "127.0.0.1:0", says(twoPosts))
	for way, ask := range ways() {
		if got := ask(t, internet(), "http://news.example:"+outside.port+"/"); got != "" {
			t.Errorf("%s: %s", way, got)
		}
	}
	proxy.sawNobody(t)
}

func TestT5RefusalNamesTheWayOut(t *testing.T) {
	inside := listen(t, "127.0.0.2")
	store := newMemory("http://127.0.0.2:" + inside.port + "/")
	ingest.New(store, ingest.Options{Fetch: fetch.Options{AllowNetworks: internet()}}).Step(t.Context())
	state := store.next(t)
	if state.ErrorClass != "blocked_address" || !strings.Contains(state.ErrorText, "127.0.0.2") ||
		!strings.Contains(state.ErrorText, "fetch.allow_networks") {
		t.Errorf("got %s: %s", state.ErrorClass, state.ErrorText)
	}
	inside.sawNobody(t)
}

// The rows hold for both resolvers that a program of Go may have: the system's library reads more for an address than Go
// does. How names are resolved is settled when a process begins, and so is the proxy of the environment.
// The other rows use the resolver of Go. This one repeats them with the resolver of the system, in an environment with proxies.
func TestT6AllHoldsWithTheResolverOfTheSystem(t *testing.T) {
	t.Parallel()
	proxy := listen(t, "127.0.0.1")
	repeat := func(rows, resolver string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		child := exec.CommandContext(ctx, os.Args[0], "-test.run="+rows, "-test.v")
		child.Env = append(os.Environ(), "GODEBUG=netdns="+resolver, "HTTP_PROXY=http://127.0.0.1:"+proxy.port,
			"HTTPS_PROXY=http://127.0.0.1:"+proxy.port)
		out, err := child.CombinedOutput()
		if err != nil {
			t.Errorf("%v:\n%s", err, out)
		}
		return string(out)
	}
	resolver := "go" // a build without cgo has no other
	if builtWithCgo() {
		resolver = "cgo"
	}
	out := repeat("^TestT1", resolver)
	if resolver == "cgo" && !strings.Contains(out, "127.1 is [127.0.0.1]") {
		t.Errorf("the library does not resolve:\n%s", out)
	}
	out += repeat("^TestT[2-5]", "go") // by the names of the tests
	for row := range 5 {
		if want := fmt.Sprintf("--- PASS: TestT%d", row+1); !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	proxy.sawNobody(t)
}

func builtWithCgo() bool {
	info, _ := debug.ReadBuildInfo()
	for _, s := range info.Settings {
		if s.Key == "CGO_ENABLED" {
			return s.Value == "1"
		}
	}
	return false
}
