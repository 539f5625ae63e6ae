package people_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestAuditLogIsReadBackwardsAndTrimmedByAge(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, _ *storetest.Redigo) {
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
