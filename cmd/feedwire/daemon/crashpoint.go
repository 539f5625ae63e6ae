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

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/signals/hub"
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

// crashingIngestStore is a store with points.
type crashingIngestStore struct {
	ingestStore
	*crashpoint
}

func crashingIngest(s ingestStore) *crashingIngestStore {
	return &crashingIngestStore{s, newCrashpoint()}
}

// crashingHubStore is a store with points. It hands out small batches of work, so that more is pending at each point.
type crashingHubStore struct {
	engineStore
	*crashpoint
}

func crashingHub(s engineStore) *crashingHubStore { return &crashingHubStore{s, newCrashpoint()} }

// Batch sizes of this build, and the lease of a request.
const (
	planBatch    = 50
	claimBatch   = 20
	requestLease = 3 * time.Second
)

func (m *crashingIngestStore) SaveEntries(ctx context.Context, c feed.Claim, doc feed.Document) (saved feed.Saved, err error) {
	m.around("SaveEntries", func() { saved, err = m.ingestStore.SaveEntries(ctx, c, doc) })
	return saved, err
}

func (m *crashingHubStore) Distribute(ctx context.Context, from, to string, all []feed.Distribution) (err error) {
	if len(all) == 0 {
		return m.engineStore.Distribute(ctx, from, to, all)
	}
	m.around("Distribute", func() { err = m.engineStore.Distribute(ctx, from, to, all) })
	return err
}

func (m *crashingHubStore) Version(ctx context.Context, topic string, version int64) (d feed.Distribution, err error) {
	m.around("Version", func() { d, err = m.engineStore.Version(ctx, topic, version) })
	return d, err
}

func (m *crashingHubStore) PlanDeliveries(ctx context.Context, limit int) (planned int, more bool, err error) {
	planned, more, err = m.engineStore.PlanDeliveries(ctx, min(limit, planBatch))
	if planned > 0 {
		m.at("after PlanDeliveries")
	}
	return planned, more, err
}

func (m *crashingHubStore) ClaimDeliveries(ctx context.Context, w feed.DeliveryClaim) (all []feed.Delivery, after string, next time.Time, err error) {
	w.Limit = min(w.Limit, claimBatch)
	all, after, next, err = m.engineStore.ClaimDeliveries(ctx, w)
	if len(all) > 0 {
		m.at("after ClaimDeliveries")
	}
	return all, after, next, err
}

func (m *crashingHubStore) FinishDeliveries(ctx context.Context, all []feed.DeliveryResult) (lost, again int, err error) {
	m.around("FinishDeliveries", func() { lost, again, err = m.engineStore.FinishDeliveries(ctx, all) })
	return lost, again, err
}

func (m *crashingHubStore) RemoveSubscription(ctx context.Context, d feed.Delivery) (err error) {
	m.around("RemoveSubscription", func() { err = m.engineStore.RemoveSubscription(ctx, d) })
	return err
}

func (m *crashingHubStore) AddHubRequest(ctx context.Context, r feed.HubRequest, most int) (err error) {
	m.around("AddHubRequest", func() { err = m.engineStore.AddHubRequest(ctx, r, most) })
	return err
}

func (m *crashingHubStore) ClaimHubRequests(ctx context.Context, limit int, _ time.Duration) (all []feed.HubRequest, next time.Time, err error) {
	all, next, err = m.engineStore.ClaimHubRequests(ctx, limit, requestLease)
	if len(all) > 0 {
		m.at("after ClaimHubRequests")
	}
	return all, next, err
}

func (m *crashingHubStore) GrantHubRequest(ctx context.Context, r feed.HubRequest, from time.Time) (err error) {
	m.around("GrantHubRequest", func() { err = m.engineStore.GrantHubRequest(ctx, r, from) })
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
	_ delivery.Store   = (*crashingHubStore)(nil)
	_ hub.RequestStore = (*crashingHubStore)(nil)
)
