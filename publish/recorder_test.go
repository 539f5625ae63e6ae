package publish_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/store/feed"
)

func TestFetchThatCannotBeRecordedDoesNotBlockOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(stories(1)...)
		m.damaged = 1
		text := record(t, m, 2, func(p *publish.Publisher) {
			m.version++ // another document, which is not recorded together with the first
			p.Changed("production")
		})
		if m.total() != 1 || m.records != 2 {
			t.Errorf("got %d impressions in %d tries, want that of the second fetch in 2", m.total(), m.records)
		}
		if !strings.Contains(text, `level=ERROR msg="impressions dropped" feed=production fetches=1 err="WRONGTYPE`) {
			t.Errorf("the log does not tell of the dropped fetch: %s", text)
		}
	})
}

// However many come, they do not wait for one another: those that come while one batch is recorded are the next.
func TestConcurrentFetchesAreRecordedInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(stories(1)...)
		f := production()
		f.RetireAfter = 0
		p := publish.New(m, []feed.Outgoing{f}, publish.Options{})
		run(t, p)
		for range 5000 {
			if w := ask(p, crawler); w.Code != 200 {
				t.Fatalf("got %d", w.Code)
			}
		}
		time.Sleep(100 * time.Millisecond)
		if m.total() != 5000 || m.records > 10 {
			t.Errorf("after 100 ms %d of 5000 fetches are recorded, in %d calls", m.total(), m.records)
		}
	})
}

// hanging is a memory whose first recordings answer nothing until their time is over, and then with its error alone.
type hanging struct {
	*memory
	times int
	ids   []string
}

func (h *hanging) RecordImpressions(ctx context.Context, typ string, fetches feed.Fetches, retireAfter int) (
	feed.ImpressionResult, error,
) {
	h.ids = append(h.ids, fetches.All[0].ID)
	if h.times--; h.times >= 0 {
		<-ctx.Done()
		return feed.ImpressionResult{}, ctx.Err()
	}
	return h.memory.RecordImpressions(ctx, typ, fetches, retireAfter)
}

func TestFailingStoreDoesNotDropAFetch(t *testing.T) {
	t.Run("its time is over", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := &hanging{memory: newMemory(stories(1)...), times: 1}
			text := record(t, h, 1, nil)
			if h.total() != 1 || len(h.ids) != 2 || h.ids[0] != h.ids[1] {
				t.Errorf("got %d impressions by the ids %q, want 1 by the same id twice", h.total(), h.ids)
			}
			if strings.Contains(text, "dropped") {
				t.Errorf("a fetch was dropped: %s", text)
			}
		})
	})
	t.Run("the store refuses for a reason of its own", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := newMemory(stories(1)...)
			m.refusals = 1
			if text := record(t, m, 1, nil); m.total() != 1 || strings.Contains(text, "dropped") {
				t.Errorf("got %d impressions, want 1; log: %s", m.total(), text)
			}
		})
	})
	t.Run("the daemon stops", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			text := record(t, &hanging{memory: newMemory(stories(1)...), times: 1000}, 2, nil)
			if strings.Contains(text, "dropped") || !strings.Contains(text, "fetches=2") {
				t.Errorf("the log does not tell of two fetches lost at the end: %s", text)
			}
		})
	})
}

// record has the consumer fetch a feed a number of times, with a change after each, runs the recorder until it ends, and
// gives what it logged.
func record(t *testing.T, store publish.Store, fetches int, change func(*publish.Publisher)) string {
	t.Helper()
	var log bytes.Buffer
	p := publish.New(store, []feed.Outgoing{production()}, publish.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for range fetches { // nothing records yet
		r := httptest.NewRequest("GET", "/feed/production", nil)
		r.SetPathValue("type", "production")
		r.Header.Set("User-Agent", crawler)
		p.ServeHTTP(httptest.NewRecorder(), r)
		if change != nil {
			change(p)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := p.Run(ctx); err != nil {
		t.Errorf("Run: %v", err)
	}
	return log.String()
}
