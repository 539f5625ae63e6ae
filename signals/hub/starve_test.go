package hub_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// siege is a hub at a socket. Callbacks below hanging.example never respond, and all others confirm.
type siege struct {
	t       *testing.T
	store   store.Nouns
	url     string
	hanging atomic.Int32 // verifications in progress that never end
}

func newSiege(t *testing.T) *siege {
	s := &siege{t: t, store: storetest.New(t, store.Options{Dial: storetest.Redis(t)}).Nouns()}
	ended := make(chan struct{})
	callbacks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.Host, "hanging.example") {
			s.hanging.Add(1)
			<-ended
			return
		}
		_, _ = w.Write([]byte(r.FormValue("hub.challenge")))
	}))
	t.Cleanup(callbacks.Close)
	t.Cleanup(func() { close(ended) })
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, callbacks.Listener.Addr().String())
	}}
	t.Cleanup(transport.CloseIdleConnections)
	known := &topicList{store: s.store, all: map[string]document{harbour: {"text/plain", "a"}}, wake: func() {}}
	front := hub.NewFront(s.store, known, transport, hub.FrontOptions{Timeout: 10 * time.Minute})
	served := httptest.NewServer(front)
	t.Cleanup(served.Close)
	s.url = served.URL
	ctx, cancel := context.WithCancel(t.Context())
	running := make(chan error, 1)
	go func() { running <- front.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-running })
	return s
}

// from returns a client with an address on this machine.
func (s *siege) from(address string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}
}

func (s *siege) subscribe(client *http.Client, callback string, more ...string) {
	s.t.Helper()
	form := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {harbour}, "hub.callback": {callback}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	resp, err := client.PostForm(s.url, form)
	if err != nil {
		s.t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusAccepted {
		s.t.Fatalf("%s got %d", callback, resp.StatusCode)
	}
}

// awaitLease waits until a subscription has a lease, and logs the time that it took.
func (s *siege) awaitLease(callback string, lease time.Duration) {
	s.t.Helper()
	start := time.Now()
	eventually(s.t, callback+" is subscribed", func() bool {
		sub, err := s.store.Subscription(s.t.Context(), feed.SubscriptionID(harbour, callback))
		return err == nil && sub.Lease == lease
	})
	s.t.Logf("%s: verified within %v", callback, time.Since(start).Round(time.Millisecond))
}

// None of the verifications that hang ends during these tests, so that every slot they get is lost.
func TestHangingCallbacksOfOneClientDelayNoOther(t *testing.T) {
	t.Parallel()
	s := newSiege(t)
	attacker := s.from("127.0.0.2")
	for n := range 1000 {
		s.subscribe(attacker, fmt.Sprintf("http://n%d.hanging.example/", n))
	}
	other := s.from("127.0.0.1")
	const callback = "http://reader.example/"
	s.subscribe(other, callback)
	s.awaitLease(callback, 10*24*time.Hour)
	if n := s.hanging.Load(); n > 16 {
		t.Errorf("the attacker has %d concurrent verifications", n)
	}
}

func TestHangingCallbacksOfOneNetworkDelayNoOther(t *testing.T) {
	t.Parallel()
	s := newSiege(t)
	for address := 1; address < 9; address++ {
		attacker := s.from(fmt.Sprintf("127.0.9.%d", address))
		for n := range 20 {
			s.subscribe(attacker, fmt.Sprintf("http://n%d-%d.hanging.example/", address, n))
		}
	}
	eventually(t, "the network has its slots", func() bool { return s.hanging.Load() == 32 })
	const callback = "http://reader.example/"
	s.subscribe(s.from("127.0.0.1"), callback)
	s.awaitLease(callback, 10*24*time.Hour)
	if n := s.hanging.Load(); n != 32 {
		t.Errorf("the network has %d concurrent verifications", n)
	}
}

func TestHangingCallbacksOnNewHostsDelayNoKnownHost(t *testing.T) {
	t.Parallel()
	s := newSiege(t)
	const callback = "http://reader.example/"
	reader := s.from("127.0.0.1")
	s.subscribe(reader, callback)
	s.awaitLease(callback, 10*24*time.Hour)
	for network := 2; network < 12; network++ {
		attacker := s.from(fmt.Sprintf("127.0.%d.1", network))
		for n := range 50 {
			s.subscribe(attacker, fmt.Sprintf("http://n%d-%d.hanging.example/", network, n))
		}
	}
	eventually(t, "all slots of new hosts are lost", func() bool { return s.hanging.Load() == 64 })
	s.subscribe(reader, callback+"second")
	s.awaitLease(callback+"second", 10*24*time.Hour)
	s.subscribe(reader, callback, "hub.lease_seconds", "7200")
	s.awaitLease(callback, 2*time.Hour)
}
