package timeline_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const (
	harbour = storetest.Harbour
	yard    = "http://yard.example/feed.xml"
	reader  = int64(404) // the user of most tests
	size    = 10         // of a page
)

// house is a store with sources, users and a fan-out that runs when a test calls drain.
type house struct {
	*store.Store
	t   testing.TB
	now *storetest.Clock
	raw *storetest.Redigo

	metrics prometheus.Gatherer
}

func each(t *testing.T, test func(h *house)) {
	t.Helper()
	eachWith(t, core.Options{}, test)
}

// eachWith is each with ShallowTimelines and PullFollowers of some options.
func eachWith(t *testing.T, with core.Options, test func(h *house)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, opts core.Options, now *storetest.Clock, raw *storetest.Redigo) {
		opts.ShallowTimelines, opts.PullFollowers = with.ShallowTimelines, with.PullFollowers
		registry := prometheus.NewRegistry()
		opts.Registerer = registry
		test(&house{storetest.New(t, opts), t, now, raw, registry})
	})
}

// coldStarts returns how many caches were built.
func (h *house) coldStarts() float64 {
	h.t.Helper()
	return h.counted("feedwire_timeline_cold_starts_total")
}

// exchanges returns how often the store was asked.
func (h *house) exchanges() float64 {
	h.t.Helper()
	return h.counted("feedwire_redis_commands_total")
}

// counted returns the sum of a counter over its labels.
func (h *house) counted(name string) (n float64) {
	h.t.Helper()
	families, err := h.metrics.Gather()
	h.ok(err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name {
				n += m.GetCounter().GetValue()
			}
		}
	}
	return n
}

// ok fails the test if a call failed.
func (h *house) ok(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// save stores an entry of a source and returns its id. The guid makes it unique.
func (h *house) save(feedURL, guid string, at time.Time) string {
	h.t.Helper()
	e := feed.Entry{FeedURL: feedURL, GUID: guid, Title: guid, Timestamp: at}
	h.ok(h.Entries.SaveEntry(h.t.Context(), &e))
	return e.ID
}

// fill stores entries with the guids <from>, …, one second apart, the last of them at the time of the clock.
func (h *house) fill(feedURL string, from, count int) {
	h.t.Helper()
	for i := range count {
		h.save(feedURL, strconv.Itoa(from+i), h.now.Time.Add(time.Duration(i-count+1)*time.Second))
	}
}

func (h *house) follow(user int64, urls ...string) {
	h.t.Helper()
	for _, url := range urls {
		_, err := h.Timelines.Follow(h.t.Context(), user, feed.Follow{FeedURL: url})
		h.ok(err)
	}
}

// drain plans and applies the fan-out of all signals.
func (h *house) drain() {
	h.t.Helper()
	h.plan()
	h.apply(1e9)
}

// plan plans the fan-out of all signals.
func (h *house) plan() {
	h.t.Helper()
	for {
		signals, err := h.Signals.NextSignals(h.t.Context(), "timelines", "test", 100, 0)
		h.ok(err)
		if len(signals) == 0 {
			break
		}
		h.ok(h.Timelines.PlanFanout(h.t.Context(), signals))
		for _, one := range signals {
			h.ok(h.Signals.AckSignals(h.t.Context(), "timelines", one.ID))
		}
	}
}

// apply applies up to so many chunks that wait.
func (h *house) apply(most int) {
	h.t.Helper()
	for most > 0 {
		some, err := h.Timelines.NextChunks(h.t.Context(), "test", min(most, 100), 0)
		h.ok(err)
		if len(some) == 0 {
			return
		}
		for _, c := range some {
			_, err := h.Timelines.ApplyChunk(h.t.Context(), c)
			h.ok(err)
			h.ok(h.Timelines.FinishChunk(h.t.Context(), c))
		}
		most -= len(some)
	}
}

// chunks returns all chunks that wait.
func (h *house) chunks() (all []feed.Chunk) {
	h.t.Helper()
	for {
		some, err := h.Timelines.NextChunks(h.t.Context(), "test", 100, 0)
		h.ok(err)
		if len(some) == 0 {
			return all
		}
		all = append(all, some...)
	}
}

func (h *house) page(after feed.Cursor) feed.TimelinePage {
	h.t.Helper()
	page, err := h.Timelines.Timeline(h.t.Context(), reader, after, size)
	h.ok(err)
	return page
}

// walk returns the titles of all pages after a cursor.
func (h *house) walk(after feed.Cursor) (titles []string) {
	h.t.Helper()
	for {
		page := h.page(after)
		titles = append(titles, titlesOf(page)...)
		if page.Next.IsZero() {
			return titles
		}
		if len(page.Entries) == 0 {
			h.t.Fatal("a page is empty although more follow")
		}
		after = page.Next
	}
}

func titlesOf(page feed.TimelinePage) (titles []string) {
	for _, e := range page.Entries {
		titles = append(titles, e.Title)
	}
	return titles
}

// want fails the test if titles are not these.
func (h *house) want(what string, got []string, want ...string) {
	h.t.Helper()
	if !slices.Equal(got, want) {
		h.t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// down returns the numbers from first down to last, as titles.
func down(first, last int) (titles []string) {
	for i := first; i >= last; i-- {
		titles = append(titles, strconv.Itoa(i))
	}
	return titles
}

// Keys of the reader.
var (
	cacheKey  = fmt.Sprint("feed:user:", reader)
	warmKey   = cacheKey + ":warm"
	followKey = fmt.Sprint("user.follows:", reader)
	markKey   = fmt.Sprint("user.readmark:", reader)
	readKey   = fmt.Sprint("user.read:", reader)
	keepKey   = fmt.Sprint("user.keepunread:", reader)
)

// after returns the cursor of a stored entry.
func after(id string, at time.Time) feed.Cursor {
	return feed.Cursor{Score: float64(at.Unix()), Member: strings.TrimPrefix(id, "Entry:")}
}
