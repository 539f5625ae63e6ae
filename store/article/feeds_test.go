package article_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/article"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func version(t *testing.T, s *article.Store) string {
	t.Helper()
	v, err := s.FeedVersion(t.Context(), "production")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPublishedArticlesAreOrderedByRetirement(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, now *storetest.Clock, _ *storetest.Redigo) {
		var uuids []string
		for _, guid := range []string{"a", "b", "c"} {
			uuids = append(uuids, save(t, s, guid, "1"))
			publish(t, s, uuids[len(uuids)-1], "production")
			now.Advance(time.Minute)
		}
		for _, tt := range []struct {
			retireAfter int
			want        []string
		}{{0, []string{uuids[2], uuids[1]}}, {4, []string{uuids[0], uuids[1]}}} {
			articles, next, err := s.PublishedArticles(t.Context(), "production", now.Time.Add(-time.Hour), tt.retireAfter, 0, 2)
			if err != nil || next != 2 {
				t.Fatalf("got next %d, %v", next, err)
			}
			var got []string
			for _, a := range articles {
				got = append(got, a.UUID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("retire after %d: %s", tt.retireAfter, diff)
			}
		}
	})
}

// A daemon caches the document of a version. A server without the last versions, such as a replica that became the master or one
// that was restored, must not use them for other content.
func TestFeedVersionIsNotReusedAfterFork(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, _ *storetest.Clock, raw *storetest.Redigo) {
		uuid := save(t, s, "g1", "v1")
		publish(t, s, uuid, "production")
		fork := raw.Do("GET", "version:production")
		used := make(map[string]bool)
		for range 20 {
			raw.Do("SET", "version:production", fork)
			for _, change := range []func(*testing.T, *article.Store, string, string) feed.Transition{withdraw, publish} {
				change(t, s, uuid, "production")
				v := version(t, s)
				if used[v] {
					t.Fatalf("version %s was used before: %v", v, used)
				}
				used[v] = true
			}
		}
	})
}

func TestFeedStateHasPublishedArticlesNewestFirst(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, now *storetest.Clock, _ *storetest.Redigo) {
		for _, guid := range []string{"a", "b", "c"} {
			uuid := save(t, s, guid, "v1")
			if guid != "c" {
				publish(t, s, uuid, "production")
			}
			now.Advance(time.Minute)
		}
		state, err := s.FeedState(t.Context(), "production", 10, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(state.Published) != 2 || state.Published[0].GUID != "b" || state.Articles[feed.StatePublished] != 2 {
			t.Errorf("got %+v", state)
		}
	})
}
