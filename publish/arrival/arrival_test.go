package arrival_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/arrival"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serving starts a server that answers with size bytes and calls answered after each response, with false if it could not be
// written.
func serving(t *testing.T, w *arrival.Watcher, size int, answered func(c *arrival.Conn, ok bool)) *httptest.Server {
	t.Helper()
	body := make([]byte, size)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Length", fmt.Sprint(size))
		_, err := rw.Write(body)
		err = errors.Join(err, http.NewResponseController(rw).Flush())
		answered(arrival.Of(r), err == nil)
	}))
	s.Listener, s.Config.ConnContext = w.Listener(s.Listener), w.ConnContext
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func TestNextRequestProvesArrival(t *testing.T) {
	delivered, awaited := make(chan bool, 2), make(chan struct{}, 2)
	s := serving(t, arrival.NewWatcher(time.Minute), 100, func(c *arrival.Conn, _ bool) {
		c.Await(func(ok bool) { delivered <- ok })
		awaited <- struct{}{}
	})
	client := s.Client()
	for range 2 {
		resp, err := client.Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		<-awaited // a request that comes before proves nothing
	}
	if !<-delivered {
		t.Error("the first response is lost, want it delivered")
	}
	client.CloseIdleConnections()
	select {
	case <-delivered:
		t.Error("the second response counts at once, although the client may have left without reading it")
	case <-time.After(50 * time.Millisecond):
	}
}

func TestConnectionClosedBelowProvesNothing(t *testing.T) {
	delivered := make(chan bool, 1)
	s := serving(t, arrival.NewWatcher(50*time.Millisecond), 100, func(c *arrival.Conn, _ bool) {
		c.Await(func(ok bool) { delivered <- ok })
		c.Conn.Close()
	})
	resp, err := s.Client().Get(s.URL)
	if err == nil {
		resp.Body.Close()
	}
	if <-delivered {
		t.Error("the response counts, although its connection was closed before the client could prove that it read it")
	}
}
