package source_test

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

func TestRestoredSourceHasItsSettings(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		src := feed.Source{
			URL: harbour, Feeds: []string{"production"}, Publish: feed.PublishAuto, Interval: time.Hour, Categories: []string{"News"},
			About: feed.About{Title: "Harbour", Link: "http://harbour.example/"}, Paused: true, IgnoreUpdates: true,
			Request:   feed.Request{Username: "ann", Password: "s3cret", Headers: map[string]string{"X-Key": "k"}},
			Timestamp: feed.TimestampUpdated,
			Filters:   feed.Filters{Keep: []feed.Filter{{Field: "title", Match: "ferry"}}}, Keep: feed.Keep{Entries: 7, For: feed.Duration(time.Hour)},
		}
		before, _, err := s.Sources.AddSource(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Sources.RestoreSource(t.Context(), before.ID); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("restored a source that was not removed: %v", err)
		}
		if err := s.Sources.RemoveSource(t.Context(), before.ID, 0); err != nil {
			t.Fatal(err)
		}
		now.Advance(time.Hour)
		after, err := s.Sources.RestoreSource(t.Context(), before.ID)
		if err != nil {
			t.Fatal(err)
		}
		before.Added, before.Revision, before.Poll = after.Added, after.Revision, after.Poll
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("the restored source differs (-want +got):\n%s", diff)
		}
		if _, err := s.Sources.RestoreSource(t.Context(), before.ID); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("restored twice: %v", err)
		}
	})
}

// A person who saw other settings cannot pause, poll or remove the source, even if it was removed and added again since.
func TestChangeOfAnotherEditionIsRejected(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		ctx := t.Context()
		old, _, err := s.Sources.AddSource(ctx, feed.Source{URL: harbour, Publish: feed.PublishManual})
		if err != nil {
			t.Fatal(err)
		}
		refuses := func(id string, edition int) {
			t.Helper()
			for how, err := range map[string]error{
				"pause": s.Sources.SetPaused(ctx, id, true, edition), "resume": s.Sources.SetPaused(ctx, id, false, edition),
				"poll": s.Sources.PollSource(ctx, id, edition), "remove": s.Sources.RemoveSource(ctx, id, edition),
			} {
				if !errors.Is(err, feed.ErrChanged) {
					t.Errorf("%s: %v", how, err)
				}
			}
		}
		other := old
		other.Publish = feed.PublishAuto
		if other, _, err = s.Sources.AddSource(ctx, other); err != nil {
			t.Fatal(err)
		}
		refuses(old.ID, old.Revision)
		for _, do := range []func() error{
			func() error { return s.Sources.PollSource(ctx, old.ID, other.Revision) },
			func() error { return s.Sources.SetPaused(ctx, old.ID, true, other.Revision) },
			func() error { return s.Sources.RemoveSource(ctx, old.ID, other.Revision+1) },
		} {
			if err := do(); err != nil {
				t.Error(err)
			}
		}
		now.Advance(time.Second)
		back, err := s.Sources.RestoreSource(ctx, old.ID) // with the settings of the successful removal
		if err != nil || back.Publish != feed.PublishAuto {
			t.Errorf("restored as %+v, %v", back, err)
		}
		refuses(old.ID, old.Revision)
	})
}

func TestSettingsOfAnotherEditionAreNotReplaced(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		ctx := t.Context()
		read, _, err := s.Sources.AddSource(ctx, feed.Source{URL: harbour})
		if err != nil || read.Revision == 0 {
			t.Fatalf("edition %d, %v", read.Revision, err)
		}
		mine, theirs := read, read
		theirs.Publish, mine.Interval = feed.PublishAuto, time.Hour
		if _, _, err := s.Sources.AddSource(ctx, theirs); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Sources.AddSource(ctx, mine); !errors.Is(err, feed.ErrChanged) {
			t.Errorf("outdated settings: %v", err)
		}
		now, err := s.Sources.Source(ctx, read.ID)
		if err != nil || now.Publish != feed.PublishAuto || now.Interval != 0 || now.Revision == read.Revision {
			t.Errorf("it is %+v, %v", now, err)
		}
		editions := []int{now.Revision}
		for _, paused := range []bool{true, true, false, false} {
			if err := s.Sources.SetPaused(ctx, read.ID, paused, 0); err != nil {
				t.Fatal(err)
			}
			now, _ = s.Sources.Source(ctx, read.ID)
			editions = append(editions, now.Revision)
		}
		if err := s.Sources.PollSource(ctx, read.ID, 0); err != nil {
			t.Fatal(err)
		}
		now, _ = s.Sources.Source(ctx, read.ID)
		first := editions[0]
		if want := []int{first, first + 1, first + 1, first + 2, first + 2}; !slices.Equal(editions, want) || now.Revision != first+2 {
			t.Errorf("editions are %v and %d, want %v: only changes count", editions, now.Revision, want)
		}
	})
}
