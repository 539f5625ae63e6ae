//go:build crashpoints

package daemon

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

// This build kills itself with SIGKILL when it reaches a point for the n-th time, as in CRASH_AT="before POST:20". Points are
// before and after calls to the store and requests to callbacks. Calls without work do not count.

// crashpoint is the point at which this process dies.
type crashpoint struct {
	name string
	left atomic.Int32
}

func newCrashpoint() *crashpoint {
	name, nth, _ := strings.Cut(os.Getenv("CRASH_AT"), ":")
	n, _ := strconv.ParseInt(nth, 10, 32) // absent: it never dies
	c := &crashpoint{name: name}
	c.left.Store(int32(n))
	return c
}

// at reaches a point.
func (c *crashpoint) at(point string) {
	if point == c.name && c.left.Add(-1) == 0 {
		fmt.Fprintln(os.Stderr, "crash", point)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

// around reaches a point before and after a call.
func (c *crashpoint) around(name string, call func()) {
	c.at("before " + name)
	call()
	c.at("after " + name)
}

// crashingStore is a store with points. It hands out small batches of work, so that more is pending at each point.
type crashingStore struct {
	*store.Store
	*crashpoint
}

func crashing(s *store.Store) *crashingStore { return &crashingStore{s, newCrashpoint()} }

// Batch sizes of this build, and the lease of a request.
const (
	planBatch    = 50
	claimBatch   = 20
	requestLease = 3 * time.Second
)

func (m *crashingStore) SaveEntries(ctx context.Context, c feed.Claim, doc feed.Document) (saved feed.Saved, err error) {
	m.around("SaveEntries", func() { saved, err = m.Store.SaveEntries(ctx, c, doc) })
	return saved, err
}

func (m *crashingStore) Distribute(ctx context.Context, from, to string, all []feed.Distribution) (err error) {
	if len(all) == 0 {
		return m.Store.Distribute(ctx, from, to, all)
	}
	m.around("Distribute", func() { err = m.Store.Distribute(ctx, from, to, all) })
	return err
}

func (m *crashingStore) Version(ctx context.Context, topic string, version int64) (d feed.Distribution, err error) {
	m.around("Version", func() { d, err = m.Store.Version(ctx, topic, version) })
	return d, err
}

func (m *crashingStore) PlanDeliveries(ctx context.Context, limit int) (planned int, more bool, err error) {
	planned, more, err = m.Store.PlanDeliveries(ctx, min(limit, planBatch))
	if planned > 0 {
		m.at("after PlanDeliveries")
	}
	return planned, more, err
}

func (m *crashingStore) ClaimDeliveries(ctx context.Context, w feed.DeliveryClaim) (all []feed.Delivery, after string, next time.Time, err error) {
	w.Limit = min(w.Limit, claimBatch)
	all, after, next, err = m.Store.ClaimDeliveries(ctx, w)
	if len(all) > 0 {
		m.at("after ClaimDeliveries")
	}
	return all, after, next, err
}

func (m *crashingStore) FinishDeliveries(ctx context.Context, all []feed.DeliveryResult) (lost, again int, err error) {
	m.around("FinishDeliveries", func() { lost, again, err = m.Store.FinishDeliveries(ctx, all) })
	return lost, again, err
}

func (m *crashingStore) RemoveSubscription(ctx context.Context, d feed.Delivery) (err error) {
	m.around("RemoveSubscription", func() { err = m.Store.RemoveSubscription(ctx, d) })
	return err
}

func (m *crashingStore) AddHubRequest(ctx context.Context, r feed.HubRequest, most int) (err error) {
	m.around("AddHubRequest", func() { err = m.Store.AddHubRequest(ctx, r, most) })
	return err
}

func (m *crashingStore) ClaimHubRequests(ctx context.Context, limit int, _ time.Duration) (all []feed.HubRequest, next time.Time, err error) {
	all, next, err = m.Store.ClaimHubRequests(ctx, limit, requestLease)
	if len(all) > 0 {
		m.at("after ClaimHubRequests")
	}
	return all, next, err
}

func (m *crashingStore) GrantHubRequest(ctx context.Context, r feed.HubRequest, from time.Time) (err error) {
	m.around("GrantHubRequest", func() { err = m.Store.GrantHubRequest(ctx, r, from) })
	return err
}

// crashingWire is a transport with points before a request, after the request was written, and after the response.
type crashingWire struct {
	*http.Transport
	*crashpoint
}

func crashingTransport(t *http.Transport) *crashingWire { return &crashingWire{t, newCrashpoint()} }

func (m *crashingWire) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	ctx := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { m.at("amid " + req.Method) },
	})
	m.around(req.Method, func() { resp, err = m.Transport.RoundTrip(req.WithContext(ctx)) }) //nolint:bodyclose // the caller's
	return resp, err
}

var (
	_ hub.Store        = (*crashingStore)(nil)
	_ hub.RequestStore = (*crashingStore)(nil)
)
