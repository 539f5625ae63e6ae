package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestListSourcesTellsWhatAListShows(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		for _, url := range []string{"https://b.example/", "https://a.example/", harbour} {
			src := feed.Source{
				URL: url, Feeds: []string{"production"}, Publish: feed.PublishAuto, Interval: time.Hour, Categories: []string{"News"},
				About: feed.About{Title: "The " + url}, Paused: url == harbour, Request: feed.Request{Password: "s3cret", Username: "ann"},
			}
			if _, _, err := s.AddSource(t.Context(), src); err != nil {
				t.Fatal(err)
			}
		}
		listed, err := s.ListSources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		whole, err := s.Sources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range whole {
			whole[i].Request = feed.Request{}
		}
		if diff := cmp.Diff(whole, listed); diff != "" {
			t.Errorf("the list tells otherwise (-want +got):\n%s", diff)
		}
	})
}

func TestSourceWithEntriesIsTheSourceAndItsHeadlines(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := claim(t, s)
		doc := feed.Document{Entries: []feed.Entry{entry("a", "A", now.now), entry("b", "B", now.now.Add(time.Minute))}}
		if _, err := s.SaveEntries(t.Context(), c, doc); err != nil {
			t.Fatal(err)
		}
		want, err := s.Source(t.Context(), c.Source.ID)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time its URL is known
			got, entries, err := s.SourceWithEntries(t.Context(), c.Source.ID, 5)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("another source (-want +got):\n%s", diff)
			}
			if len(entries) != 2 || entries[0].Title != "B" || entries[0].Content != "" {
				t.Errorf("got entries %+v", entries)
			}
		}
		if err := s.RemoveSource(t.Context(), c.Source.ID, 0); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.SourceWithEntries(t.Context(), c.Source.ID, 5); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("of a removed source: %v", err)
		}
	})
}

func TestRemovedSourceComesBackAsItWas(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		src := feed.Source{
			URL: harbour, Feeds: []string{"production"}, Publish: feed.PublishAuto, Interval: time.Hour, Categories: []string{"News"},
			About: feed.About{Title: "Harbour", Link: "http://harbour.example/"}, Paused: true, IgnoreUpdates: true,
			Request: feed.Request{Username: "ann", Password: "s3cret", Headers: map[string]string{"X-Key": "k"}},
			Filters: feed.Filters{Keep: []feed.Filter{{Field: "title", Match: "ferry"}}}, Keep: feed.Keep{Entries: 7, For: time.Hour},
		}
		before, _, err := s.AddSource(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.RestoreSource(t.Context(), before.ID); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("restored what was not removed: %v", err)
		}
		if err := s.RemoveSource(t.Context(), before.ID, 0); err != nil {
			t.Fatal(err)
		}
		now.Advance(time.Hour)
		after, err := s.RestoreSource(t.Context(), before.ID)
		if err != nil {
			t.Fatal(err)
		}
		before.Added, before.Edition, before.Poll = after.Added, after.Edition, after.Poll
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("it came back otherwise (-want +got):\n%s", diff)
		}
		if _, err := s.RestoreSource(t.Context(), before.ID); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("restored twice: %v", err)
		}
	})
}

func TestVisitsAreKeptNewestFirst(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		first := feed.Visit{Time: now.now, Client: "facebook", Status: 200, Counted: true}
		second := feed.Visit{Time: now.now.Add(time.Second), Client: "browser", Status: 304}
		if err := s.AddVisits(t.Context(), "production", []feed.Visit{first, second}); err != nil {
			t.Fatal(err)
		}
		states, err := s.FeedStates(t.Context(), []string{"development", "production"}, 10)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]feed.Visit{second, first}, states[1].Visits); diff != "" || states[0].Visits != nil {
			t.Errorf("other visits (-want +got):\n%s", diff)
		}
		if err := s.AddVisits(t.Context(), "production", slices.Repeat([]feed.Visit{first}, feed.VisitsKept+500)); err != nil {
			t.Fatal(err)
		}
		if n := raw.Int("XLEN", "visits:production"); n > feed.VisitsKept+100 {
			t.Errorf("%d visits are kept", n)
		}
	})
}

func TestFeedStateTellsWhatIsOut(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		for i := range 3 {
			e := entry(fmt.Sprint("g", i), fmt.Sprint("T", i), now.now)
			a := feed.Article{UUID: feed.ArticleUUID(harbour, e.GUID), FeedURL: harbour, GUID: e.GUID, Title: e.Title, Digest: e.Digest()}
			if _, err := s.SaveArticle(t.Context(), a); err != nil {
				t.Fatal(err)
			}
			if i < 2 {
				if _, err := s.Publish(t.Context(), a.UUID, "production", ""); err != nil {
					t.Fatal(err)
				}
			}
			now.Advance(time.Minute)
		}
		state, err := s.FeedState(t.Context(), "production", 10, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(state.Out) != 2 || state.Out[0].Title != "T1" || state.Articles[feed.StatePublished] != 2 {
			t.Errorf("got %+v", state)
		}
	})
}

func TestFindSignalsByKindAndSource(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		claim(t, s) // feed_created
		for i := range 4 {
			e := entry(fmt.Sprint("g", i), fmt.Sprint("T", i), now.now)
			if err := s.SaveEntry(t.Context(), &e); err != nil {
				t.Fatal(err)
			}
		}
		titles := func(kinds []feed.SignalKind, text, before string, limit int) (all []string, next string) {
			t.Helper()
			found, next, err := s.FindSignals(t.Context(), feed.SignalQuery{Kinds: kinds, Text: text, Before: before, Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				title := string(f.Kind)
				if f.Post != nil {
					title = f.Post.Title
				}
				all = append(all, title)
			}
			return all, next
		}
		got, next := titles(nil, "", "", 3)
		if diff := cmp.Diff([]string{"T3", "T2", "T1"}, got); diff != "" || next == "" {
			t.Errorf("first page (-want +got), next %q:\n%s", next, diff)
		}
		if got, next = titles(nil, "", next, 3); !slices.Equal(got, []string{"T0", "feed_created"}) || next != "" {
			t.Errorf("second page %v, next %q", got, next)
		}
		if got, _ = titles([]feed.SignalKind{feed.FeedCreated}, "HARBOUR", "", 3); !slices.Equal(got, []string{"feed_created"}) {
			t.Errorf("of one kind: %v", got)
		}
		if got, next = titles([]feed.SignalKind{feed.PostCreated}, "", "", 2); !slices.Equal(got, []string{"T3", "T2"}) || next == "" {
			t.Errorf("page of one kind: %v, %q", got, next)
		}
		if got, next = titles([]feed.SignalKind{feed.PostCreated}, "", next, 2); !slices.Equal(got, []string{"T1", "T0"}) {
			t.Errorf("its second page: %v, %q", got, next)
		}
		if got, _ = titles(nil, "nobody.example", "", 3); len(got) != 0 {
			t.Errorf("of no source: %v", got)
		}
		for name, q := range map[string]feed.SignalQuery{
			"since another time": {Since: time.Now().Add(time.Hour), Limit: 9}, "of another source": {FeedURL: harbour + "x", Limit: 9},
		} {
			if found, next, err := s.FindSignals(t.Context(), q); err != nil || len(found) > 0 || next != "" {
				t.Errorf("%s: %v, %q, %v", name, found, next, err)
			}
		}
		all, _, err := s.FindSignals(t.Context(), feed.SignalQuery{FeedURL: harbour, Since: time.Now().Add(-time.Hour), Limit: 9})
		if err != nil || len(all) != 5 {
			t.Errorf("of the source: %d signals, %v", len(all), err)
		}
		found, _, err := s.FindSignals(t.Context(), feed.SignalQuery{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if one, err := s.Signal(t.Context(), found[0].ID); err != nil || one.Post == nil || one.Post.Content != "<p>T3</p>" {
			t.Errorf("one signal: %+v, %v", one, err)
		}
		if _, err := s.Signal(t.Context(), "1-1"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("no signal: %v", err)
		}
	})
}

func TestHubViewTellsWhatTheListsTell(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		for i := range 3 {
			for _, topic := range []string{harbour, "http://quay.example/"} {
				sub := feed.Subscription{Topic: topic, Callback: fmt.Sprintf("http://c%d.example/", i), Way: feed.WayWebSub, Secret: "s"}
				if err := s.Subscribe(t.Context(), &sub); err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					if err := s.PauseSubscription(t.Context(), sub.ID); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		want, err := s.Subscriptions(t.Context(), feed.TopicID(harbour), "", 2)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i].Next = 0
		}
		view, err := s.HubView(t.Context(), feed.TopicID(harbour), "", 2)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, view.Subscriptions); diff != "" || !view.More || view.Counts.Subscriptions != 6 {
			t.Errorf("other subscriptions (-want +got), %+v:\n%s", view.Counts, diff)
		}
		view, err = s.HubView(t.Context(), "", view.Subscriptions[1].ID, 10)
		if err != nil || view.More || len(view.Topics) != 2 || view.Topics[0].Subscribers != 3 {
			t.Errorf("got %+v, %v", view, err)
		}
		all, err := s.Subscriptions(t.Context(), "", "", 10)
		if err != nil || len(all) != 6 {
			t.Errorf("%d subscriptions, %v", len(all), err)
		}
	})
}
