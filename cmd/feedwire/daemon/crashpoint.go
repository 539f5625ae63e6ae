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

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
)

// This build kills itself with SIGKILL when it reaches a point for the n-th time, as in CRASH_AT="before POST:20". Points are
// before and after calls to the store and requests to callbacks. Calls without work do not count.

// crashPoint is the point at which this process dies, crashLeft how often it is reached until then. 0: it never dies.
var crashPoint, crashLeft = readCrashPoint()

func readCrashPoint() (string, *atomic.Int32) {
	name, nth, _ := strings.Cut(os.Getenv("CRASH_AT"), ":")
	n, _ := strconv.ParseInt(nth, 10, 32)
	left := new(atomic.Int32)
	left.Store(int32(n))
	return name, left
}

// reach reaches a point.
func reach(point string) {
	if point == crashPoint && crashLeft.Add(-1) == 0 {
		fmt.Fprintln(os.Stderr, "crash", point)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

// around reaches the point before a call, and returns a function that reaches the point after it.
func around(call string) (after func()) {
	reach("before " + call)
	return func() { reach("after " + call) }
}

// crashingStore is a store with points. It hands out small batches of work, so that more is pending at each point.
type crashingStore struct{ store.Nouns }

func crashing(s store.Nouns) crashingStore { return crashingStore{s} }

// Batch sizes of this build, and the lease of a request.
const (
	planBatch    = 50
	claimBatch   = 20
	requestLease = 3 * time.Second
)

func (m crashingStore) SaveEntries(ctx context.Context, c feed.Claim, doc feed.Document) (feed.Saved, error) {
	defer around("SaveEntries")()
	return m.Nouns.SaveEntries(ctx, c, doc)
}

func (m crashingStore) Distribute(ctx context.Context, step feed.HubStep, all []feed.Distribution) error {
	if len(all) > 0 {
		defer around("Distribute")()
	}
	return m.Nouns.Distribute(ctx, step, all)
}

func (m crashingStore) Version(ctx context.Context, topic string, version int64) (feed.Distribution, error) {
	defer around("Version")()
	return m.Nouns.Version(ctx, topic, version)
}

func (m crashingStore) PlanDeliveries(ctx context.Context, limit int) (planned int, more bool, err error) {
	planned, more, err = m.Nouns.PlanDeliveries(ctx, min(limit, planBatch))
	if planned > 0 {
		reach("after PlanDeliveries")
	}
	return planned, more, err
}

func (m crashingStore) ClaimDeliveries(ctx context.Context, w feed.DeliveryClaim) (all []feed.Delivery, after string, next time.Time, err error) {
	w.Limit = min(w.Limit, claimBatch)
	all, after, next, err = m.Nouns.ClaimDeliveries(ctx, w)
	if len(all) > 0 {
		reach("after ClaimDeliveries")
	}
	return all, after, next, err
}

func (m crashingStore) FinishDeliveries(ctx context.Context, all []feed.DeliveryResult) (lost, again int, err error) {
	defer around("FinishDeliveries")()
	return m.Nouns.FinishDeliveries(ctx, all)
}

func (m crashingStore) RemoveSubscription(ctx context.Context, d feed.Delivery) error {
	defer around("RemoveSubscription")()
	return m.Nouns.RemoveSubscription(ctx, d)
}

func (m crashingStore) AddHubRequest(ctx context.Context, r feed.HubRequest, most int) error {
	defer around("AddHubRequest")()
	return m.Nouns.AddHubRequest(ctx, r, most)
}

func (m crashingStore) ClaimHubRequests(ctx context.Context, limit int, _ time.Duration) (all []feed.HubRequest, next time.Time, err error) {
	all, next, err = m.Nouns.ClaimHubRequests(ctx, limit, requestLease)
	if len(all) > 0 {
		reach("after ClaimHubRequests")
	}
	return all, next, err
}

func (m crashingStore) GrantHubRequest(ctx context.Context, r feed.HubRequest, from time.Time) error {
	defer around("GrantHubRequest")()
	return m.Nouns.GrantHubRequest(ctx, r, from)
}

func (m crashingStore) TakeDownEntry(ctx context.Context, id string) (feed.Entry, error) {
	defer around("TakeDownEntry")()
	return m.Nouns.TakeDownEntry(ctx, id)
}

func (m crashingStore) RemoveArticle(ctx context.Context, uuid string) error {
	defer around("RemoveArticle")()
	return m.Nouns.RemoveArticle(ctx, uuid)
}

func (m crashingStore) RemoveChanges(ctx context.Context, deleted []feed.Signal) error {
	defer around("RemoveChanges")()
	return m.Nouns.RemoveChanges(ctx, deleted)
}

func (m crashingStore) RedactVersions(
	ctx context.Context, topic, entry string, before int64, redact func([]byte) ([]byte, error),
) (int64, error) {
	defer around("RedactVersions")()
	return m.Nouns.RedactVersions(ctx, topic, entry, before, redact)
}

func (m crashingStore) PlanFanout(ctx context.Context, signals []feed.Signal) error {
	defer around("PlanFanout")()
	return m.Nouns.PlanFanout(ctx, signals)
}

func (m crashingStore) ApplyChunk(ctx context.Context, c feed.Chunk) (int, error) {
	defer around("ApplyChunk")()
	return m.Nouns.ApplyChunk(ctx, c)
}

func (m crashingStore) FinishChunk(ctx context.Context, c feed.Chunk) error {
	defer around("FinishChunk")()
	return m.Nouns.FinishChunk(ctx, c)
}

// crashingWire is a transport with points before a request, after the request was written, and after the response.
type crashingWire struct{ *http.Transport }

func crashingTransport(t *http.Transport) crashingWire { return crashingWire{t} }

func (m crashingWire) RoundTrip(req *http.Request) (*http.Response, error) {
	defer around(req.Method)()
	return m.Transport.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { reach("amid " + req.Method) },
	})))
}
