package people_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestSessionIsAddedExtendedListedAndEnded(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, raw *storetest.Redigo) {
		if err := s.AddAccount(t.Context(), feed.Account{Name: "ann", Role: feed.RoleViewer, Created: now.Time}); err != nil {
			t.Fatal(err)
		}
		ann, err := s.Account(t.Context(), "ann")
		must(t, err)
		add := func(sum string) feed.Session {
			n := feed.Session{
				Sum: sum, AccountID: ann.ID, Account: "ann", Created: now.Time, Seen: now.Time, Address: "192.0.2.1", Agent: "Browser/1",
				Generation: ann.Generation,
			}
			if err := s.AddSession(t.Context(), n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		first := add("1111")
		now.Advance(time.Hour)
		second := add("2222")
		if err := s.TouchSession(t.Context(), "1111"); err != nil {
			t.Fatal(err)
		}
		first.Seen = now.Time
		got, account, err := s.Session(t.Context(), "1111", ann.ID)
		if diff := cmp.Diff(first, got); err != nil || diff != "" || account.Name != "ann" {
			t.Errorf("%v, %+v (-want +got):\n%s", err, account, diff)
		}
		if ttl := raw.Int("TTL", "auth:1111"); ttl < 12*3600-10 || ttl > 12*3600 {
			t.Errorf("it expires in %d s", ttl)
		}
		all, err := s.Sessions(t.Context(), ann.ID)
		if diff := cmp.Diff([]feed.Session{second, first}, all); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if err := s.EndSession(t.Context(), "2222", ann.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.TouchSession(t.Context(), "2222"); err != nil {
			t.Fatal(err)
		}
		for _, sum := range []string{"2222", "none"} {
			if _, _, err := s.Session(t.Context(), sum, ann.ID); !errors.Is(err, feed.ErrNotFound) {
				t.Errorf("session %s: %v", sum, err)
			}
		}
		if err := s.ChangeAccount(t.Context(), "ann", feed.AccountChange{EndSessions: true}); err != nil {
			t.Fatal(err)
		}
		if all, err := s.Sessions(t.Context(), ann.ID); len(all) != 0 || err != nil {
			t.Errorf("after ending all: %+v, %v", all, err)
		}
	})
}
