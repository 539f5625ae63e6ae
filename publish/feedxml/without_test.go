package feedxml_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/store/feed"
)

func TestEntryIsRemovedFromADocument(t *testing.T) {
	const base = "http://harbour.example/feed"
	guids := []string{"tag:harbour.example,2026:1", hostile, "17", "171"}
	for _, format := range feedxml.Formats() {
		w := feedxml.New(format, feedxml.SourceProfile())
		encoded := make([][]byte, len(guids))
		for i, guid := range guids {
			e := feed.Entry{GUID: guid, Title: "<entry><id>17</id></entry>" + hostile, Content: "<item>" + hostile + "</item>"}
			var err error
			if encoded[i], err = w.Entry(feedxml.FromEntry(&e, base)); err != nil {
				t.Fatal(err)
			}
		}
		channel := &feedxml.Channel{Title: "Harbour & <b>", Self: base, Hub: base, Copyright: "<c>", Authors: []feed.Person{{Name: "Ada", Email: "a@b"}}}
		document, err := w.Document(channel, encoded)
		if err != nil {
			t.Fatal(err)
		}
		for i, guid := range guids {
			rest, err := feedxml.Without(document, guid, base)
			if err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			want, err := w.Document(channel, slices.Delete(slices.Clone(encoded), i, i+1))
			if err != nil {
				t.Fatal(err)
			}
			if string(rest) != string(want) {
				t.Errorf("%s without %q is\n%s\nwant\n%s", format, guid, rest, want)
			}
			if again, err := feedxml.Without(rest, guid, base); err == nil {
				t.Errorf("%s: %q is found twice: %s", format, guid, again)
			}
		}
	}
}

func TestDeletedEntriesAreReadAsTheyAreWritten(t *testing.T) {
	const base = "http://harbour.example/feed"
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	want := []feedxml.Deleted{{IDs: feedxml.NewIDs("tag:harbour.example,2026:1", base), Time: at}, {IDs: feedxml.NewIDs("no & address", base), Time: at}}
	for _, format := range feedxml.Formats() {
		document, err := feedxml.New(format, feedxml.SourceProfile()).Document(&feedxml.Channel{Title: "Harbour", Self: base, Deleted: want}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := feedxml.DeletedIn(document, base)
		if format == feedxml.RSS {
			if len(got) != 0 {
				t.Errorf("RSS names %+v", got)
			}
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", format, diff)
		}
	}
}
