package limits_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/arrival"
	"github.com/feedwire/feedwire/publish/limits"
	"github.com/feedwire/feedwire/store/feed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server serves a handler within limits, as the daemon does.
type server struct {
	*httptest.Server
	limits *limits.Limits
}

func serve(t *testing.T, opts limits.Options, h http.HandlerFunc) *server {
	t.Helper()
	l, watcher := limits.New(opts), arrival.NewWatcher(0)
	s := httptest.NewUnstartedServer(l.Handler(h))
	s.Listener = watcher.Listener(l.Listener(s.Listener))
	s.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return l.ConnContext(watcher.ConnContext(ctx, c), c.(*arrival.Conn).Conn)
	}
	s.Start()
	t.Cleanup(s.Close)
	return &server{s, l}
}

// dial connects from an address of this machine, "127.0.0.2".
func (s *server) dial(t *testing.T, from string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := d.DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// get sends a request and returns the status of the response, 0 if there is none.
func get(c net.Conn) int {
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	return status(c)
}

func status(c net.Conn) int {
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

// closed waits until the server has closed a connection.
func closed(t *testing.T, c net.Conn) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := c.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) || err == nil {
		t.Errorf("the connection is open: %v", err)
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what + " did not happen within a minute")
		}
	}
}

func ok(http.ResponseWriter, *http.Request) {}

func TestIdleConnectionsMakeRoom(t *testing.T) {
	s := serve(t, limits.Options{Connections: 4, PerClient: 3}, ok)
	var idle []net.Conn
	for i := range 4 {
		c := s.dial(t, fmt.Sprintf("127.0.0.%d", i+2))
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nSlow: ") // an incomplete header
		idle = append(idle, c)
		eventually(t, "the connection", func() bool { return s.limits.Open() == i+1 })
	}
	if got := get(s.dial(t, "127.0.0.9")); got != http.StatusOK {
		t.Errorf("got %d", got)
	}
	closed(t, idle[0])
	if got := s.limits.Open(); got > 4 {
		t.Errorf("%d connections are open", got)
	}
}

func TestClientWithTooManyConnectionsDisplacesItsOwn(t *testing.T) {
	s := serve(t, limits.Options{Connections: 10, PerClient: 2}, ok)
	other := s.dial(t, "127.0.0.2")
	if got := get(other); got != http.StatusOK {
		t.Fatalf("got %d", got)
	}
	first := s.dial(t, "127.0.0.3")
	get(first)
	for range 3 {
		if got := get(s.dial(t, "127.0.0.3")); got != http.StatusOK {
			t.Fatalf("got %d", got)
		}
	}
	closed(t, first)
	if got := get(other); got != http.StatusOK {
		t.Errorf("another client got %d", got)
	}
	eventually(t, "the count", func() bool { return s.limits.Open() == 3 })
}

func TestConnectionsUnderWayAreNotDisplaced(t *testing.T) {
	entered, release := make(chan struct{}, 2), make(chan struct{})
	s := serve(t, limits.Options{Connections: 2}, func(http.ResponseWriter, *http.Request) {
		entered <- struct{}{}
		<-release
	})
	answers := make(chan int, 2)
	for i := range 2 {
		c := s.dial(t, fmt.Sprintf("127.0.0.%d", i+2))
		go func() { answers <- get(c) }()
		<-entered
	}
	closed(t, s.dial(t, "127.0.0.9"))
	close(release)
	for range 2 {
		if got := <-answers; got != http.StatusOK {
			t.Errorf("a request under way got %d", got)
		}
	}
}

// Two clients hold all connections with responses that they do not read, or bodies that they do not send.
func TestClientsThatKeepHandlersWaitingMakeRoom(t *testing.T) {
	for name, request := range map[string]string{
		"a response that is not read": "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"a body that is not sent":     "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var entered atomic.Int64
			s := serve(t, limits.Options{Connections: 4, PerClient: 2}, func(w http.ResponseWriter, r *http.Request) {
				entered.Add(1)
				_, _ = io.Copy(io.Discard, r.Body)
				if r.Header.Get("Honest") == "" {
					_, _ = w.Write(make([]byte, 16<<20))
				}
			})
			for i := range 4 {
				_, _ = io.WriteString(s.dial(t, fmt.Sprintf("127.0.0.%d", 2+i/2)), request)
			}
			eventually(t, "all requests", func() bool { return entered.Load() == 4 })
			eventually(t, "a response to another client", func() bool {
				c := s.dial(t, "127.0.0.9")
				defer c.Close()
				_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nHonest: yes\r\n\r\n")
				return status(c) == http.StatusOK
			})
		})
	}
}

func TestSlowClientThatReadsKeepsItsConnection(t *testing.T) {
	t.Parallel()
	const size = 32 << 20
	s := serve(t, limits.Options{Connections: 1}, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, size)) })
	for late := true; late; { // on a busy machine the client itself may read too late: then a new one begins
		late = false
		var c net.Conn
		eventually(t, "a response", func() bool {
			c = s.dial(t, "127.0.0.2")
			_ = c.(*net.TCPConn).SetReadBuffer(64 << 10) // with a larger one its system reads for it
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			_, err := io.CopyN(io.Discard, c, 1)
			return err == nil
		})
		last := time.Now()
		for begun := last; time.Since(begun) < 4*time.Second && !late; time.Sleep(100 * time.Millisecond) {
			before := last
			_, err := io.CopyN(io.Discard, c, 128<<10)
			last = time.Now()
			other := get(s.dial(t, "127.0.0.9"))
			if late = time.Since(before) > time.Second; !late && (err != nil || other != 0) {
				t.Fatalf("it reads %v, and another client gets %d", err, other)
			}
		}
		_ = c.Close()
	}
}

func TestClientWithMostConnectionsMakesRoom(t *testing.T) {
	s := serve(t, limits.Options{Connections: 4, PerClient: 3}, ok)
	visitor := s.dial(t, "127.0.0.2")
	if got := get(visitor); got != http.StatusOK { // and waits longest
		t.Fatalf("got %d", got)
	}
	for range 3 {
		get(s.dial(t, "127.0.0.3"))
	}
	for i := range 2 {
		if got := get(s.dial(t, fmt.Sprintf("127.0.0.%d", i+4))); got != http.StatusOK {
			t.Errorf("a new client got %d", got)
		}
	}
	if got := get(visitor); got != http.StatusOK {
		t.Errorf("the visitor got %d", got)
	}
}

func TestTrustedProxyHasNoLimitOfItsOwn(t *testing.T) {
	proxy := netip.MustParseAddr("127.0.0.1")
	s := serve(t, limits.Options{Connections: 10, PerClient: 1, Trusted: func(a netip.Addr) bool { return a == proxy }}, ok)
	var all []net.Conn
	for range 5 {
		all = append(all, s.dial(t, "127.0.0.1"))
	}
	for _, c := range all {
		if got := get(c); got != http.StatusOK {
			t.Errorf("got %d", got)
		}
	}
}

// A watched connection stays open after its response, until it is known whether the response arrived.
func TestConnectionCountsUntilItIsReallyClosed(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	settled := make(chan bool, 1)
	s := serve(t, limits.Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(size))
		_, _ = w.Write(make([]byte, size))
		arrival.Of(r).Await(func(ok bool) { settled <- ok })
	})
	c := s.dial(t, "127.0.0.2")
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if got := status(c); got != http.StatusOK {
		t.Fatalf("got %d", got)
	}
	if got := s.limits.Open(); got != 1 && len(settled) == 0 {
		t.Errorf("%d connections count before the response is settled", got)
	}
	<-settled
	eventually(t, "the end", func() bool { return s.limits.Open() == 0 })
}

// upload sends a part of a body and leaves the rest.
func (s *server) upload(t *testing.T, from string, bytes int) net.Conn {
	t.Helper()
	c := s.dial(t, from)
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", 2*bytes, strings.Repeat("x", bytes))
	return c
}

func read(w http.ResponseWriter, r *http.Request) {
	if _, err := io.ReadAll(r.Body); err != nil {
		http.Error(w, "incomplete", http.StatusBadRequest)
	}
}

func TestBodyWithoutMemoryGets503(t *testing.T) {
	t.Parallel()
	s := serve(t, limits.Options{Bytes: 1 << 20}, read)
	s.upload(t, "127.0.0.2", 200<<10)
	s.upload(t, "127.0.0.3", 200<<10)
	eventually(t, "the memory to be full", func() bool { return s.limits.Use() > 700<<10 })
	c := s.upload(t, "127.0.0.4", 200<<10)
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" || !strings.Contains(string(text), "too many large requests") {
		t.Errorf("got %d, %q, %s", resp.StatusCode, resp.Header.Get("Retry-After"), text)
	}
	if got := s.limits.Use(); got > 1<<20 {
		t.Errorf("%d bytes are in use", got)
	}
}

func TestBodyThatIsNotReadCostsNothing(t *testing.T) {
	s := serve(t, limits.Options{Bytes: 1 << 20}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	for _, header := range []string{"Content-Length: 200000", "Transfer-Encoding: chunked"} {
		c := s.dial(t, "127.0.0.2")
		fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", header)
		_, _ = io.WriteString(c, "186a0\r\n"+strings.Repeat("x", 100_000))
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		rest := bufio.NewReader(c)
		resp, err := http.ReadResponse(rest, nil)
		if err != nil {
			t.Fatalf("%s: %v", header, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized || !resp.Close {
			t.Errorf("%s: got %d, close %t", header, resp.StatusCode, resp.Close)
		}
		if _, err := rest.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: the connection ended with %v", header, err)
		}
		if got := s.limits.Use(); got != 0 {
			t.Errorf("%s: %d bytes are in use", header, got)
		}
	}
	eventually(t, "the end", func() bool { return s.limits.Open() == 0 })
}

func TestSmallBodiesNeedNoMemory(t *testing.T) {
	t.Parallel()
	s := serve(t, limits.Options{Bytes: 1 << 20}, read)
	s.upload(t, "127.0.0.2", 300<<10)
	s.upload(t, "127.0.0.3", 300<<10)
	eventually(t, "the memory to be full", func() bool { return s.limits.Use() > 700<<10 })
	c := s.dial(t, "127.0.0.4")
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\n\r\n%s", strings.Repeat("x", 2000))
	if got := status(c); got != http.StatusOK {
		t.Errorf("got %d", got)
	}
}

func TestUnknownClientsLeaveMemoryToKnownOnes(t *testing.T) {
	t.Parallel()
	s := serve(t, limits.Options{Bytes: 2 << 20}, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Session") != "" {
			r.Body.(interface{ Known() }).Known()
		}
		read(w, r)
	})
	for i := range 8 {
		s.upload(t, fmt.Sprintf("127.0.0.%d", i+2), 400<<10)
	}
	eventually(t, "the share of strangers to be full", func() bool { return s.limits.Use() > 1400<<10 })
	c := s.dial(t, "127.0.0.2")
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nSession: ann\r\nContent-Length: 150000\r\n\r\n%s", strings.Repeat("x", 150_000))
	if got := status(c); got != http.StatusOK {
		t.Errorf("a known client got %d", got)
	}
}

func TestMemoryIsGivenBack(t *testing.T) {
	t.Parallel()
	s := serve(t, limits.Options{Bytes: 1 << 20}, read)
	for range 5 {
		c := s.upload(t, "127.0.0.2", 300<<10)
		eventually(t, "the memory to be used", func() bool { return s.limits.Use() > 0 })
		c.Close()
		eventually(t, "the memory to be free", func() bool { return s.limits.Use() == 0 })
	}
}

func TestHeadersTakeMemory(t *testing.T) {
	s := serve(t, limits.Options{Bytes: 1 << 20}, ok)
	first := s.dial(t, "127.0.0.2")
	long := "GET / HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("a:\r\n", 6000)
	_, _ = io.WriteString(first, long)
	eventually(t, "the memory to be used", func() bool { return s.limits.Use() >= 16*16<<10 })
	ended := make(chan struct{}, 5)
	for i := range 5 {
		c := first
		if i > 0 {
			c = s.dial(t, fmt.Sprintf("127.0.0.%d", i+2))
			_, _ = io.WriteString(c, long)
		}
		go func() {
			_, _ = io.Copy(io.Discard, c)
			ended <- struct{}{}
		}()
	}
	select {
	case <-ended: // whichever came last
	case <-time.After(time.Minute):
		t.Error("all connections are open")
	}
	if got := s.limits.Use(); got > 1<<20 {
		t.Errorf("%d bytes are in use", got)
	}
	if got := get(s.dial(t, "127.0.0.9")); got != http.StatusOK {
		t.Errorf("a request with a short header got %d", got)
	}
	first.Close()
}

func TestWorkIsLimitedPerClientAndInTotal(t *testing.T) {
	reg := prometheus.NewRegistry()
	w := limits.NewWork(reg)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var held []func()
	for { // all processors
		short, stop := context.WithTimeout(ctx, 10*time.Millisecond)
		done, err := w.Begin(short, "")
		stop()
		if err != nil {
			break
		}
		held = append(held, done)
	}
	ended := make(chan error, 100)
	for i := range 40 {
		go func() {
			done, err := w.Begin(ctx, fmt.Sprint("client ", i%20))
			if err == nil {
				done()
			}
			ended <- err
		}()
	}
	for range 40 - 16 {
		if err := <-ended; !errors.Is(err, feed.ErrUnavailable) {
			t.Errorf("one of too many tasks ended with %v", err)
		}
	}
	if err := testutil.GatherAndCompare(reg, strings.NewReader(`
# HELP feedwire_work_refused_total Tasks such as sign-ins and imports that found no processor.
# TYPE feedwire_work_refused_total counter
feedwire_work_refused_total 24
`)); err != nil {
		t.Error(err)
	}
	for _, done := range held {
		done()
	}
	for range 16 {
		if err := <-ended; err != nil {
			t.Errorf("a waiting task ended with %v", err)
		}
	}
	done, err := w.Begin(ctx, "ann")
	if err != nil {
		t.Fatal(err)
	}
	done()
}
