package topics_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/signals/topics"
	"github.com/feedwire/feedwire/store/feed"
)

func (s catalogStore) LoadEntries(_ context.Context, refs []feed.EntryRef) (all []feed.Entry, err error) {
	if s.loads != nil {
		*s.loads++
	}
	for _, ref := range refs {
		all = append(all, *post(strings.TrimPrefix(ref.ID, "Entry:")))
	}
	return all, nil
}

func TestNewsHasTheFormThatASubscriberWants(t *testing.T) {
	deleted := signal(feed.PostDeleted, nil)
	deleted.GUID = "no address"
	created := []feed.Signal{signal(feed.PostCreated, post("1")), signal(feed.PostCreated, post("2"))}
	for _, format := range []string{"RSS 2.0", "Atom 1.0", "JSON Feed 1.1"} {
		for _, tt := range []struct {
			name    string
			signals []feed.Signal
			form    feed.Form
			titles  []string // nil: nothing is for the subscriber
			gone    bool     // it names the deleted entry, if the format can
		}{
			{"JSON", created, feed.Form{JSON: true}, []string{"Ship 1", "Ship 2"}, false},
			{"one entry", created, feed.Form{Filter: "title=ship 2"}, []string{"Ship 2"}, false},
			{"one entry, JSON", created, feed.Form{JSON: true, Filter: "!title=ship 2"}, []string{"Ship 1"}, false},
			{"no entry", created, feed.Form{Filter: "title=train"}, nil, false},
			{"deleted, JSON", append(created, deleted), feed.Form{JSON: true}, []string{"Ship 1", "Ship 2"}, true},
			{"only deleted", append(created, deleted), feed.Form{Filter: "title=train"}, []string{}, true},
		} {
			c := catalog(format)
			made, err := c.Outlets(false)[0].Make(t.Context(), harbour, delivery.News{FeedURL: harbour, Signals: tt.signals})
			if err != nil || len(made) != 1 {
				t.Fatalf("made %+v, %v", made, err)
			}
			made[0].Version, made[0].Time = 7, time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC)
			got, err := c.Shape(t.Context(), made[0], tt.form)
			if err != nil {
				t.Fatal(err)
			}
			if tt.titles == nil || tt.gone && format == "RSS 2.0" && len(tt.titles) == 0 {
				if got.Body != nil {
					t.Errorf("%s, %s: got %s", format, tt.name, got.Body)
				}
				continue
			}
			isJSON := tt.form.JSON || format == "JSON Feed 1.1"
			if got.Version != 7 || !got.Time.Equal(made[0].Time) || isJSON != (got.ContentType == "application/feed+json; charset=utf-8") {
				t.Errorf("%s, %s: got %+v", format, tt.name, got)
			}
			for _, title := range []string{"Ship 1", "Ship 2"} {
				if strings.Contains(string(got.Body), title+" &") != slices.Contains(tt.titles, title) {
					t.Errorf("%s, %s: got %s", format, tt.name, got.Body)
				}
			}
			named := strings.Contains(string(got.Body), `"id":"no address"`) || strings.Contains(string(got.Body), `ref="`+harbour+`#no+address"`)
			if named != (tt.gone && format != "RSS 2.0") {
				t.Errorf("%s, %s: the deleted entry: %v in\n%s", format, tt.name, named, got.Body)
			}
		}
	}
}

// Subscribers with different filters want the same version at the same time.
func TestFiltersShareTheEntriesOfAVersion(t *testing.T) {
	loads, now := 0, time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC)
	c := topics.New(catalogStore{source: feed.Source{URL: harbour}, loads: &loads}, topics.Options{
		Outgoing: noFeeds{}, Republished: noFeeds{}, Now: func() time.Time { return now },
	})
	shape := func(version int64, filter string) {
		t.Helper()
		d := feed.Distribution{Topic: harbour, Version: version, Posts: []string{"Entry:1", "Entry:2"}}
		got, err := c.Shape(t.Context(), d, feed.Form{Filter: filter})
		if err != nil || got.Entries != 1 || !strings.Contains(string(got.Body), filter[len("title="):]) {
			t.Errorf("%s of version %d: %+v, %v", filter, version, got, err)
		}
	}
	for _, filter := range []string{"title=Ship 1", "title=Ship 2", "title=Ship 1 &"} {
		shape(7, filter)
	}
	if loads != 1 {
		t.Errorf("three filters loaded the entries %d times", loads)
	}
	for version := range int64(20) {
		shape(version, "title=Ship 1")
	}
	loads, now = 0, now.Add(time.Second) // a takedown may have changed them
	shape(19, "title=Ship 1")
	if loads != 1 {
		t.Errorf("later, the entries were loaded %d times", loads)
	}
}

func TestUnchangedDocumentsHaveNoForm(t *testing.T) {
	for _, d := range []feed.Distribution{
		{Topic: harbour, Body: []byte("<rss/>"), Whole: true}, {Topic: "https://wire.example/feed/production", Body: []byte("<rss/>")},
	} {
		got, err := catalog("RSS 2.0").Shape(t.Context(), d, feed.Form{JSON: true, Filter: "title=train"})
		if err != nil || string(got.Body) != "<rss/>" {
			t.Errorf("got %s, %v", got.Body, err)
		}
	}
}
