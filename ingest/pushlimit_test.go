package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// guids returns names of posts.
func guids(name string, count int) []string {
	all := make([]string, count)
	for i := range all {
		all[i] = fmt.Sprint(name, i)
	}
	return all
}

func TestHubThatPushesTooMuchIsRefusedAndTheSourcePolled(t *testing.T) {
	p := pushTo(t, setting{allow: loopback(), pushEntries: 10})
	asked := p.subscribe()
	p.clock.advance(time.Hour)
	p.poll() // planned before the hub was known
	if code := p.deliver(asked, websub.SHA512, p.document(p.hub.URL, guids("a", 8)...)); code != http.StatusAccepted {
		t.Fatalf("8 entries of 10 are answered %d", code)
	}
	p.counts(9)
	body := p.publish(append(guids("a", 8), guids("b", 3)...)...)
	p.clock.advance(20 * time.Second)
	if code := p.deliver(asked, websub.SHA512, body); code != http.StatusTooManyRequests {
		t.Fatalf("3 entries more are answered %d", code)
	}
	p.counts(9)
	limited := p.inState(feed.PushActive)
	if limited.Limited != 1 || !limited.LimitedUntil.Equal(p.clock.Now().Add(40*time.Second)) {
		t.Errorf("the source shows %+v", limited)
	}
	if !p.isDue() || p.source().Poll.NextReason != "its hub pushed more entries in a minute than fetch.push_entries allows" {
		t.Errorf("next poll %v: %s", p.source().Poll.NextPoll, p.source().Poll.NextReason)
	}
	p.clock.advance(time.Second)
	p.poll()
	p.counts(12)
	if got := p.inState(feed.PushActive); got.Missed != 0 {
		t.Errorf("the hub is blamed for %d entries", got.Missed)
	}
	// For the rest of the minute nothing is read, and the source is not polled again.
	p.clock.advance(9 * time.Second)
	code, said, retry := p.push(asked, p.document(p.hub.URL, "c"))
	if code != http.StatusTooManyRequests || retry != "30" || !strings.Contains(said, "polled instead") {
		t.Errorf("another delivery is answered %d %q, Retry-After %s", code, said, retry)
	}
	if p.isDue() {
		t.Error("the source is due again")
	}
	p.counts(12)
	if n := p.delivered("limited"); n != 2 {
		t.Errorf("%v deliveries are counted as limited", n)
	}
	if !strings.Contains(p.log.String(), "the hub pushes too much") {
		t.Errorf("the log does not say so:\n%s", p.log)
	}
	p.clock.advance(31 * time.Second)
	if code := p.deliver(asked, websub.SHA512, p.document(p.hub.URL, "c")); code != http.StatusAccepted {
		t.Errorf("a minute later a delivery is answered %d", code)
	}
	p.counts(13)
}

// What a source may have in a day is used up: neither its hub nor a poll adds more until the limit allows it.
func TestSourceWithTooMuchNewsInADayIsPolledLater(t *testing.T) {
	p := pushTo(t, setting{allow: loopback(), dayEntries: 24}) // one an hour
	asked := p.subscribe()
	p.clock.advance(time.Hour)
	p.poll()
	before := p.redis.Int("ZCARD", p.origin.URL+"/feed:sort")
	if code := p.deliver(asked, websub.SHA512, p.document(p.hub.URL, guids("a", 20)...)); code != http.StatusAccepted {
		t.Fatalf("20 entries are answered %d", code)
	}
	p.counts(before + 20)
	body := p.publish(append(guids("a", 20), guids("b", 30)...)...)
	code, said, retry := p.push(asked, body)
	if wait, _ := strconv.Atoi(retry); code != http.StatusTooManyRequests || wait < 3600 || wait > 24*3600 || !strings.Contains(said, "fetch.day_entries") {
		t.Errorf("30 entries more are answered %d %q, Retry-After %s", code, said, retry)
	}
	due := p.source().Poll.NextPoll
	p.clock.advance(due.Sub(p.clock.Now()))
	p.clock.advance(time.Second)
	p.poll()
	state := p.source().Poll
	if state.ErrorClass != string(feed.FailureDayLimit) || state.NextReason != "when fetch.day_entries allows more entries" {
		t.Errorf("the poll left %+v", state)
	}
	p.counts(before + 20)
	p.clock.advance(state.NextPoll.Sub(p.clock.Now()) + time.Second)
	p.poll()
	if state = p.source().Poll; state.Errors != 0 {
		t.Errorf("the next poll left %+v", state)
	}
	p.counts(before + 50)
}

func TestPushOfKnownEntriesIsNotLimited(t *testing.T) {
	p := pushTo(t, setting{allow: loopback(), pushEntries: 10})
	asked := p.subscribe()
	p.clock.advance(time.Hour)
	body := p.document(p.hub.URL, guids("a", 10)...)
	for range 5 {
		if code := p.deliver(asked, websub.SHA512, body); code != http.StatusAccepted {
			t.Fatalf("answered %d", code)
		}
	}
	p.counts(11)
}

func TestDocumentLargerThanTheLimitIsPolled(t *testing.T) {
	p := pushTo(t, setting{allow: loopback(), pushEntries: 10})
	asked := p.subscribe()
	p.clock.advance(time.Hour)
	body := p.publish(slices.Concat([]string{"1"}, guids("a", 11))...)
	if code, _, retry := p.push(asked, body); code != http.StatusTooManyRequests || retry != "60" {
		t.Fatalf("answered %d, Retry-After %s", code, retry)
	}
	p.counts(1)
	p.poll()
	p.counts(12)
}

func TestClockThatIsSetBackEndsTheLimit(t *testing.T) {
	p := pushTo(t, setting{allow: loopback(), pushEntries: 1})
	asked := p.subscribe()
	p.clock.advance(time.Hour)
	if code := p.deliver(asked, websub.SHA512, p.document(p.hub.URL, "a", "b")); code != http.StatusTooManyRequests {
		t.Fatalf("answered %d", code)
	}
	p.clock.advance(-24 * time.Hour)
	if code := p.deliver(asked, websub.SHA512, p.document(p.hub.URL, "a")); code != http.StatusAccepted {
		t.Errorf("answered %d a day before", code)
	}
}

// outage is a store that cannot look up subscriptions.
type outage struct{ ingest.PushStore }

func (outage) Callback(context.Context, string) (feed.PushSubscription, error) {
	return feed.PushSubscription{}, feed.ErrUnavailable
}

func TestDeliveriesThatTheStoreCannotServeAreLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	reg := prometheus.NewRegistry()
	sub := ingest.NewSubscriber(ingest.New(nil, ingest.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Registerer: reg}), outage{}, "")
	for range 20 {
		w := httptest.NewRecorder()
		sub.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/push/token", http.NoBody))
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Fatalf("got %d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("%d lines:\n%s", n, &log)
	}
	if n := counterValue(t, reg, "feedwire_push_deliveries_total", "error"); n != 20 {
		t.Errorf("%v deliveries are counted", n)
	}
}
