//go:build crashpoints

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
)

// This build kills itself, as kill -9 does, when it comes to a point for the n-th time: CRASH_AT is "before POST:20". The
// points are those before and after the calls that the rooms make at the store and at callbacks. A call counts where there
// was something to do.

// crashpoint is where this process dies.
type crashpoint struct {
	name string
	left atomic.Int32
}

func newCrashpoint() *crashpoint {
	name, nth, _ := strings.Cut(os.Getenv("CRASH_AT"), ":")
	n, _ := strconv.ParseInt(nth, 10, 32) // absent: it dies nowhere
	c := &crashpoint{name: name}
	c.left.Store(int32(n))
	return c
}

// at comes to a point.
func (c *crashpoint) at(point string) {
	if point == c.name && c.left.Add(-1) == 0 {
		fmt.Fprintln(os.Stderr, "crash", point)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

// around makes a call between two points.
func (c *crashpoint) around(name string, call func()) {
	c.at("before " + name)
	call()
	c.at("after " + name)
}

// mortalStore is a store with points. It gives work out in small portions, so that there is more to come at each point.
type mortalStore struct {
	*store.Store
	*crashpoint
}

func mortal(s *store.Store) *mortalStore { return &mortalStore{s, newCrashpoint()} }

// Portions of this build, and how long it claims a request.
const (
	planPortion  = 50
	claimPortion = 20
	requestClaim = 3 * time.Second
)

func (m *mortalStore) SaveEntries(ctx context.Context, c feed.Claim, doc feed.Document) (saved feed.Saved, err error) {
	m.around("SaveEntries", func() { saved, err = m.Store.SaveEntries(ctx, c, doc) })
	return saved, err
}

func (m *mortalStore) Distribute(ctx context.Context, from, to string, all []feed.Distribution) (err error) {
	if len(all) == 0 {
		return m.Store.Distribute(ctx, from, to, all)
	}
	m.around("Distribute", func() { err = m.Store.Distribute(ctx, from, to, all) })
	return err
}

func (m *mortalStore) Version(ctx context.Context, topic string, version int64) (d feed.Distribution, err error) {
	m.around("Version", func() { d, err = m.Store.Version(ctx, topic, version) })
	return d, err
}

func (m *mortalStore) PlanDeliveries(ctx context.Context, limit int) (planned int, more bool, err error) {
	planned, more, err = m.Store.PlanDeliveries(ctx, min(limit, planPortion))
	if planned > 0 {
		m.at("after PlanDeliveries")
	}
	return planned, more, err
}

func (m *mortalStore) ClaimDeliveries(ctx context.Context, w feed.Wanted) (all []feed.Delivery, after string, next time.Time, err error) {
	w.Limit = min(w.Limit, claimPortion)
	all, after, next, err = m.Store.ClaimDeliveries(ctx, w)
	if len(all) > 0 {
		m.at("after ClaimDeliveries")
	}
	return all, after, next, err
}

func (m *mortalStore) SettleDeliveries(ctx context.Context, all []feed.Settlement) (lost, again int, err error) {
	m.around("SettleDeliveries", func() { lost, again, err = m.Store.SettleDeliveries(ctx, all) })
	return lost, again, err
}

func (m *mortalStore) RemoveSubscription(ctx context.Context, d feed.Delivery) (err error) {
	m.around("RemoveSubscription", func() { err = m.Store.RemoveSubscription(ctx, d) })
	return err
}

func (m *mortalStore) AddHubRequest(ctx context.Context, r feed.HubRequest, most int) (err error) {
	m.around("AddHubRequest", func() { err = m.Store.AddHubRequest(ctx, r, most) })
	return err
}

func (m *mortalStore) ClaimHubRequests(ctx context.Context, limit int, _ time.Duration) (all []feed.HubRequest, next time.Time, err error) {
	all, next, err = m.Store.ClaimHubRequests(ctx, limit, requestClaim)
	if len(all) > 0 {
		m.at("after ClaimHubRequests")
	}
	return all, next, err
}

func (m *mortalStore) GrantHubRequest(ctx context.Context, r feed.HubRequest, from time.Time) (err error) {
	m.around("GrantHubRequest", func() { err = m.Store.GrantHubRequest(ctx, r, from) })
	return err
}

// mortalWire is a transport with points: before a request, when it is written but not answered, and after the answer.
type mortalWire struct {
	*http.Transport
	*crashpoint
}

func mortalTransport(t *http.Transport) *mortalWire { return &mortalWire{t, newCrashpoint()} }

func (m *mortalWire) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	ctx := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { m.at("amid " + req.Method) },
	})
	m.around(req.Method, func() { resp, err = m.Transport.RoundTrip(req.WithContext(ctx)) }) //nolint:bodyclose // the caller's
	return resp, err
}

var (
	_ hub.Store        = (*mortalStore)(nil)
	_ hub.RequestStore = (*mortalStore)(nil)
)
