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

func TestHintsOfTheDocumentReachTheSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory("http://a.example/")
		stop := start(t, store, ingest.Options{}, func(r *http.Request) (*http.Response, error) {
			return answers(r, 200, nil, strings.Replace(rss("<item><guid>1</guid></item>"), "<item>",
				"<ttl>480</ttl><skipHours><hour>3</hour></skipHours><skipDays><day>Sunday</day></skipDays><item>", 1))
		})
		state := store.next(t)
		stop()
		want := feed.Hints{Interval: feed.Duration(8 * time.Hour), SkipHours: 1 << 3, SkipDays: 1 << time.Sunday}
		if state.Hints != want || !strings.Contains(state.NextReason, "the feed asks for") && !strings.Contains(state.NextReason, "skips") {
			t.Errorf("got %+v, next by %q", state.Hints, state.NextReason)
		}
	})
}
