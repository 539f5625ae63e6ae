package people_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestResponseIsStoredForItsRequest(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, raw *storetest.Redigo) {
		ctx := t.Context()
		claim := func(sum, token string) (feed.StoredResponse, bool, error) {
			return s.ClaimResponse(ctx, 0, "id", sum, token)
		}
		for range 2 { // the second call is a retry after the connection was closed
			if _, known, err := claim("sum", "mine"); known || err != nil {
				t.Fatalf("the first request: %v, %v", known, err)
			}
		}
		if _, _, err := claim("sum", "other"); !errors.Is(err, feed.ErrUnderWay) {
			t.Errorf("the same request meanwhile: %v", err)
		}
		if err := s.DropResponse(ctx, "id", "other"); err != nil {
			t.Error(err)
		}
		if err := s.DropResponse(ctx, "id", "mine"); err != nil {
			t.Error(err)
		}
		if _, known, err := claim("sum", "next"); known || err != nil {
			t.Fatalf("after a dropped claim: %v, %v", known, err)
		}
		want := feed.StoredResponse{Status: 201, Type: "application/json", Location: "/x", Body: []byte("\x00{}\xff")}
		if err := s.StoreResponse(ctx, "id", "mine", &feed.StoredResponse{Status: 500}); err != nil { // its claim has ended
			t.Error(err)
		}
		if err := s.StoreResponse(ctx, "id", "next", &want); err != nil {
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
			t.Errorf("it expires in %v", ttl)
		}
		if _, _, err := s.ClaimResponse(ctx, 0, "told", "sum", "a"); err != nil {
			t.Fatal(err)
		}
		if ttl := raw.Int("TTL", "answer:told"); ttl < 1 || ttl > 120 {
			t.Errorf("the claim expires in %d s", ttl)
		}
		if err := s.StoreResponse(ctx, "told", "a", &feed.StoredResponse{Status: 201, BodyOmitted: true}); err != nil {
			t.Error(err)
		}
		if got, known, err := s.ClaimResponse(ctx, 0, "told", "sum", "b"); !got.BodyOmitted || !known || err != nil {
			t.Errorf("got %+v, %v, %v", got, known, err)
		}
	})
}

func TestOneOfManyConcurrentRequestsIsExecuted(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, _ *storetest.Redigo) {
		var claimed, busy atomic.Int32
		var all sync.WaitGroup
		for i := range 32 {
			all.Go(func() {
				switch _, known, err := s.ClaimResponse(t.Context(), 0, "id", "sum", fmt.Sprint(i)); {
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

func TestResponsesAreErasedWithTheirAccount(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, raw *storetest.Redigo) {
		must(t, s.AddAccount(t.Context(), feed.Account{Name: "ann", Role: feed.RoleAdmin}))
		must(t, s.AddAccount(t.Context(), feed.Account{Name: "mia", Role: feed.RoleMember}))
		for id, account := range map[string]int64{"anns": 1, "mias": 2, "daemons": 0} {
			_, _, err := s.ClaimResponse(t.Context(), account, id, "sum", "token")
			must(t, err)
			must(t, s.StoreResponse(t.Context(), id, "token", &feed.StoredResponse{Status: 201, Body: []byte("follows")}))
		}
		_, err := s.RemoveAccount(t.Context(), "mia")
		must(t, err)
		for key, want := range map[string]int{
			"answer:anns": 1, "answer:daemons": 1, "user:1:answers": 1, "answer:mias": 0, "user:2:answers": 0, "user:0:answers": 0,
		} {
			if got := raw.Int("EXISTS", key); got != want {
				t.Errorf("%s exists: %d", key, got)
			}
		}
	})
}
