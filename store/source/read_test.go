package source_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestListSourcesReturnsWhatAListShows(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		for _, url := range []string{"https://b.example/", "https://a.example/", harbour} {
			src := feed.Source{
				URL: url, Feeds: []string{"production"}, Publish: feed.PublishAuto, Interval: time.Hour, Categories: []string{"News"},
				About: feed.About{Title: "The " + url}, Paused: url == harbour, Request: feed.Request{Password: "s3cret", Username: "ann"},
			}
			if _, _, err := s.Sources.AddSource(t.Context(), src); err != nil {
				t.Fatal(err)
			}
		}
		listed, err := s.Sources.ListSources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		whole, err := s.Sources.Sources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range whole {
			whole[i].Request = feed.Request{}
		}
		if diff := cmp.Diff(whole, listed); diff != "" {
			t.Errorf("the list differs (-want +got):\n%s", diff)
		}
	})
}

func TestTitlesByURLLeaveOutSourcesThatDoNotExistOrAreDamaged(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, raw *storetest.Redigo) {
		const named, untitled, removed = "http://named.example/feed", "http://untitled.example/feed", "http://removed.example/feed"
		for url, about := range map[string]feed.About{harbour: {Title: "Damaged"}, named: {Title: "Quay", Link: "http://named.example/"}, untitled: {}, removed: {Title: "Gone"}} {
			added, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: url, About: about})
			if err == nil && url == removed {
				err = s.Sources.RemoveSource(t.Context(), added.ID, 0)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		raw.Do("DEL", harbour+":meta")
		raw.Do("SET", harbour+":meta", "x")
		got, err := s.Sources.TitlesByURL(t.Context(), []string{harbour, named, untitled, removed, "http://never.example/feed"})
		want := map[string]feed.About{named: {Title: "Quay", Link: "http://named.example/"}, untitled: {}}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if got, err := s.Sources.TitlesByURL(t.Context(), nil); len(got) != 0 || err != nil {
			t.Errorf("of no sources: %v, %v", got, err)
		}
		raw.Do("DEL", harbour+":meta")
	})
}

func TestSourcesPageSurvivesChanges(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		ctx := t.Context()
		add := func(name string) {
			if _, _, err := s.Sources.AddSource(ctx, feed.Source{URL: "http://" + name + ".example/"}); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"d", "b", "c", "a", "e"} {
			add(name)
		}
		var got []string
		for next := ""; ; {
			page, following, err := s.Sources.SourcesPage(ctx, next, 2)
			if err != nil || len(page) > 2 {
				t.Fatalf("%d sources, %v", len(page), err)
			}
			for i := range page {
				got = append(got, page[i].URL[7:8])
			}
			if len(got) == 2 { // add sources on both sides of the cursor, and remove the source that it names
				add("0")
				add("bb")
				if err := s.Sources.RemoveSource(ctx, page[1].ID, 0); err != nil {
					t.Fatal(err)
				}
			}
			if next = following; next == "" {
				break
			}
		}
		if want := []string{"a", "b", "b", "c", "d", "e"}; !slices.Equal(got, want) {
			t.Errorf("sources are %v, want %v", got, want)
		}
	})
}
