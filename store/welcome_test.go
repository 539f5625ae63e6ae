package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestNewMemberFollowsTheDefaultSourcesAndHasATimeline(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, raw *storetest.Redigo) {
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		var urls []string
		for i := range 3 {
			src, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: fmt.Sprintf("https://site%d.example/feed", i)})
			must(err)
			urls = append(urls, src.URL)
			must(s.Timelines.AddDefaultFollow(t.Context(), src.URL))
		}
		must(s.Timelines.AddDefaultFollow(t.Context(), "https://removed.example/feed"))
		must(s.Timelines.AddDefaultFollow(t.Context(), urls[0])) // which changes nothing
		must(s.Timelines.RemoveDefaultFollow(t.Context(), urls[2]))
		must(s.People.AddAccount(t.Context(), feed.Account{Name: "mia", Role: feed.RoleMember}))
		for range 2 {
			must(s.WelcomeMember(t.Context(), "mia"))
		}
		mia, err := s.People.Account(t.Context(), "mia")
		must(err)
		follows, err := s.Timelines.Follows(t.Context(), mia.ID)
		must(err)
		var got []string
		for _, f := range follows {
			got = append(got, f.FeedURL)
		}
		if !slices.Equal(got, urls[:2]) {
			t.Errorf("the member follows %v", got)
		}
		if warm := raw.Int("EXISTS", fmt.Sprintf("feed:user:%d:warm", mia.ID)); warm != 1 {
			t.Error("the first page must build the timeline")
		}
		for i := range feed.MaxDefaultFollows - 3 {
			must(s.Timelines.AddDefaultFollow(t.Context(), fmt.Sprintf("https://more%d.example/feed", i)))
		}
		if err := s.Timelines.AddDefaultFollow(t.Context(), urls[2]); err == nil {
			t.Error("there is no bound")
		}
	})
}
