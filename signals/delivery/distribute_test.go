package delivery_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// The new and changed entries of a document are one delivery, whatever else is in the outbox.
func TestOneDocumentIsOneDistribution(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		if _, _, err := d.Sources.AddSource(t.Context(), feed.Source{URL: harbour}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := d.Sources.AddSource(t.Context(), feed.Source{URL: "http://quiet.example/feed"}); err != nil {
			t.Fatal(err)
		}
		claims, err := d.Sources.ClaimSources(t.Context(), 2, time.Minute)
		if err != nil || len(claims) != 2 {
			t.Fatalf("%v, %v", claims, err)
		}
		r := newReader(t, nil)
		d.subscribe(r.callback("/cb"), "secret/cb")
		outlets := []delivery.Outlet{titlesOutlet()}
		d.runWith(outlets, delivery.Options{})
		save := func(titles ...string) {
			t.Helper()
			at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
			for _, c := range claims {
				doc := feed.Document{}
				for i, title := range titles {
					guid := string(rune('a' + i))
					doc.Entries = append(doc.Entries, feed.Entry{FeedURL: c.Source.URL, GUID: guid, Timestamp: at, Title: title, Link: "http://harbour.example/" + guid})
				}
				if _, err := d.Entries.SaveEntries(t.Context(), c, doc); err != nil {
					t.Fatal(err)
				}
			}
		}
		save("one", "two", "three")
		eventually(t, "the first document", func() bool { return len(r.got()) == 1 })
		save("one", "two, changed", "three", "four")
		eventually(t, "the second document", func() bool { return len(r.got()) == 2 })
		for i, want := range [][]string{{"one", "two", "three"}, {"two, changed", "four"}} {
			got := r.got()[i]
			if got.problem != "" {
				t.Error(got.problem)
			}
			if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(got.body), "\n")); diff != "" {
				t.Errorf("delivery %d (-want +got):\n%s", i, diff)
			}
		}
	})
}

func TestServedFeedIsDistributedAfterAChange(t *testing.T) {
	dial := storetest.Redis(t)
	d := newHarness(t, dial)
	r := newReader(t, nil)
	d.subscribe(r.callback("/cb"), "secret/cb")
	documents := make(chan string, 10)
	current := ""
	served := []delivery.Served{{
		Topic: harbour, Get: func(context.Context) (feed.Distribution, error) {
			select {
			case current = <-documents:
			default:
			}
			if current == "" {
				return feed.Distribution{}, errors.New("not yet")
			}
			return feed.Distribution{ContentType: "text/plain", Body: []byte(current)}, nil
		},
	}}
	d.run(delivery.Options{Served: func() []delivery.Served { return served }})
	for i, text := range []string{"one", "two"} {
		documents <- text
		eventually(t, text, func() bool { return len(r.got()) == i+1 })
	}
	if diff := cmp.Diff([]string{"one", "two"}, r.bodies("/cb")); diff != "" {
		t.Error(diff)
	}
}

func TestListIsDistributedAtTheBeginningOfAMinuteAndAfterATakedown(t *testing.T) {
	d := newHarness(t, storetest.Redis(t))
	now := d.Now()
	minute := now.Truncate(time.Minute).Add(2 * time.Minute)
	d.Advance(minute.Add(-2 * time.Second).Sub(now))
	r := newReader(t, nil)
	d.subscribe(r.callback("/cb"), "secret/cb")
	var current atomic.Value
	current.Store("one")
	var early atomic.Bool
	engine, _ := d.run(delivery.Options{Lists: func(context.Context) ([]delivery.Served, error) {
		return []delivery.Served{{Topic: harbour, Get: func(context.Context) (feed.Distribution, error) {
			early.CompareAndSwap(false, d.Now().Before(minute))
			return feed.Distribution{ContentType: "text/plain", Body: []byte(current.Load().(string))}, nil
		}}}, nil
	}})
	eventually(t, "the first minute", func() bool { return len(r.got()) == 1 })
	if early.Load() {
		t.Error("distributed before the minute")
	}
	current.Store("two")
	engine.CheckLists()
	eventually(t, "a takedown", func() bool { return len(r.got()) == 2 })
	if diff := cmp.Diff([]string{"one", "two"}, r.bodies("/cb")); diff != "" {
		t.Error(diff)
	}
}
