package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestSessionIsKeptTouchedListedAndEnded(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		if err := s.AddAccount(t.Context(), feed.Account{Name: "ann", Role: feed.RoleReader, Created: now.now}); err != nil {
			t.Fatal(err)
		}
		add := func(sum string) feed.Session {
			n := feed.Session{
				Sum: sum, Account: "ann", Created: now.now, Seen: now.now, Address: "192.0.2.1", Agent: "Browser/1",
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
		first.Seen = now.now
		got, account, err := s.Session(t.Context(), "1111", "ann")
		if diff := cmp.Diff(first, got); err != nil || diff != "" || account.Name != "ann" {
			t.Errorf("%v, %+v (-want +got):\n%s", err, account, diff)
		}
		if ttl := raw.Int("TTL", "session:1111"); ttl < 12*3600-10 || ttl > 12*3600 {
			t.Errorf("it is kept for %d s", ttl)
		}
		all, err := s.Sessions(t.Context(), "ann")
		if diff := cmp.Diff([]feed.Session{second, first}, all); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if err := s.EndSession(t.Context(), "2222", "ann"); err != nil {
			t.Fatal(err)
		}
		if err := s.TouchSession(t.Context(), "2222"); err != nil {
			t.Fatal(err)
		}
		for _, sum := range []string{"2222", "none"} {
			if _, _, err := s.Session(t.Context(), sum, "ann"); !errors.Is(err, feed.ErrNotFound) {
				t.Errorf("session %s: %v", sum, err)
			}
		}
		if err := s.ChangeAccount(t.Context(), "ann", feed.AccountChange{EndSessions: true}); err != nil {
			t.Fatal(err)
		}
		if all, err := s.Sessions(t.Context(), "ann"); len(all) != 0 || err != nil {
			t.Errorf("after all were ended there are %+v, %v", all, err)
		}
	})
}

func TestTokenIsKeptUsedAndRemoved(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		token := feed.Token{
			ID: "abc", Name: "nightly", Scopes: []feed.Scope{feed.ScopeRead}, Creator: "ann", Created: now.now,
			Expires: now.now.Add(time.Hour), Sum: "sum",
		}
		if err := s.AddToken(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		got, err := s.Token(t.Context(), "abc")
		if diff := cmp.Diff(token, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if err := s.UsedToken(t.Context(), "abc"); err != nil {
			t.Fatal(err)
		}
		token.Sum, token.LastUsed = "", now.now
		all, err := s.Tokens(t.Context())
		if diff := cmp.Diff([]feed.Token{token}, all); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if err := s.RemoveToken(t.Context(), "abc"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Token(t.Context(), "abc"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("it is still there: %v", err)
		}
		if err := s.RemoveToken(t.Context(), "abc"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("it was removed twice: %v", err)
		}
		for i := range feed.MaxTokens {
			raw.Do("HSET", "tokens", i, "{}")
		}
		if err := s.AddToken(t.Context(), token); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("there is no most of them: %v", err)
		}
	})
}

func TestAuditLogIsReadBackwardsAndTrimmedByAge(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		for _, action := range []string{"first", "second", "third"} {
			e := feed.AuditEntry{Time: now.now, Who: "ann", Action: action, On: "it", Before: "a", After: "b", From: "192.0.2.1"}
			if err := s.AddAudit(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		page, err := s.Audit(t.Context(), "", 2)
		if err != nil || len(page) != 2 || page[0].Action != "third" {
			t.Fatalf("got %+v, %v", page, err)
		}
		rest, err := s.Audit(t.Context(), page[1].ID, 2)
		if err != nil || len(rest) != 1 {
			t.Fatalf("got %+v, %v", rest, err)
		}
		want := feed.AuditEntry{
			ID: rest[0].ID, Time: now.now, Who: "ann", Action: "first", On: "it", Before: "a", After: "b", From: "192.0.2.1",
		}
		if diff := cmp.Diff(want, rest[0]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		now.now = time.Now()
		if n, err := s.TrimAudit(t.Context(), time.Hour); n != 0 || err != nil {
			t.Errorf("young entries: %d, %v", n, err)
		}
		now.Advance(2 * time.Hour)
		if n, err := s.TrimAudit(t.Context(), time.Hour); n != 3 || err != nil {
			t.Errorf("old entries: %d, %v", n, err)
		}
	})
}
