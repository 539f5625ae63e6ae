package e2e

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/publish/feedtest"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/store/feed"
)

// TestOldDatesPassThroughHashAndFeeds reads dates, stores them as a hash, and writes and reads them in every format.
func TestOldDatesPassThroughHashAndFeeds(t *testing.T) {
	const url = "https://harbour.example/feed"
	read := func(body string) feed.Entry {
		doc, err := parser.Parse(parser.Raw{Body: []byte(body), URL: url, Received: time.Now()}, url, 0)
		if err != nil || len(doc.Document.Entries) != 1 {
			t.Fatalf("%v in\n%s", err, body)
		}
		return doc.Document.Entries[0]
	}
	checks := map[string]func([]byte) []string{
		feedxml.RSS: feedtest.RSS, feedxml.Atom: feedtest.Atom, feedxml.JSON: feedtest.JSONFeed,
	}
	for date, want := range map[string]int64{
		"Wed, 15 Jun 1960 12:00:00 GMT": -301233600, "15 June 1960, 8:00 am ET": -301233600, "1847-05-01": -3871152000,
	} {
		entry := read(`<rss version="2.0"><channel><item><guid>g</guid><title>T</title><pubDate>` + date + `</pubDate></item></channel></rss>`)
		stored := feed.EntryFromFields("Entry:1", entry.Fields())
		if stored.Published.Unix() != want || stored.Timestamp.Unix() != want {
			t.Errorf("%s is stored as published %v, timestamp %v", date, stored.Published, stored.Timestamp)
		}
		for format, faults := range checks {
			w := feedxml.New(format, feedxml.SourceProfile())
			item, err := w.Entry(feedxml.FromEntry(&stored, url))
			if err != nil {
				t.Fatal(err)
			}
			body, err := w.Document(&feedxml.Channel{
				Title: "Harbour", Description: "Harbour", Link: url, Self: url, Changed: stored.Timestamp,
			}, [][]byte{item})
			if err != nil {
				t.Fatal(err)
			}
			if again := read(string(body)); again.Published.Unix() != want {
				t.Errorf("%s in %s is read as %v from\n%s", date, format, again.Published, body)
			}
			if found := faults(body); len(found) > 0 {
				t.Errorf("%s in %s: %v", date, format, found)
			}
		}
	}
}
