package ingest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store/feed"
)

func TestPaceTellsWhatDecidesTheInterval(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	daily := feed.PollState{LastDocument: noon, LastPoll: noon, Rate: feed.Rate{Posts: 47.5, Hours: 168}}
	with := func(change func(*feed.Source)) *feed.Source {
		s := &feed.Source{Poll: daily}
		change(s)
		return s
	}
	for _, tt := range []struct {
		name   string
		opts   ingest.Options
		source *feed.Source
		want   []feed.PaceRule
	}{
		{"new", ingest.Options{}, &feed.Source{}, []feed.PaceRule{
			{Name: feed.RuleRate, Text: "not known before the first document", Every: feed.Duration(time.Hour)},
			{Name: feed.RuleFloor, Text: "15m, by fetch.min_interval", Every: feed.Duration(time.Hour)},
		}},
		{"fixed for all", ingest.Options{Interval: time.Hour}, with(func(s *feed.Source) { s.Poll.Hints.Interval = feed.Duration(2 * time.Hour) }), []feed.PaceRule{
			{Name: feed.RuleFixed, Text: "by fetch.interval", Every: feed.Duration(time.Hour)},
		}},
		{"fixed for one, and pushed", ingest.Options{Interval: time.Hour}, with(func(s *feed.Source) {
			s.Interval, s.Push.State = 30*time.Minute, feed.PushActive
		}), []feed.PaceRule{
			{Name: feed.RuleFixed, Text: "chosen for this source", Every: feed.Duration(30 * time.Minute)},
			{Name: feed.RulePush, Text: "its hub pushes: 12 times as long, up to 24h", Every: feed.Duration(6 * time.Hour)},
		}},
		{"adaptive", ingest.Options{}, with(func(s *feed.Source) {
			s.Request.MinInterval, s.Poll.Hints = 3*time.Hour, feed.Hints{Interval: feed.Duration(4 * time.Hour), SkipHours: 0b111 | 1<<23, SkipDays: 1}
		}), []feed.PaceRule{
			{Name: feed.RuleRate, Text: "about 6 posts a day", Every: feed.Duration(time.Hour)},
			{Name: feed.RuleCeiling, Text: "24h", Every: feed.Duration(time.Hour)},
			{Name: feed.RuleFloor, Text: "3h, chosen for this source", Every: feed.Duration(3 * time.Hour)},
			{Name: feed.RuleFeed, Text: "every 4h, by ttl or sy:updatePeriod", Every: feed.Duration(4 * time.Hour)},
			{Name: feed.RuleSkipped, Text: "0:00 to 2:59, 23:00 to 23:59 GMT, Sunday"},
		}},
		{"failing", ingest.Options{Interval: time.Hour}, with(func(s *feed.Source) {
			s.Poll.Errors, s.Poll.Status, s.Poll.FailingSince = 3, 404, noon
		}), []feed.PaceRule{
			{Name: feed.RuleFixed, Text: "by fetch.interval", Every: feed.Duration(time.Hour)},
			{Name: feed.RuleFailures, Text: "3 in a row", Every: feed.Duration(4 * time.Hour)},
		}},
		{"gone", ingest.Options{Interval: time.Hour}, with(func(s *feed.Source) { s.Poll.Errors, s.Poll.GoneSince = 1, noon }), []feed.PaceRule{
			{Name: feed.RuleFixed, Text: "by fetch.interval", Every: feed.Duration(time.Hour)},
			{Name: feed.RuleFailures, Text: "410 Gone is asked once more, then never", Every: feed.Duration(24 * time.Hour)},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ingest.New(newMemory(), tt.opts).Pace(tt.source)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The last rule with a time is what the next poll is scheduled by, but for the spread.
func TestPaceIsWhatPollsAreScheduledBy(t *testing.T) {
	for _, tt := range []struct {
		name  string
		serve http.HandlerFunc
		times int
	}{
		{"failures", http.NotFound, 2},
		{"hint", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `<rss version="2.0"><channel><title>t</title><ttl>900</ttl><item><title>a</title></item></channel></rss>`)
		}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			origin := httptest.NewServer(tt.serve)
			defer origin.Close()
			store := newMemory(origin.URL)
			in := ingest.New(store, ingest.Options{Fetch: fetch.Options{AllowNetworks: loopback()}})
			defer in.Transport().CloseIdleConnections()
			var trace feed.Trace
			for range tt.times {
				trace = traced(t, in, origin.URL)
			}
			var every time.Duration
			for _, r := range in.Pace(trace.After) {
				if r.Every > 0 {
					every = time.Duration(r.Every)
				}
			}
			wait := trace.After.Poll.NextPoll.Sub(trace.After.Poll.LastPoll)
			if wait < every || wait > every+every/10+time.Second {
				t.Errorf("the pace says %v; the next poll is in %v, %s", every, wait, trace.After.Poll.NextReason)
			}
		})
	}
}
