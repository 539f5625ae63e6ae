//go:build !race

package daemon

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

var update = flag.Bool("update", false, "write generated pages of docs")

// trouble is one section of docs/how-to/troubleshoot-sources.md.
type trouble struct {
	title string
	did   string // situation
	says  string // explanation and remedy

	url      string           // of the source if it needs no server; otherwise /feed.xml of a server
	page     bool             // the source is the front page of the server
	tls      *tls.Config      // of the server; nil: http
	serve    http.HandlerFunc // the trouble itself
	worked   bool             // the first poll still found a feed
	settings map[string]any   // of the source
	damaged  string           // a key of the source that another program overwrites after the first poll; <url> is that of the source
	next     string           // when the next poll is due, without the random spread
	took     string           // shown duration; default "8 ms"
}

// harbour is the feed that the servers have before the trouble begins.
const harbour = `<?xml version="1.0"?>
<rss version="2.0"><channel><title>Harbour Blog</title><link>http://blog.example/</link>
<item><title>Ferry line opens a second pier</title><link>http://blog.example/ferry</link><guid>ferry</guid></item>
<item><title>Storm closes the northern quay</title><link>http://blog.example/storm</link><guid>storm</guid></item>
</channel></rss>`

// says answers every request alike.
func says(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func troubles(t *testing.T) []trouble {
	return []trouble{
		{
			title: "404: the feed does not exist",
			did:   "The site was rebuilt, and nothing new has arrived since.",
			serve: says(404, "", "Content-Type", "text/html"), worked: true, next: "in 3h30m",
			says: "The server works but has no feed at this address. Find the new address with `feedwire source add http://blog.example/` and remove the old source.",
		},
		{
			title: "403: the site refuses programs",
			did:   "The feed opens in a browser but not in feedwire.",
			serve: says(403, "", "Content-Type", "text/html", "Server", "shield"), worked: true, next: "in 3h30m",
			says: "Something in front of the site (here a server named `shield`) admits people and refuses programs. Its owner can allow the `User-Agent` that was sent. `fetch.contact` adds your address to it, so that owners can reach you.",
		},
		{
			title: "401: the feed requires a password",
			did:   "A feed for subscribers was added without the password.",
			serve: says(401, "", "Www-Authenticate", `Basic realm="Subscribers"`), next: "in 2h",
			says: "The server requires a name and a password (`Basic`), and the request had no `Authorization`. Set them: `feedwire source add http://blog.example/feed.xml --username ann --password-file blog.password`.",
		},
		{
			title: "A web page instead of a feed",
			did:   "The address of the site was added with `--exact`, which does not look for a feed.",
			page:  true, next: "in 1h",
			serve: says(200, `<!doctype html><title>Harbour Blog</title><link rel="alternate" type="application/rss+xml" title="Harbour Blog" href="/feed.xml">`,
				"Content-Type", "text/html; charset=utf-8"),
			says: "The address is a page, and the page names its feed. Remove this source and add the feed, or omit `--exact`: feedwire then finds the feed.",
		},
		{
			title: "The host name does not exist",
			did:   "The address was typed by hand.",
			url:   "http://blgo..example/feed.xml", next: "in 1h",
			says: "No request was sent, because the name cannot be resolved: `blgo` should be `blog`. Add the correct address and remove this source.",
		},
		{
			title: "The connection is refused",
			did:   "The site is down, or moved to another machine.",
			url:   "http://127.0.0.1:1/feed.xml", next: "in 1h",
			says: "The name has an address, but no server listens there. If the site opens in your browser, look for a firewall or a proxy between this machine and the site. Otherwise wait: feedwire retries.",
		},
		{
			title: "The certificate has expired",
			did:   "The feed of an unmaintained site stopped.",
			tls:   expired(t), serve: says(200, harbour), next: "in 1h",
			says: "The connection was closed before the request, because the certificate has expired. Only the owner of the site can renew it. feedwire retries.",
		},
		{
			title: "A private address",
			did:   "A wiki on your own network was added.",
			url:   "http://10.20.30.40/feed.xml", next: "in 1h",
			says: "feedwire connects to public addresses only, so that it cannot be used to reach your network. Nothing was sent. To allow this network, set `allow_networks: [10.20.30.0/24]` under `fetch` in the configuration and reload it.",
		},
		{
			title: "The server is too slow",
			did:   "The feed arrives now and then. The source has a timeout of one second.",
			serve: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, worked: true,
			settings: map[string]any{"request": map[string]any{"timeout": "1s"}}, next: "in 3h30m", took: "1003 ms",
			says: "The request was sent, but no response arrived before the timeout. If the server is always slow, raise the timeout: `feedwire source add http://blog.example/feed.xml --timeout 1m`.",
		},
		{
			title:  "The document is too large",
			did:    "The feed of the site has all posts of ten years.",
			serve:  says(200, strings.Replace(harbour, "<item>", "<!-- "+strings.Repeat("x", 70_000)+" --><item>", 1), "Content-Type", "application/rss+xml"),
			worked: true, next: "in 3h30m",
			says: "feedwire stops reading at `fetch.max_bytes`, here 64 KiB (default 8 MiB), so that no document fills its memory. Raise the limit in the configuration, or ask the site for a shorter feed.",
		},
		{
			title: "An empty response",
			did:   "The site works, but its feed program fails.",
			serve: says(200, "", "Content-Type", "application/rss+xml"), worked: true, next: "in 3h30m",
			says: "The server reports success and sends nothing. Stored entries do not change. The site has to fix this; feedwire retries.",
		},
		{
			title: "Endless redirects",
			did:   "The site requires a cookie, or is misconfigured.",
			serve: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/feed.xml?again", http.StatusFound) }, worked: true, next: "in 3h30m",
			says: "Each response redirects to another; `fetch.max_redirects` is 2 here. Open the address in a browser. If it ends at another address, add the feed under that address. If it never ends, the site has to fix it.",
		},
		{
			title: "429: too many requests",
			did:   "The host serves many of your sources.",
			serve: says(429, "", "Retry-After", "7200"), worked: true, next: "in 2h",
			says: "The server asks for a pause in `Retry-After`. feedwire requests none of its feeds before that. If this happens often, poll the sources of this host less often with `--interval`.",
		},
		{
			title: "Too many entries in a day",
			did:   "News of one source is missing, and all others work.",
			serve: says(200, strings.NewReplacer("ferry</", "ferry?visit=17</", "storm</", "storm?visit=17</", "</channel>", `
<item><title>Lighthouse opens on Sunday</title><link>http://blog.example/lighthouse</link><guid>lighthouse?visit=17</guid></item>
<item><title>Ferry runs hourly in winter</title><link>http://blog.example/timetable</link><guid>timetable?visit=17</guid></item>
</channel>`).Replace(harbour), "Content-Type", "application/rss+xml"),
			worked: true, next: "in 12h",
			says: "The source has more new and changed entries than `fetch.day_entries` allows in a day; it is 4 here, and 10,000 by default. Nothing of the document was saved, and nothing is lost that the source still lists when the limit allows the document: the limit fills again by the minute, and the next poll waits for that. Other sources have limits of their own. Open the feed twice: if its guids differ although its posts are the same, tell its owner, and pause the source meanwhile. If the source really posts that much, raise `fetch.day_entries`, and `store.max_memory` with it.",
		},
		{
			title: "410: the feed is gone",
			did:   "The author has ended the blog.",
			serve: says(410, ""), worked: true, next: "in 24h",
			says: "The server says that the feed was removed on purpose. feedwire asks once more after a day. If the response is the same, the source is `gone` and no longer polled. Its entries stay until you remove it.",
		},
		{
			title: "Broken XML, repaired",
			did:   "The feed does not pass a validator, but its posts arrive.",
			serve: says(200, strings.NewReplacer("Ferry line opens", "Ferry line & tram open", "</item>\n</channel></rss>", "").Replace(harbour),
				"Content-Type", "application/rss+xml"),
			worked: true, next: "in 3h30m",
			says: "This is not a failure. `mended` names what was wrong with the document, and every complete entry was read. Because the document was truncated, missing entries do not count as removed from the feed.",
		},
		{
			title: "A document of another kind",
			did:   "The address is that of a profile in the fediverse.",
			serve: says(200, `{"@context":"https://www.w3.org/ns/activitystreams","type":"Person","id":"http://blog.example/users/ann"}`,
				"Content-Type", "application/activity+json"),
			next: "in 1h",
			says: "feedwire names ActivityPub, the REST API of WordPress, FOAF and other RDF, OPML, sitemaps, web pages, and JSON with `items` but without the version of a JSON Feed, and says where the feed may be.",
		},
		{
			title: "An entry exceeds a limit",
			did:   "A title is not complete, or a post is missing.",
			serve: says(200, strings.Replace(harbour, "Ferry line opens a second pier", "Ferry line opens a second pier"+strings.Repeat(" and a third", 1000), 1),
				"Content-Type", "application/rss+xml"),
			worked: true, next: "in 3h30m",
			says: "This is not a failure. `limit` names the limit that entries exceed, and what happened to them: see [Limits of documents](../reference/limits.md). The other entries are complete.",
		},
		{
			title: "A damaged key",
			did:   "Another program uses the Redis of feedwire and overwrote a key of the source.",
			serve: says(200, strings.ReplaceAll(harbour, "second", "third"), "Content-Type", "application/rss+xml"), worked: true, damaged: "<url>:guidmap", next: "in 2s",
			says: "The source is not polled until its key is repaired; all others are. `redis-cli type KEY` says what the key holds. Give feedwire a Redis or a `store.prefix` of its own, and delete the key with `redis-cli del KEY`: the source is polled again within five seconds.",
		},
		{
			title: "304, although the feed has news",
			did:   "The site has a new post, and feedwire does not see it.",
			serve: func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("If-None-Match") != "" {
					w.WriteHeader(http.StatusNotModified)
				}
			},
			worked: true, next: "in 3h30m",
			says: "The request names the document that feedwire has (`If-None-Match`), and the server says that it is current. If it is not, the cache of the server is wrong and its owner has to fix it. After 14 days without news feedwire requests the complete document.",
		},
	}
}

// expired is a server's side of TLS with a certificate that has run out.
func expired(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "blog.example"}, DNSNames: []string{"blog.example"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:   time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

// running is a trouble whose source was added to a daemon.
type running struct {
	trouble
	source feed.Source
	begun  *atomic.Bool      // set when the server starts to show the trouble
	names  *strings.Replacer // puts example names in the place of the server's address
}

// run adds the source of a trouble to a daemon. If worked is set, the server returns a valid feed until begun is set.
func (tr trouble) run(t *testing.T, d *daemon) *running {
	t.Helper()
	r := &running{trouble: tr, begun: new(atomic.Bool)}
	r.begun.Store(!tr.worked)
	url := tr.url
	r.names = strings.NewReplacer(
		"http://127.0.0.1:1/", "http://blog.example/", "127.0.0.1:1", "203.0.113.7:80", "blgo..example", "blgo.example")
	if tr.serve != nil {
		s := r.server(t)
		url = s.URL + "/feed.xml"
		if tr.page {
			url = s.URL + "/"
		}
		scheme, host, _ := strings.Cut(s.URL, "://")
		port := map[string]string{"http": ":80", "https": ":443"}[scheme]
		r.names = strings.NewReplacer(s.URL, scheme+"://blog.example", host, "203.0.113.7"+port)
	}
	in := map[string]any{"url": url}
	maps.Copy(in, tr.settings)
	d.do(http.MethodPost, "/api/v1/sources", in, &r.source)
	return r
}

// server starts the server of a trouble.
func (r *running) server(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header()["Date"] = nil // another one each time
		if r.begun.Load() {
			r.serve(w, req)
			return
		}
		w.Header().Set("Etag", `"17"`)
		w.Header().Set("Content-Type", "application/rss+xml")
		_, _ = io.WriteString(w, harbour)
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0) // it complains of handshakes that are broken off
	s.Config.SetKeepAlivesEnabled(false)                          // how long a connection stays open is not what is shown
	if s.TLS = r.tls; r.tls != nil {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

// transcript is what the command prints, and the command, without what differs from run to run.
func (r *running) transcript(t *testing.T, d *daemon, redis *storetest.Redigo) (command, text string) {
	t.Helper()
	d.untilPolled(r.source.URL)
	r.begun.Store(true)
	if key := strings.ReplaceAll(r.damaged, "<url>", r.source.URL); key != "" {
		redis.Do("DEL", key)
		redis.Do("SET", key, "of another program")
	}
	text, errs, code := d.cli("", "source", "poll", r.source.URL, "--trace")
	if text == "" {
		t.Fatalf("the command ends with %d: %s", code, errs)
	}
	return r.names.Replace("feedwire source poll " + r.source.URL + " --trace\n"), r.names.Replace(r.steady(t, text))
}

var (
	milliseconds = regexp.MustCompile(`\b\d+ ms`)
	moments      = regexp.MustCompile(`\d+ \w{3} 20\d\d \d\d:\d\d:\d\d UTC`)
	nowTime      = regexp.MustCompile(`current time \S+`)
	unbroken     = regexp.MustCompile("(?:`[^`]*`|\\S)+") // a word, or code
	nextPoll     = regexp.MustCompile(`(?m)^(next poll +)in (\w+),`)
)

// steady puts fixed times in the place of those of this run. That of the next poll must be the one it stands for, but
// for the tenth by which polls are spread.
func (tr *trouble) steady(t *testing.T, text string) string {
	t.Helper()
	took := tr.took
	if took == "" {
		took = "8 ms"
	}
	text = milliseconds.ReplaceAllString(text, took)
	text = moments.ReplaceAllString(text, "20 Nov 2026 10:00:00 UTC")
	text = nowTime.ReplaceAllString(text, "current time 2026-11-20T10:00:00Z")
	m := nextPoll.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("the transcript does not say when the next poll is:\n%s", text)
	}
	got, err := time.ParseDuration(m[2])
	if err != nil {
		t.Fatal(err)
	}
	want, err := time.ParseDuration(strings.TrimPrefix(tr.next, "in "))
	if err != nil {
		t.Fatal(err)
	}
	if ratio := float64(got) / float64(want); ratio < 0.95 || ratio > 1.12 {
		t.Errorf("the next poll is in %v, want about %v", got, want)
	}
	return nextPoll.ReplaceAllString(text, "${1}"+tr.next+",")
}

// wrapped breaks a text into lines.
func wrapped(text string) string {
	var b strings.Builder
	width := 0
	for _, word := range unbroken.FindAllString(text, -1) {
		switch {
		case width+1+len(word) > 120:
			b.WriteByte('\n')
			width = 0
		case width > 0:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String() + "\n"
}

const troublesIntro = `# Troubleshoot sources

Trace one poll of the source:

    feedwire source poll URL --trace

The output shows the request, the response, and what was read. From "error" on it says what is wrong, what to do, and when the next
poll is due. The page of the source, ` + "`/sources/<id>`" + `, has the short form.

These are common problems. A test causes each of them and writes what the command prints; only names, addresses and
times are replaced by examples. If a source worked before, its problem began after the first poll.
`

// TestTroublesOfTheDocumentation compares docs/how-to/troubleshoot-sources.md with what the command prints. Run it with -update to
// write the page.
func TestTroublesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	server := storetest.RedisAOF(t)
	redis := storetest.Commands(t, server.Dial)
	d := start(t, server, `fetch:
  allow_networks: [127.0.0.0/8]
  host_delay: 0s
  min_interval: 0s
  max_bytes: 64KiB
  max_redirects: 2
  day_entries: 4
  user_agent: "feedwire/1.0 (+https://wire.example/about)"
`)
	var doc bytes.Buffer
	doc.WriteString(troublesIntro)
	var all []*running
	for _, tr := range troubles(t) {
		all = append(all, tr.run(t, d))
	}
	for _, r := range all {
		t.Run(r.title, func(t *testing.T) {
			command, text := r.transcript(t, d, redis)
			fmt.Fprintf(&doc, "\n## %s\n\n%s\n\n", r.title, r.did)
			for line := range strings.Lines(command + text) {
				doc.WriteString("    " + line)
			}
			doc.WriteString("\n" + wrapped(r.says))
		})
	}
	if *update {
		if err := os.WriteFile(filepath.Join("..", "..", "..", "docs", "how-to", "troubleshoot-sources.md"), doc.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(wiretest.ReadFile(t, "docs/how-to/troubleshoot-sources.md"), doc.String()); diff != "" {
		t.Errorf("docs/how-to/troubleshoot-sources.md is not what the command prints; go test ./cmd/feedwire/daemon -run Troubles -update (-file +command):\n%s", diff)
	}
}
