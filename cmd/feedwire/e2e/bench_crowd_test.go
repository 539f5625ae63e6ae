package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// take fetches once.
func take(b *testing.B, address, path string, header http.Header) answer {
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
	return answer{resp.StatusCode, resp.Header, body}
}

// crowd is clients that ask for the same thing at once, each on its connection. They count the bytes of an answer and do
// not look at them, so that most of the time is the server's.
type crowd struct {
	b       *testing.B
	conns   []net.Conn
	request []byte
	answers [][]byte // a buffer for each, as long as an answer
	took    [][]time.Duration
}

func newCrowd(b *testing.B, clients int, address, path string, header http.Header) *crowd {
	b.Helper()
	var request bytes.Buffer
	fmt.Fprintf(&request, "GET %s HTTP/1.1\r\nHost: x\r\n", path)
	_ = header.Write(&request) // a buffer takes everything
	request.WriteString("\r\n")
	c := &crowd{b: b, request: request.Bytes()}
	for range clients {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = conn.Close() })
		c.conns = append(c.conns, conn)
	}
	c.took = make([][]time.Duration, len(c.conns))
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
			_ = conn.SetDeadline(time.Now().Add(time.Minute)) // an answer may be another than was measured
			for range times {
				start := time.Now()
				if _, err := conn.Write(c.request); err != nil {
					c.b.Error(err)
					return
				}
				if _, err := io.ReadFull(conn, answer); err != nil {
					c.b.Error(err)
					return
				}
				c.took[i] = append(c.took[i], time.Since(start))
			}
		})
	}
	all.Wait()
}

// within is the time in ms that a share of the fetches do not exceed.
func (c *crowd) within(share float64) float64 {
	all := slices.Sorted(slices.Values(slices.Concat(c.took...)))
	return all[int(float64(len(all)-1)*share)].Seconds() * 1000
}
