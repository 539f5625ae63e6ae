package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestAnswerIsKeptForItsRequest(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, raw *storetest.Redigo) {
		ctx := t.Context()
		claim := func(sum, token string) (feed.Answer, bool, error) { return s.ClaimAnswer(ctx, "id", sum, token) }
		for range 2 { // the second time is what is sent again after the connection has died
			if _, known, err := claim("sum", "mine"); known || err != nil {
				t.Fatalf("the first request: %v, %v", known, err)
			}
		}
		if _, _, err := claim("sum", "other"); !errors.Is(err, feed.ErrUnderWay) {
			t.Errorf("the same request meanwhile: %v", err)
		}
		if err := s.DropAnswer(ctx, "id", "other"); err != nil {
			t.Error(err)
		}
		if err := s.DropAnswer(ctx, "id", "mine"); err != nil {
			t.Error(err)
		}
		if _, known, err := claim("sum", "next"); known || err != nil {
			t.Fatalf("after a refusal: %v, %v", known, err)
		}
		want := feed.Answer{Status: 201, Type: "application/json", Location: "/x", Body: []byte("\x00{}\xff")}
		if err := s.KeepAnswer(ctx, "id", "mine", &feed.Answer{Status: 500}); err != nil { // its claim has ended
			t.Error(err)
		}
		if err := s.KeepAnswer(ctx, "id", "next", &want); err != nil {
			t.Error(err)
		}
		got, known, err := claim("sum", "later")
		if diff := cmp.Diff(want, got); diff != "" || !known || err != nil {
			t.Errorf("%v, %v (-want +got):\n%s", known, err, diff)
		}
		if _, _, err := claim("another sum", "later"); !errors.Is(err, feed.ErrKeyReused) {
			t.Errorf("another request with the key: %v", err)
		}
		if ttl := time.Duration(raw.Int("TTL", "answer:id")) * time.Second; ttl < 23*time.Hour || ttl > 24*time.Hour {
			t.Errorf("it is kept for %v", ttl)
		}
		if _, _, err := s.ClaimAnswer(ctx, "told", "sum", "a"); err != nil {
			t.Fatal(err)
		}
		if ttl := raw.Int("TTL", "answer:told"); ttl < 1 || ttl > 120 {
			t.Errorf("the claim lasts %d s", ttl)
		}
		if err := s.KeepAnswer(ctx, "told", "a", &feed.Answer{Status: 201, Told: true}); err != nil {
			t.Error(err)
		}
		if got, known, err := s.ClaimAnswer(ctx, "told", "sum", "b"); !got.Told || !known || err != nil {
			t.Errorf("got %+v, %v, %v", got, known, err)
		}
	})
}

func TestOneOfManyRequestsIsCarriedOut(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		var claimed, busy atomic.Int32
		var all sync.WaitGroup
		for i := range 32 {
			all.Go(func() {
				switch _, known, err := s.ClaimAnswer(t.Context(), "id", "sum", fmt.Sprint(i)); {
				case err == nil && !known:
					claimed.Add(1)
				case errors.Is(err, feed.ErrUnderWay):
					busy.Add(1)
				}
			})
		}
		all.Wait()
		if claimed.Load() != 1 || busy.Load() != 31 {
			t.Errorf("%d claimed, %d are told to wait", claimed.Load(), busy.Load())
		}
	})
}

func TestArticleMovesOnlyAsSeen(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		uuid := article(t, s, "g1", "v1")
		decide := func(id, uuid string, publish bool, seen feed.Placement) feed.Decided {
			done, err := s.Decide(t.Context(), id, []feed.Decision{{
				UUID: uuid, Type: "production", Publish: publish, Seen: feed.Sighting{State: seen.State, Revision: seen.Revision},
			}})
			if err != nil {
				t.Fatal(err)
			}
			return done[0]
		}
		seen := placement(t, s, uuid, "production")
		if done := decide("first", uuid, true, seen); done.Err != nil || done.Transition.Revision != 1 {
			t.Fatalf("got %+v", done)
		}
		if done := decide("first", uuid, true, seen); done.Err != nil || !done.Transition.Repeated {
			t.Errorf("the same request again: %+v", done)
		}
		if done := decide("second", uuid, true, seen); !errors.Is(done.Err, feed.ErrChanged) {
			t.Errorf("what another one has published: %+v", done)
		}
		now := placement(t, s, uuid, "production")
		publish(t, s, uuid, "production") // the state is the same, the revision is not
		if done := decide("third", uuid, false, now); !errors.Is(done.Err, feed.ErrChanged) {
			t.Errorf("another revision: %+v", done)
		}
		if done := decide("fourth", uuid, false, placement(t, s, uuid, "production")); done.Err != nil || !done.Transition.Changed {
			t.Errorf("got %+v", done)
		}
		if done := decide("fifth", feed.ArticleUUID("x", "y"), true, seen); !errors.Is(done.Err, feed.ErrNotFound) {
			t.Errorf("what is not there: %+v", done)
		}
	})
}

// Whoever has seen other settings than there are pauses, polls and removes nothing, also where the source was removed and
// added again meanwhile.
func TestSourceOfAnotherEditionIsLeftAlone(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		ctx := t.Context()
		old, _, err := s.AddSource(ctx, feed.Source{URL: harbour, Publish: feed.PublishManual})
		if err != nil {
			t.Fatal(err)
		}
		refuses := func(id string, edition int) {
			t.Helper()
			for how, err := range map[string]error{
				"pause": s.SetPaused(ctx, id, true, edition), "resume": s.SetPaused(ctx, id, false, edition),
				"poll": s.PollSource(ctx, id, edition), "remove": s.RemoveSource(ctx, id, edition),
			} {
				if !errors.Is(err, feed.ErrChanged) {
					t.Errorf("%s: %v", how, err)
				}
			}
		}
		other := old
		other.Publish = feed.PublishAuto
		if other, _, err = s.AddSource(ctx, other); err != nil {
			t.Fatal(err)
		}
		refuses(old.ID, old.Edition)
		for _, do := range []func() error{
			func() error { return s.PollSource(ctx, old.ID, other.Edition) },
			func() error { return s.SetPaused(ctx, old.ID, true, other.Edition) },
			func() error { return s.RemoveSource(ctx, old.ID, other.Edition+1) },
		} {
			if err := do(); err != nil {
				t.Error(err)
			}
		}
		now.Advance(time.Second)
		back, err := s.RestoreSource(ctx, old.ID) // not as it was when the removal was refused
		if err != nil || back.Publish != feed.PublishAuto {
			t.Errorf("it came back as %+v, %v", back, err)
		}
		refuses(old.ID, old.Edition)
	})
}

func TestSettingsOfAnotherEditionAreNotOverwritten(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		ctx := t.Context()
		read, _, err := s.AddSource(ctx, feed.Source{URL: harbour})
		if err != nil || read.Edition == 0 {
			t.Fatalf("edition %d, %v", read.Edition, err)
		}
		mine, theirs := read, read
		theirs.Publish, mine.Interval = feed.PublishAuto, time.Hour
		if _, _, err := s.AddSource(ctx, theirs); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.AddSource(ctx, mine); !errors.Is(err, feed.ErrChanged) {
			t.Errorf("settings of before: %v", err)
		}
		now, err := s.Source(ctx, read.ID)
		if err != nil || now.Publish != feed.PublishAuto || now.Interval != 0 || now.Edition == read.Edition {
			t.Errorf("it is %+v, %v", now, err)
		}
		editions := []int{now.Edition}
		for _, paused := range []bool{true, true, false, false} {
			if err := s.SetPaused(ctx, read.ID, paused, 0); err != nil {
				t.Fatal(err)
			}
			now, _ = s.Source(ctx, read.ID)
			editions = append(editions, now.Edition)
		}
		if err := s.PollSource(ctx, read.ID, 0); err != nil {
			t.Fatal(err)
		}
		now, _ = s.Source(ctx, read.ID)
		first := editions[0]
		if want := []int{first, first + 1, first + 1, first + 2, first + 2}; !slices.Equal(editions, want) || now.Edition != first+2 {
			t.Errorf("editions are %v and %d, want %v: only what changes something counts", editions, now.Edition, want)
		}
	})
}

func TestListsAreReadInPages(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		ctx := t.Context()
		add := func(name string) {
			if _, _, err := s.AddSource(ctx, feed.Source{URL: "http://" + name + ".example/"}); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"d", "b", "c", "a", "e"} {
			add(name)
		}
		var got []string
		for next := ""; ; {
			page, following, err := s.SourcesPage(ctx, next, 2)
			if err != nil || len(page) > 2 {
				t.Fatalf("%d sources, %v", len(page), err)
			}
			for i := range page {
				got = append(got, page[i].URL[7:8])
			}
			if len(got) == 2 { // in front of what follows, and behind it; and what the cursor names goes
				add("0")
				add("bb")
				if err := s.RemoveSource(ctx, page[1].ID, 0); err != nil {
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

		for i := range 5 { // three of one second
			e := entry(fmt.Sprint("g", i), "Title", now.now.Add(time.Duration(i/3)*time.Second))
			if err := s.SaveEntry(ctx, &e); err != nil {
				t.Fatal(err)
			}
		}
		var guids []string
		for from := (feed.Cursor{}); ; {
			page, following, err := s.EntriesPage(ctx, harbour, from, 2)
			if err != nil || len(page) > 2 {
				t.Fatalf("%d entries, %v", len(page), err)
			}
			for i := range page {
				guids = append(guids, page[i].GUID)
			}
			if from = following; from.IsZero() {
				break
			}
			e := entry(fmt.Sprint("new", len(guids)), "Title", now.now.Add(time.Minute))
			if err := s.SaveEntry(ctx, &e); err != nil {
				t.Fatal(err)
			}
		}
		if want := []string{"g4", "g3", "g2", "g1", "g0"}; !slices.Equal(guids, want) {
			t.Errorf("entries are %v, want %v", guids, want)
		}
	})
}
