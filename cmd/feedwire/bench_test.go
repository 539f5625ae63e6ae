package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"maps"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// BenchmarkServe takes a feed of 100 articles of 5 KB from the whole daemon on a real Redis, over 64 connections that stay
// open. The limit is net/http with the very same bytes and header lines in memory. The clients run on the same cores, and
// their share is in both figures. See storetest.Race for what is reported.
func BenchmarkServe(b *testing.B) {
	a, _ := benchDaemon(b)
	address := a.listener.Addr().String()
	for _, bc := range []struct {
		name, encoding string
		held           bool // the client names the document by its tag
		each           int  // fetches of one client in a turn, which ends when the slowest has done
	}{{"200 plain", "identity", false, 4}, {"200 gzip", "gzip", false, 8}, {"304", "gzip", true, 32}} {
		b.Run(bc.name, func(b *testing.B) {
			const path = "/feed/production"
			header := http.Header{"User-Agent": {"bench"}, "Accept-Encoding": {bc.encoding}}
			answer, body := take(b, address, path, header)
			if bc.held {
				header.Set("If-None-Match", answer.Header.Get("ETag"))
				answer, body = take(b, address, path, header)
			}
			ours, limit := newCrowd(b, address, path, header), newCrowd(b, fromMemory(b, answer, body), path, header)
			if ours, limit := len(ours.answers[0]), len(limit.answers[0]); ours != limit {
				b.Fatalf("answers of %d and %d bytes are compared", ours, limit)
			}
			storetest.Race{
				Ours:  func() { ours.fetch(bc.each) },
				Limit: func() { limit.fetch(bc.each) },
				Ops:   bc.each * len(ours.conns),
			}.Run(b)
		})
	}
}

// BenchmarkServeCounted does the same as the consumer of a feed whose articles do not retire. Each fetch is recorded on
// disk before the next document goes out, so the limit is the store recording as many fetches, one after the other.
func BenchmarkServeCounted(b *testing.B) {
	const typ = "standing"
	a, shown := benchDaemon(b)
	ours := newCrowd(b, a.listener.Addr().String(), "/feed/"+typ, http.Header{"User-Agent": {facebook}, "Accept-Encoding": {"gzip"}})
	storetest.Race{
		Ours: func() { ours.fetch(1) },
		Limit: func() {
			for range ours.conns {
				if _, err := a.store.RecordImpressions(b.Context(), typ, rand.Text(), shown, 0); err != nil {
					b.Fatal(err)
				}
			}
		},
		Ops: len(ours.conns),
	}.Run(b)
}

// benchDaemon runs a daemon with two feeds of the same 100 articles, each published once. From the feed "standing" none
// retires.
func benchDaemon(b *testing.B) (a *app, articles []feed.Impression) {
	b.Helper()
	dir := b.TempDir()
	path := filepath.Join(dir, "feedwire.yaml")
	text := fmt.Sprintf(`
data_dir: %s
listen: 127.0.0.1:0
store:
  redis: unix://%s
feeds:
  production:
  standing:
    impressions:
      retire_after: 0
`, filepath.Join(dir, "data"), storetest.RedisAOF(b).Addr())
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	cfg, err := config.Load(path, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	a, err = newApp(b.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
	random := mathrand.New(mathrand.NewPCG(1, 2))
	for i := range 100 {
		article := feed.Article{
			UUID: feed.ArticleUUID("http://x.example/feed", strconv.Itoa(i)), FeedURL: "http://x.example/feed", GUID: strconv.Itoa(i),
			Title: fmt.Sprintf("Post %d", i), Canonical: fmt.Sprintf("http://x.example/%d", i), Digest: "digest",
			Content: storetest.Prose(random, 5000), Published: time.Unix(1795176000, 0),
		}
		if _, err := a.store.SaveArticle(b.Context(), article); err != nil {
			b.Fatal(err)
		}
		for _, f := range a.types {
			if _, err := a.store.Publish(b.Context(), article.UUID, f, ""); err != nil {
				b.Fatal(err)
			}
		}
		articles = append(articles, feed.Impression{UUID: article.UUID, Revision: 1})
	}
	return a, articles
}

// fromMemory serves one answer to everyone, by a server with the limits of time that the daemon's has.
func fromMemory(b *testing.B, answer *http.Response, body []byte) string {
	b.Helper()
	header := answer.Header.Clone()
	header.Del("Date") // the server's own
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	srv := &http.Server{
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 60 * time.Second, IdleTimeout: 60 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			maps.Copy(w.Header(), header)
			w.WriteHeader(answer.StatusCode)
			_, _ = w.Write(body)
		}),
	}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	b.Cleanup(func() {
		_ = srv.Close()
		<-done
	})
	return l.Addr().String()
}

// take fetches once.
func take(b *testing.B, address, path string, header http.Header) (*http.Response, []byte) {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header = header
	transport := &http.Transport{} // one of its own: "Connection: close" would be in the answer
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	return resp, body
}

// crowd is clients that ask for the same thing at once, each on its connection. They count the bytes of an answer and do
// not look at them, so that most of the time is the server's.
type crowd struct {
	b       *testing.B
	conns   []net.Conn
	request []byte
	answers [][]byte // a buffer for each, as long as an answer
}

func newCrowd(b *testing.B, address, path string, header http.Header) *crowd {
	b.Helper()
	var request bytes.Buffer
	fmt.Fprintf(&request, "GET %s HTTP/1.1\r\nHost: x\r\n", path)
	_ = header.Write(&request) // a buffer takes everything
	request.WriteString("\r\n")
	c := &crowd{b: b, request: request.Bytes()}
	for range 64 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = conn.Close() })
		c.conns = append(c.conns, conn)
	}
	size := c.measure()
	for range c.conns {
		c.answers = append(c.answers, make([]byte, size))
	}
	return c
}

// measure fetches once and gives the size of the answer.
func (c *crowd) measure() int64 {
	if _, err := c.conns[0].Write(c.request); err != nil {
		c.b.Fatal(err)
	}
	r := bufio.NewReader(c.conns[0])
	var size int64
	length := int64(0)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			c.b.Fatal(err)
		}
		size += int64(len(line))
		if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			length, _ = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		}
		if line == "\r\n" {
			break
		}
	}
	if _, err := io.CopyN(io.Discard, r, length); err != nil {
		c.b.Fatal(err)
	}
	return size + length
}

// fetch has every client fetch so many times.
func (c *crowd) fetch(times int) {
	var all sync.WaitGroup
	for i, conn := range c.conns {
		all.Go(func() {
			answer := c.answers[i]
			for range times {
				if _, err := conn.Write(c.request); err != nil {
					c.b.Error(err)
					return
				}
				if _, err := io.ReadFull(conn, answer); err != nil {
					c.b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}
