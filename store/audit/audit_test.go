package audit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/audit"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// each runs a test on each engine and in each layout.
func each(t *testing.T, test func(t *testing.T, s *audit.Store, now *storetest.Clock, raw *storetest.Redigo)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, opts core.Options, now *storetest.Clock, raw *storetest.Redigo) {
		test(t, audit.New(storetest.DB(t, opts)), now, raw)
	})
}

func TestAuditLogIsReadBackwardsAndTrimmedByAge(t *testing.T) {
	each(t, func(t *testing.T, s *audit.Store, now *storetest.Clock, _ *storetest.Redigo) {
		for _, action := range []string{"first", "second", "third"} {
			e := feed.AuditEntry{Time: now.Time, Who: "ann", Action: action, Object: feed.Object{Kind: "token", ID: "t1", Name: "it", Feed: "f"}, Before: "a", After: "b", From: "192.0.2.1"}
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
			ID: rest[0].ID, Time: now.Time, Who: "ann", Action: "first", Object: feed.Object{Kind: "token", ID: "t1", Name: "it", Feed: "f"}, Before: "a", After: "b", From: "192.0.2.1",
		}
		if diff := cmp.Diff(want, rest[0]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		now.Time = time.Now()
		if n, err := s.TrimAudit(t.Context(), time.Hour); n != 0 || err != nil {
			t.Errorf("trimmed %d new entries, %v", n, err)
		}
		now.Advance(2 * time.Hour)
		if n, err := s.TrimAudit(t.Context(), time.Hour); n != 3 || err != nil {
			t.Errorf("trimmed %d old entries, want 3; %v", n, err)
		}
	})
}

func TestAuditLogHasNoRemovedAccount(t *testing.T) {
	each(t, func(t *testing.T, s *audit.Store, now *storetest.Clock, raw *storetest.Redigo) {
		const uuid = "1c2dbd04-7b7c-5fb4-9fa7-4a3c0a7d2e6f"
		token, account := &feed.Token{ID: "t5", Name: "Ann's phone"}, &feed.Account{ID: 5, Name: "ann"}
		post := &feed.Entry{ID: "Entry:9", Title: "Ann's post", FeedURL: feed.MemberURL(5)}
		entry := func(account int64, action string, object feed.Object, before, after string) feed.AuditEntry {
			who := map[int64]string{0: "the daemon's token", 5: "ann", 50: "eve"}[account]
			return feed.AuditEntry{Time: now.Time, Who: who, Account: account, Action: action, Object: object, Before: before, After: after, From: "192.0.2.1"}
		}
		var want []feed.AuditEntry
		add := func(before, after feed.AuditEntry) {
			t.Helper()
			if err := s.AddAudit(t.Context(), before); err != nil {
				t.Fatal(err)
			}
			want = append(want, after)
		}
		// The same entries again and again: more than one script copies.
		for range 201 {
			signIn := entry(5, "sign_in", feed.AccountObject(account), "", "")
			erased := signIn
			erased.Who, erased.From, erased.Object = "removed account 5", "", feed.Object{Kind: feed.ObjectAccount, Name: "removed account 5", Account: 5}
			add(signIn, erased)

			revoke := entry(0, "token_revoke", feed.TokenObject(token, 5), "follows", "")
			erased = revoke
			erased.Object = feed.Object{Kind: feed.ObjectToken, Name: "removed account 5", Account: 5}
			add(revoke, erased)

			edit := entry(50, "entry_write", feed.EntryObject(post), "Ann's post", "Ann's other post")
			erased = edit
			erased.Before, erased.After, erased.Object.Name = "", "", "removed account 5"
			add(edit, erased)

			other := entry(50, "sign_in", feed.AccountObject(&feed.Account{ID: 50, Name: "eve"}), "", "")
			add(other, other)
		}
		publish := entry(5, "article_publish", feed.ArticleObject(uuid, "production"), "unpublished", "published")
		erased := publish
		erased.Who, erased.From = "removed account 5", ""
		add(publish, erased)
		withdraw := entry(50, "article_withdraw", feed.ArticleObject(uuid, "production"), "published", "withdrawn")
		add(withdraw, withdraw)

		read := func() (all []feed.AuditEntry) {
			t.Helper()
			all, err := s.Audit(t.Context(), "", 1000)
			if err != nil {
				t.Fatal(err)
			}
			slices.Reverse(all)
			return all
		}
		for i, e := range read() {
			want[i].ID = e.ID
		}
		for range 2 {
			if err := s.EraseFromAudit(t.Context(), []int64{5, 7}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, read()); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
		}
		if left := append(raw.Containing("ann"), raw.Containing("Ann")...); len(left) > 0 || raw.Int("EXISTS", "audit:copy") != 0 {
			t.Errorf("the keys %v have the name", left)
		}
		if history := raw.Strings("LRANGE", "article:"+uuid+":deeds", 0, -1); len(history) != 2 || !strings.Contains(history[0], "eve") {
			t.Errorf("the history of the article is %v", history)
		}
		if err := s.AddAudit(t.Context(), publish); err != nil { // the log goes on
			t.Fatal(err)
		}
		if n := len(read()); n != len(want)+1 {
			t.Errorf("%d entries", n)
		}
	})
}
