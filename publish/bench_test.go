package publish_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/arrival"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// BenchmarkFeed serves 100 articles of 5 KB to clients that are not the consumer, each case beside the limit: net/http
// writing the same bytes and header lines from memory. The store is in memory; the whole daemon is measured in cmd/feedwire.
func BenchmarkFeed(b *testing.B) {
	var list []feed.Article
	for i := range 100 {
		list = append(list, story(i, "<p>"+strings.Repeat("some words ", 450)+"</p>"))
	}
	p := publish.New(newMemory(list...), []feed.Outgoing{production()}, publish.Options{})
	watcher := arrival.NewWatcher(0)
	ours := start(b, p, func(s *httptest.Server) {
		s.Listener, s.Config.ConnContext = watcher.Listener(s.Listener), watcher.ConnContext
	})
	for _, accept := range []string{"identity", "gzip"} {
		first, _ := get(b, ours, "Accept-Encoding", accept)
		for _, header := range [][]string{
			{"Accept-Encoding", accept},
			{"Accept-Encoding", accept, "If-None-Match", first.Header.Get("ETag")},
		} {
			answer, body := get(b, ours, header...)
			b.Run(strconv.Itoa(answer.StatusCode)+"/"+accept, func(b *testing.B) {
				lines := answer.Header.Clone()
				lines.Del("Date") // the server's own
				limit := start(b, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					maps.Copy(w.Header(), lines)
					w.WriteHeader(answer.StatusCode)
					_, _ = w.Write(body)
				}), func(*httptest.Server) {})
				compare(b, limit, ours, header...)
			})
		}
	}
}

// BenchmarkChange brings a feed of 100 articles of 5 KB up to date in which one has changed, up to its bytes. The limit, so
// to speak, is to do that where all have changed.
func BenchmarkChange(b *testing.B) {
	m := newMemory()
	for i := range 100 {
		m.articles = append(m.articles, story(i, "<p>"+strings.Repeat("some words ", 450)+"</p>"))
	}
	p := publish.New(m, []feed.Outgoing{production()}, publish.Options{})
	ask(p, "bench")
	n := 0
	change := func(articles []feed.Article) func() {
		return func() {
			for i := range articles {
				n++
				articles[i].Digest = strconv.Itoa(n)
			}
			m.version++
			p.Changed("production")
			ask(p, "bench")
		}
	}
	storetest.Race{Ours: change(m.articles[50:51]), Limit: change(m.articles)}.Run(b)
}

// start serves h at /feed/{type} by a server that change may change first.
func start(b *testing.B, h http.Handler, change func(*httptest.Server)) string {
	b.Helper()
	mux := http.NewServeMux()
	mux.Handle("/feed/{type}", h)
	s := httptest.NewUnstartedServer(mux)
	change(s)
	s.Start()
	b.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func get(b *testing.B, addr string, header ...string) (*http.Response, []byte) {
	b.Helper()
	req, _ := http.NewRequestWithContext(context.Background(), "GET", "http://"+addr+"/feed/production", nil)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
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

// compare takes turns between both servers, so that a busy machine slows them alike. It reports medians: ns/op of one
// fetch from ours, limit-ns/op, and of-limit, the share of the limit's speed that ours reaches.
func compare(b *testing.B, limit, ours string, header ...string) {
	const fetches = 8
	var spent [2][]time.Duration
	conns := [2]*rawClient{newRawClient(b, ours, header), newRawClient(b, limit, header)}
	if conns[0].size != conns[1].size {
		b.Fatalf("answers of %d and %d bytes are compared", conns[0].size, conns[1].size)
	}
	for b.Loop() {
		for i, c := range conns {
			began := time.Now()
			for range fetches {
				c.fetch(b)
			}
			spent[i] = append(spent[i], time.Since(began)/fetches)
		}
	}
	median := func(all []time.Duration) float64 {
		slices.Sort(all)
		return float64(all[len(all)/2])
	}
	b.ReportMetric(median(spent[0]), "ns/op")
	b.ReportMetric(median(spent[1]), "limit-ns/op")
	b.ReportMetric(median(spent[1])/median(spent[0]), "of-limit")
}

// rawClient is cheap enough to measure the server: it counts the bytes of an answer without parsing it.
type rawClient struct {
	conn    net.Conn
	request []byte
	size    int // of one answer
	buf     []byte
}

func newRawClient(b *testing.B, addr string, header []string) *rawClient {
	b.Helper()
	var request bytes.Buffer
	request.WriteString("GET /feed/production HTTP/1.1\r\nHost: x\r\nUser-Agent: bench\r\n")
	for i := 0; i < len(header); i += 2 {
		fmt.Fprintf(&request, "%s: %s\r\n", header[i], header[i+1])
	}
	request.WriteString("\r\n")
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	c := &rawClient{conn: conn, request: request.Bytes(), buf: make([]byte, 1<<20)}
	if _, err := conn.Write(c.request); err != nil {
		b.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	for {
		n, err := conn.Read(c.buf)
		c.size += n
		if err != nil {
			break
		}
	}
	_ = conn.SetReadDeadline(time.Time{})
	return c
}

func (c *rawClient) fetch(b *testing.B) {
	if _, err := c.conn.Write(c.request); err != nil {
		b.Fatal(err)
	}
	for left := c.size; left > 0; {
		n, err := c.conn.Read(c.buf[:min(left, len(c.buf))])
		if err != nil {
			b.Fatal(err)
		}
		left -= n
	}
}
