package signal_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestFindSignalsByKindSourceAndTime(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *storetest.Clock, _ *storetest.Redigo) {
		claim(t, s) // feed_created
		save(t, s, now, 4)
		titles := func(kinds []feed.SignalKind, text, before string, limit int) (all []string, next string) {
			t.Helper()
			found, next, err := s.Signals.FindSignals(t.Context(), feed.SignalQuery{Kinds: kinds, Text: text, Before: before, Limit: limit})
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
			if found, next, err := s.Signals.FindSignals(t.Context(), q); err != nil || len(found) > 0 || next != "" {
				t.Errorf("%s: %v, %q, %v", name, found, next, err)
			}
		}
		all, _, err := s.Signals.FindSignals(t.Context(), feed.SignalQuery{FeedURL: harbour, Since: time.Now().Add(-time.Hour), Limit: 9})
		if err != nil || len(all) != 5 {
			t.Errorf("of the source: %d signals, %v", len(all), err)
		}
		found, _, err := s.Signals.FindSignals(t.Context(), feed.SignalQuery{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if one, err := s.Signals.Signal(t.Context(), found[0].ID); err != nil || one.Post == nil || one.Post.Content != "<p>T3</p>" {
			t.Errorf("one signal: %+v, %v", one, err)
		}
		if _, err := s.Signals.Signal(t.Context(), "1-1"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("no signal: %v", err)
		}
	})
}
