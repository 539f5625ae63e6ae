package ingest_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/store/feed"
)

func TestAdaptiveIntervalFollowsTheRate(t *testing.T) {
	cases := []struct {
		name      string
		every     time.Duration // between posts
		watched   time.Duration
		low, high time.Duration
		says      string
	}{
		{"a post a minute", time.Minute, 60 * 24 * time.Hour, 15 * time.Minute, 15 * time.Minute, "57 posts an hour"},
		{"a post an hour", time.Hour, 60 * 24 * time.Hour, 29 * time.Minute, 32 * time.Minute, "23 posts a day"},
		{"a post a day", 24 * time.Hour, 90 * 24 * time.Hour, 2*time.Hour + 15*time.Minute, 2*time.Hour + 40*time.Minute, "6.7 posts a week"},
		{"a post a week", 7 * 24 * time.Hour, 180 * 24 * time.Hour, 6 * time.Hour, 7 * time.Hour, "posts a week"},
		{"silence", 1000 * 24 * time.Hour, 180 * 24 * time.Hour, 15 * time.Hour, 17 * time.Hour, "posts a week"},
	}
	for _, c := range cases {
		var rate feed.Rate
		for at, next := time.Duration(0), c.every; at < c.watched; at += time.Hour {
			posts := 0
			for ; next <= at; next += c.every {
				posts++
			}
			rate = ingest.Watched(rate, time.Hour, posts)
		}
		got, reason := ingest.Adaptive(rate, 15*time.Minute)
		if got < c.low || got > c.high || !strings.Contains(reason, c.says) {
			t.Errorf("%s: got %v, %s; want %v to %v", c.name, got, reason, c.low, c.high)
		}
	}
}

func TestFirstDocumentTellsTheRate(t *testing.T) {
	var entries []feed.Entry
	for i := range 20 {
		entries = append(entries, feed.Entry{Published: received.Add(-time.Duration(i) * 24 * time.Hour)})
	}
	entries = append(entries, feed.Entry{}, feed.Entry{Published: received.Add(time.Hour)}) // neither tells anything
	got, _ := ingest.Adaptive(ingest.Seeded(entries, received), time.Minute)
	if got < 2*time.Hour || got > 3*time.Hour {
		t.Errorf("a post a day gives %v", got)
	}
	got, _ = ingest.Adaptive(ingest.Seeded(nil, received), time.Minute)
	if got < 3*time.Hour || got > 4*time.Hour {
		t.Errorf("no date gives %v", got)
	}
	old := []feed.Entry{{Published: received.Add(-400 * 24 * time.Hour)}}
	if got, _ := ingest.Adaptive(ingest.Seeded(old, received), time.Minute); got < 12*time.Hour {
		t.Errorf("a feed that is silent for a year gives %v", got)
	}
}

func TestHintsOfTheFeedLengthenOnlyWhatIsNotFixed(t *testing.T) {
	cases := []struct {
		name   string
		hints  feed.Hints
		fixed  time.Duration
		floor  time.Duration // of the source
		low    time.Duration // after 2026-03-02 09:00 UTC, a Monday
		high   time.Duration
		reason string
	}{
		{"nothing", feed.Hints{}, 0, 0, 2 * time.Hour, 4 * time.Hour, "adaptive"},
		{"shorter than the interval", feed.Hints{Interval: feed.Duration(time.Minute)}, 0, 0, 2 * time.Hour, 4 * time.Hour, "adaptive"},
		{"longer", feed.Hints{Interval: feed.Duration(8 * time.Hour)}, 0, 0, 8 * time.Hour, 8 * time.Hour, "the feed asks for"},
		{"beyond a day", feed.Hints{Interval: feed.Duration(800 * time.Hour)}, 0, 0, 24 * time.Hour, 24 * time.Hour, "the feed asks for"},
		{"hours to skip", feed.Hints{SkipHours: 1<<11 | 1<<12 | 1<<13 | 1<<14}, 0, 0, 6 * time.Hour, 7 * time.Hour, "skips"},
		{"today", feed.Hints{SkipDays: 1 << time.Monday}, 0, 0, 15 * time.Hour, 16 * time.Hour, "skips"},
		{"every hour and every day", feed.Hints{SkipHours: 1<<24 - 1, SkipDays: 1<<7 - 1}, 0, 0, 2 * time.Hour, 4 * time.Hour, "adaptive"},
		{"fixed", feed.Hints{Interval: feed.Duration(8 * time.Hour), SkipDays: 1 << time.Monday}, time.Hour, 0, time.Hour, time.Hour, "interval"},
		{"a floor of its own", feed.Hints{}, 0, 5 * time.Hour, 5 * time.Hour, 5 * time.Hour, "adaptive"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)))
				store := newMemory("http://a.example/")
				source := store.sources["http://a.example/"]
				source.Interval, source.Request.MinInterval = c.fixed, c.floor
				source.Poll.ETag, source.Poll.Validated, source.Poll.Hints = `"1"`, source.URL, c.hints
				source.Poll.LastDocument, source.Poll.LastOK, source.Poll.LastFull = time.Now(), time.Now(), time.Now()
				stop := start(t, store, ingest.Options{}, func(r *http.Request) (*http.Response, error) {
					return answers(r, 304, nil, "")
				})
				begun := time.Now()
				state := store.next(t)
				stop()
				if d := state.NextPoll.Sub(begun); d < c.low || d > c.high || !strings.Contains(state.NextReason, c.reason) {
					t.Errorf("next after %v, %s; want %v to %v, %s", d, state.NextReason, c.low, c.high, c.reason)
				}
			})
		})
	}
}

func TestNewerParserReadsEveryDocumentOnceMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newMemory("http://a.example/")
		var conditional []bool
		in := ingest.New(store, ingest.Options{Interval: 10 * time.Hour})
		in.SetJitter(0)
		in.SetTransport(network(func(r *http.Request) (*http.Response, error) {
			conditional = append(conditional, r.Header.Get("If-None-Match") != "")
			if conditional[len(conditional)-1] {
				return answers(r, 304, nil, "")
			}
			return answers(r, 200, http.Header{"Etag": {`"1"`}}, rss("<item><guid>1</guid></item>"))
		}))
		live(t, in, store, 11*time.Hour)
		store.mu.Lock()
		store.sources["http://a.example/"].Poll.Generation = -1 // as if an older parser had read it
		store.mu.Unlock()
		live(t, in, store, 30*time.Hour)
		if got := conditional; len(got) != 5 || got[0] || !got[1] || !got[2] || got[3] || !got[4] {
			t.Errorf("conditional: %v; want one more full request, a day after the last", got)
		}
	})
}
