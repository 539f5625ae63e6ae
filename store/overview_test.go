package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// overview is what the first page of the desk reads.
type overview struct {
	feed.SourceStates
	feed.OutboxState
	Feeds   []feed.OutgoingState
	Hub     feed.HubState
	Signals []feed.Signal
	Imports []feed.Job
	Minutes []feed.Minute
	Redis   feed.RedisState
}

func readOverview(t *testing.T, s *store.Store, now time.Time) (view overview) {
	t.Helper()
	var errs [8]error
	view.SourceStates, errs[0] = s.Sources.SourceStates(t.Context(), 3, 2, now.Add(-5*time.Minute))
	view.OutboxState, errs[1] = s.Signals.OutboxState(t.Context())
	view.Feeds, errs[2] = s.Articles.FeedStates(t.Context(), types, 5)
	view.Hub, errs[3] = s.Hub.HubState(t.Context())
	view.Signals, _, errs[4] = s.Signals.FindSignals(t.Context(), feed.SignalQuery{Limit: 5})
	view.Imports, errs[5] = s.Ops.Jobs(t.Context(), 5)
	view.Minutes, errs[6] = s.Ops.Minutes(t.Context())
	view.Redis, errs[7] = s.Ops.RedisState(t.Context())
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return view
}

// polled ends polls of these sources, each with so many failures in a row.
func polled(t *testing.T, s *store.Store, now time.Time, failures map[string]int) {
	t.Helper()
	for url := range failures {
		if _, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: url}); err != nil {
			t.Fatal(err)
		}
	}
	claims, err := s.Sources.ClaimSources(t.Context(), len(failures), time.Minute)
	if err != nil || len(claims) != len(failures) {
		t.Fatalf("claimed %d, %v", len(claims), err)
	}
	for _, c := range claims {
		state := feed.PollState{Errors: failures[c.Source.URL], NextPoll: now.Add(time.Hour)}
		if state.Errors > 0 {
			state.ErrorClass, state.ErrorText = "timeout", "no answer"
		}
		state.Gone = state.Errors > 100
		if err := s.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: state, Poll: feed.Poll{Time: now, Class: state.ErrorClass}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOverviewOfNothing(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		view := readOverview(t, s, now.Time)
		if view.Alarms+view.Late+view.Stored+view.Hub.Subscriptions != 0 || !view.OldestPending.IsZero() || view.Redis.WriteError != "" {
			t.Errorf("got %+v", view)
		}
		if len(view.Minutes) != feed.OverviewMinutes || len(view.Feeds) != 2 {
			t.Errorf("%d minutes, %d feeds", len(view.Minutes), len(view.Feeds))
		}
	})
}

func TestOverviewCountsSourcesByTheirState(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		const well, gone, bad, worse, worst = "http://a.example/", "http://b.example/", "http://c.example/", "http://d.example/", "http://e.example/"
		polled(t, s, now.Time, map[string]int{well: 0, gone: 101, bad: 1, worse: 3, worst: 8})
		names := func(view overview) (urls []string) {
			for i := range view.Alarming {
				urls = append(urls, view.Alarming[i].URL)
			}
			return urls
		}
		view := readOverview(t, s, now.Time)
		want := map[feed.SourceState]int{feed.SourceActive: 1, feed.SourceFailing: 3, feed.SourceGone: 1, feed.SourcePaused: 0}
		if !cmp.Equal(view.Sources, want) || view.Alarms != 3 || !cmp.Equal(names(view), []string{gone, worst}) {
			t.Errorf("got %v, %d alarms, of them %v", view.Sources, view.Alarms, names(view))
		}
		if view.Alarming[1].Poll.Errors != 8 || view.Alarming[1].Poll.ErrorText != "no answer" {
			t.Errorf("it is not told why: %+v", view.Alarming[1].Poll)
		}
		if m := view.Minutes[feed.OverviewMinutes-1]; m.Polls != 5 || m.Failed != 4 || m.Signals != 5 {
			t.Errorf("this minute: %+v", m)
		}

		if err := s.Sources.SetPaused(t.Context(), feed.SourceID(worst), true, 0); err != nil {
			t.Fatal(err)
		}
		if err := s.Sources.PollSource(t.Context(), feed.SourceID(gone), 0); err != nil { // it gets another chance
			t.Fatal(err)
		}
		if err := s.Sources.RemoveSource(t.Context(), feed.SourceID(bad), 0); err != nil {
			t.Fatal(err)
		}
		view = readOverview(t, s, now.Time)
		want = map[feed.SourceState]int{feed.SourceActive: 1, feed.SourceFailing: 2, feed.SourceGone: 0, feed.SourcePaused: 1}
		if !cmp.Equal(view.Sources, want) {
			t.Errorf("then got %v", view.Sources)
		}
		now.Advance(2 * time.Hour)
		if view = readOverview(t, s, now.Time); view.Late != 3 {
			t.Errorf("%d polls are late, want 3: the paused one is not", view.Late)
		}

		raw.Of(worst).Do("ZREM", "sched:unwell", worst)
		for _, url := range []string{well, "http://was.example/"} {
			raw.Of(url).Do("ZADD", "sched:unwell", 4, url)
		}
		if n, err := s.Sources.RepairStates(t.Context()); n != 3 || err != nil {
			t.Errorf("mended %d, %v", n, err)
		}
		if n, err := s.Sources.RepairStates(t.Context()); n != 0 || err != nil {
			t.Errorf("mended again %d, %v", n, err)
		}
	})
}

func TestOverviewTellsWhatHappenedByTheMinute(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		var out []feed.Article
		for i := range 3 {
			e := entry(fmt.Sprint("g", i), "T", now.Time)
			if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
				t.Fatal(err)
			}
			a := feed.Article{UUID: feed.ArticleUUID(harbour, e.GUID), FeedURL: harbour, GUID: e.GUID, Title: "T", Digest: e.Digest()}
			if _, err := s.Articles.SaveArticle(t.Context(), a); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second one is the same request again
				if _, err := s.Publish(t.Context(), a.UUID, "production", a.UUID); err != nil {
					t.Fatal(err)
				}
			}
			out = append(out, a)
		}
		published := now.Time
		now.Advance(10 * time.Minute)
		if _, _, err := s.Entries.UpdateOrCreateEntry(t.Context(), harbour, "g1", map[string]string{"title": "Another title"}); err != nil {
			t.Fatal(err)
		}
		for n := range 4 {
			fetch := feed.Fetches{All: []feed.Fetch{{ID: fmt.Sprint("f", n), Times: 1}}, Shown: []feed.Impression{{UUID: out[0].UUID, Revision: 1}}}
			for range 2 {
				if _, err := s.Articles.RecordImpressions(t.Context(), "production", fetch, 4); err != nil {
					t.Fatal(err)
				}
			}
		}
		view := readOverview(t, s, now.Time)
		var filled []feed.Minute
		for _, m := range view.Minutes {
			if m != (feed.Minute{}) {
				filled = append(filled, m)
			}
		}
		want := []feed.Minute{{Created: 3, Signals: 3, Published: 3}, {Modified: 1, Signals: 1, Impressions: 4, Imported: 1}}
		if diff := cmp.Diff(want, filled); diff != "" {
			t.Errorf("other minutes (-want +got):\n%s", diff)
		}
		if again := readOverview(t, s, now.Time); !cmp.Equal(again.Minutes, view.Minutes) {
			t.Error("a second look tells of other minutes")
		}
		if view.Minutes[feed.OverviewMinutes-11].Created != 3 {
			t.Error("the first ones are not ten minutes back")
		}
		if view.Stored != 4 || len(view.Signals) != 4 || view.Signals[0].Post == nil || view.Signals[0].Post.Title != "Another title" {
			t.Errorf("%d signals are kept, the newest %+v", view.Stored, view.Signals[0])
		}
		f := view.Feeds[0]
		if f.Articles[feed.StatePublished] != 2 || !f.Changed.Equal(now.Time) || !f.Oldest.Equal(published) {
			t.Errorf("production is %+v", f)
		}
		found, err := s.Articles.Articles(t.Context(), []string{out[0].UUID, "none", out[1].UUID}, types)
		if err != nil || len(found) != 2 || found[0].StateIn("production") != feed.StateImported || found[1].StateIn("production") != feed.StatePublished {
			t.Errorf("the articles are %+v, %v", found, err)
		}
		if !view.Feeds[1].Changed.IsZero() {
			t.Errorf("development changed at %v", view.Feeds[1].Changed)
		}
		if ttl := raw.Int("TTL", fmt.Sprint("activity:", published.Unix()/60)); ttl <= 0 || ttl > 7200 {
			t.Errorf("minutes are kept for %d s", ttl)
		}
	})
}

func TestOverviewTellsWhatIsLeftToDo(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		if err := s.Ops.StartJob(t.Context(), feed.Job{ID: "j", State: feed.JobWaiting, Total: 7, Created: now.Time, Updated: now.Time}, nil, 5); err != nil {
			t.Fatal(err)
		}
		e := entry("g", "T", now.Time)
		if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
		signals, err := s.Signals.NextSignals(t.Context(), "intake", "one", 5, 0)
		if err != nil || len(signals) != 1 {
			t.Fatalf("read %d, %v", len(signals), err)
		}
		view := readOverview(t, s, now.Time)
		if view.OldestPending.IsZero() || len(view.Imports) != 1 || view.Imports[0].Total != 7 {
			t.Errorf("a signal that is not acknowledged: %v; imports %+v", view.OldestPending, view.Imports)
		}
		if err := s.Signals.AckSignals(t.Context(), "intake", signals[0].ID); err != nil {
			t.Fatal(err)
		}
		if view = readOverview(t, s, now.Time); !view.OldestPending.IsZero() {
			t.Errorf("all is handled, and something waits since %v", view.OldestPending)
		}
		e = entry("g2", "T", now.Time)
		if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
		if view = readOverview(t, s, now.Time); view.OldestPending.IsZero() {
			t.Error("an unread signal does not wait")
		}
	})
}

func TestOverviewTellsThatRedisTakesNoWrites(t *testing.T) {
	redis := storetest.Redis(t)
	s, raw := open(t, store.Options{Dial: redis}), commands(t, redis)
	view := readOverview(t, s, time.Now())
	if view.Redis.WriteError != "" || view.Redis.MemoryUsed == 0 || view.Redis.MemoryLimit != 0 {
		t.Errorf("a server that is well: %+v", view.Redis)
	}
	raw.Do("CONFIG", "SET", "maxmemory", "1")
	if view = readOverview(t, s, time.Now()); view.Redis.WriteError != string(core.ClassOOM) || view.Redis.MemoryLimit != 1 {
		t.Errorf("a server that is full: %+v", view.Redis)
	}
}
