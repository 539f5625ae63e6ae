package publish_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/store/feed"
)

// BenchmarkFeed serves 100 articles of 5 KB to clients that are not the consumer, each case beside the limit: net/http
// writing the same bytes from memory. The metric "of-limit" is the share of the limit's speed, measured in the same run.
func BenchmarkFeed(b *testing.B) {
	var list []feed.Article
	for i := range 100 {
		list = append(list, story(i, "<p>"+strings.Repeat("some words ", 450)+"</p>"))
	}
	p := publish.New(newMemory(list...), []feed.Outgoing{production()}, publish.Options{})
	ours := start(b, p)
	for _, accept := range []string{"identity", "gzip"} {
		first, body := get(b, ours, "Accept-Encoding", accept)
		etag := first.Header.Get("ETag")
		limit := start(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", etag)
			if r.Header.Get("If-None-Match") == etag {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			w.Header().Set("Content-Type", "application/rss+xml; charset=utf-8")
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			_, _ = w.Write(body)
		}))
		b.Run("200/"+accept, func(b *testing.B) {
			compare(b, limit, ours, "Accept-Encoding", accept)
		})
		b.Run("304/"+accept, func(b *testing.B) {
			compare(b, limit, ours, "Accept-Encoding", accept, "If-None-Match", etag)
		})
	}
}

// start serves h at /feed/{type} behind receipts.
func start(b *testing.B, h http.Handler) string {
	b.Helper()
	mux := http.NewServeMux()
	mux.Handle("/feed/{type}", h)
	s := httptest.NewUnstartedServer(mux)
	receipts := publish.NewReceipts()
	s.Listener = receipts.Listener(s.Listener)
	s.Config.ConnContext = receipts.ConnContext
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
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
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

// compare takes turns between both servers, so that a busy machine slows them alike, and reports the ratio of times.
func compare(b *testing.B, limit, ours string, header ...string) {
	var spent [2]time.Duration
	conns := [2]*rawClient{newRawClient(b, limit, header), newRawClient(b, ours, header)}
	for b.Loop() {
		for i, c := range conns {
			began := time.Now()
			for range 8 {
				c.fetch(b)
			}
			spent[i] += time.Since(began)
		}
	}
	b.ReportMetric(float64(spent[0])/float64(spent[1]), "of-limit")
	b.ReportMetric(float64(spent[1].Nanoseconds())/float64(8*b.N), "ns/fetch")
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
