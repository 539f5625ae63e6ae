package entry_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// dates are those of an entry, in hours from noonToday; "" is none.
type dates struct{ published, updated string }

// of returns an entry with these dates as a parser makes it of a document that was received at a time.
func (d dates) of(title string, received time.Time) feed.Entry {
	at := func(hours string) time.Time {
		if hours == "" {
			return time.Time{}
		}
		after, err := time.ParseDuration(hours + "h")
		if err != nil {
			panic(err)
		}
		return noonToday.Add(after)
	}
	e := entry("g", title, received)
	e.Published, e.Updated = at(d.published), at(d.updated)
	switch {
	case !e.Updated.IsZero() && !e.Updated.Before(e.Published):
		e.Timestamp = e.Updated
	case !e.Published.IsZero():
		e.Timestamp = e.Published
	}
	return e
}

func TestEditHasTheDateOfItsSourceOrOfItsArrival(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		claim := known(t, s, now)
		for _, c := range []struct {
			name          string
			rule          feed.TimestampRule
			before, after dates
			want          dates
			timestamp     string
		}{ // the first document is received at noon, the edit at one o'clock
			{"no new date", "", dates{"-5", ""}, dates{"-5", ""}, dates{"-5", "1"}, "-5"},
			{"no new date, with an update before", "", dates{"-5", "-4"}, dates{"-5", "-4"}, dates{"-5", "1"}, "-4"},
			{"new update date", "", dates{"-5", "-4"}, dates{"-5", "0.5"}, dates{"-5", "0.5"}, "0.5"},
			{"first update date", "", dates{"-5", ""}, dates{"-5", "0.5"}, dates{"-5", "0.5"}, "0.5"},
			{"earlier update date", "", dates{"-5", "-2"}, dates{"-5", "-3"}, dates{"-5", "1"}, "-3"},
			{"later publication date", "", dates{"-5", ""}, dates{"0.5", ""}, dates{"-5", "0.5"}, "0.5"},
			{"no dates", "", dates{"", ""}, dates{"", ""}, dates{"", "1"}, "0"},
			{"dates are gone", "", dates{"-5", "-4"}, dates{"", ""}, dates{"-5", "1"}, "-4"},
			{"date becomes readable", "", dates{"", ""}, dates{"-5", ""}, dates{"-5", "1"}, "-5"},
			{"in 1960", "", dates{"-580000", ""}, dates{"-580000", ""}, dates{"-580000", "1"}, "-580000"},
			{"ordered by edits, no new date", feed.TimestampUpdated, dates{"-5", "-4"}, dates{"-5", "-4"}, dates{"-5", "1"}, "1"},
			{"ordered by edits, new date", feed.TimestampUpdated, dates{"-5", "-4"}, dates{"-5", "0.5"}, dates{"-5", "0.5"}, "0.5"},
			{"ordered by edits, no dates", feed.TimestampUpdated, dates{"", ""}, dates{"", ""}, dates{"", "1"}, "1"},
		} {
			claim.Source.Timestamp = c.rule
			for _, edited := range []bool{false, true} {
				doc := feed.Document{Received: noonToday, Entries: []feed.Entry{c.before.of("Title", noonToday)}}
				if edited {
					doc.Received = noonToday.Add(time.Hour)
					doc.Entries[0] = c.after.of("Title, edited", doc.Received)
				}
				save(t, s, claim, doc)
			}
			got, err := s.Entries.EntryByGUID(t.Context(), harbour, "g")
			if err != nil {
				t.Fatal(err)
			}
			want := c.want.of("Title, edited", noonToday)
			want.Timestamp = dates{published: c.timestamp}.of("", noonToday).Published
			if diff := cmp.Diff([]time.Time{want.Published, want.Updated, want.Timestamp}, []time.Time{got.Published, got.Updated, got.Timestamp}); diff != "" {
				t.Errorf("%s: published, updated, timestamp (-want +got):\n%s", c.name, diff)
			}
			if err := s.Entries.DeleteEntry(t.Context(), got.ID); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestSecondEditWithoutADateMovesTheDateAgain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := known(t, s, now)
		at := noonToday
		for _, title := range []string{"One", "Two", "Three", "Three"} {
			save(t, s, c, feed.Document{Received: at, Entries: []feed.Entry{dates{"-5", "-4"}.of(title, at)}})
			at = at.Add(time.Hour)
		}
		fields := raw.StringMap("HGETALL", raw.Entry(1))
		if got, want := fields["date_updated"], feed.FormatTime(noonToday.Add(2*time.Hour)); got != want {
			t.Errorf("date_updated is %s, want %s", got, want)
		}
		if fields["edits"] != "2" {
			t.Errorf("%s edits without a date are counted, want 2", fields["edits"])
		}
		// A date of the source that is later than its last one is the date of the edit only if the edits so far are older.
		save(t, s, c, feed.Document{Received: at, Entries: []feed.Entry{dates{"-5", "-3"}.of("Four", at)}})
		fields = raw.StringMap("HGETALL", raw.Entry(1))
		if got, want := fields["date_updated"], feed.FormatTime(at); got != want || fields["edits"] != "2" {
			t.Errorf("date_updated is %s, want %s; %s edits are counted, want 2", got, want, fields["edits"])
		}
	})
}

func TestDifferenceThatTheDigestIgnoresMovesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := known(t, s, now)
		c.Source.Timestamp = feed.TimestampUpdated
		first := dates{"-5", "-4"}.of("A  title", noonToday)
		save(t, s, c, feed.Document{Received: noonToday, Entries: []feed.Entry{first}})
		before := raw.StringMap("HGETALL", raw.Entry(1))
		cosmetic := dates{"-5", "0.5"}.of("A title", noonToday.Add(time.Hour))
		cosmetic.Extra = map[string]string{"language": "en"}
		save(t, s, c, feed.Document{Received: noonToday.Add(time.Hour), Entries: []feed.Entry{cosmetic}})
		if diff := cmp.Diff(before, raw.StringMap("HGETALL", raw.Entry(1))); diff != "" {
			t.Errorf("(-before +after):\n%s", diff)
		}
	})
}
