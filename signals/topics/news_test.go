package topics_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/signals/topics"
	"github.com/feedwire/feedwire/store/feed"
)

const harbour = "http://harbour.example/feed.xml"

// catalogStore has one source, with the entries 1 and 2.
type catalogStore struct {
	topics.Store
	source feed.Source
	loads  *int // of entries; nil: not counted
}

func (s catalogStore) SourceByURL(_ context.Context, url string) (feed.Source, error) {
	if url != s.source.URL {
		return feed.Source{}, feed.ErrNotFound
	}
	return s.source, nil
}

func (s catalogStore) SourceDocument(context.Context, string) (feed.Distribution, error) {
	return feed.Distribution{}, feed.ErrNotFound
}

func (s catalogStore) HasTakedowns(context.Context, string) (bool, error) { return false, nil }

func (s catalogStore) Deleted(context.Context, string) ([]feed.DeletedEntry, error) { return nil, nil }

func (s catalogStore) EntriesBetween(context.Context, string, string, string, int) ([]feed.Entry, error) {
	return []feed.Entry{*post("1"), *post("2")}, nil
}

// noFeeds has neither outgoing nor republished feeds.
type noFeeds struct {
	topics.OutgoingFeeds
	topics.RepublishedFeeds
}

func (noFeeds) Topics() map[string]string { return nil }
func (noFeeds) SourceOf(string) string    { return "" }
func (noFeeds) ListOf(string) string      { return "" }
func (noFeeds) Document(context.Context, string) (feed.Distribution, error) {
	return feed.Distribution{}, feed.ErrNotFound
}

// catalog returns a catalog with the harbour in a format.
func catalog(format string) *topics.Catalog {
	source := feed.Source{
		URL: harbour, About: feed.About{Title: "Harbour & <News>", Description: "All ships", Link: "http://harbour.example/", Language: "en"},
		Poll: feed.PollState{Format: format, LastDocument: time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC)},
	}
	return topics.New(catalogStore{source: source}, topics.Options{HubURL: "https://hub.example/hub", Outgoing: noFeeds{}, Republished: noFeeds{}})
}

func post(n string) *feed.Entry {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	return &feed.Entry{
		ID: "Entry:" + n, FeedURL: harbour, GUID: "tag:harbour.example,2026:" + n, Timestamp: at, Title: "Ship " + n + " & more\x00",
		Link: "http://harbour.example/" + n, Content: "<p>Ship " + n + "</p>", Summary: "a ship", Authors: []string{"Ada"}, Published: at,
	}
}

func signal(kind feed.SignalKind, p *feed.Entry) feed.Signal {
	s := feed.Signal{ID: "1-0", Kind: kind, FeedURL: harbour, Time: time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC), Post: p}
	if p != nil {
		s.Entry, s.GUID = p.ID, p.GUID
	}
	return s
}

func TestNewsHasTheFormatOfItsSource(t *testing.T) {
	news := delivery.News{FeedURL: harbour, Signals: []feed.Signal{
		signal(feed.PostCreated, post("1")), signal(feed.PostCreated, post("2")), signal(feed.PostModified, post("1")),
	}}
	for _, tt := range []struct {
		format, contentType string
		want                []string // in this order
	}{
		{"RSS 2.0", "application/rss+xml; charset=utf-8", []string{
			`<rss version="2.0"`, `<title>Harbour &amp;amp; &amp;lt;News&amp;gt;</title>`, `<atom:link href="` + harbour + `" rel="self" type="application/rss+xml">`,
			`<atom:link href="https://hub.example/hub" rel="hub">`, `<item><title>Ship 2 &amp; more` + "\uFFFD" + `</title>`,
			`<guid isPermaLink="false">tag:harbour.example,2026:2</guid>`, `<pubDate>Fri, 20 Nov 2026 12:00:00 +0000</pubDate>`,
			`<dc:creator>Ada</dc:creator>`, `<content:encoded><![CDATA[<p>Ship 2</p>]]></content:encoded>`, `<title>Ship 1`, `</rss>`,
		}},
		{"Atom 1.0", "application/atom+xml; charset=utf-8", []string{
			`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">`, `<id>` + harbour + `</id>`, `<updated>2026-11-20T13:00:00Z</updated>`,
			`<link href="` + harbour + `" rel="self" type="application/atom+xml">`, `<link href="https://hub.example/hub" rel="hub">`,
			`<entry>`, `<updated>2026-11-20T12:00:00Z</updated>`, `<id>tag:harbour.example,2026:2</id>`,
			`<content type="html">&lt;p&gt;Ship 2&lt;/p&gt;</content>`, `<name>Ada</name>`, `tag:harbour.example,2026:1`, `</feed>`,
		}},
		{"JSON Feed 1.1", "application/feed+json; charset=utf-8", []string{
			`{"version":"https://jsonfeed.org/version/1.1","title":"Harbour & <News>","language":"en","home_page_url":"http://harbour.example/"`,
			`"feed_url":"` + harbour + `"`, `"description":"All ships"`, `"hubs":[{"type":"WebSub","url":"https://hub.example/hub"}]`, `"items":[`,
			`"id":"tag:harbour.example,2026:2"`, `"title":"Ship 2 & more`, `"content_html":"<p>Ship 2</p>"`,
			`"date_published":"2026-11-20T12:00:00Z"`, `"authors":[{"name":"Ada"}]`, `"title":"Ship 1`,
		}},
		{"", "application/atom+xml; charset=utf-8", []string{"<feed"}},
	} {
		t.Run(tt.format, func(t *testing.T) {
			made, err := catalog(tt.format).Outlets(false)[0].Make(t.Context(), harbour, news)
			if err != nil || len(made) != 1 {
				t.Fatalf("made %+v, %v", made, err)
			}
			d := made[0]
			if d.ContentType != tt.contentType || d.Topic != harbour || d.Whole || d.Entries != 2 {
				t.Fatalf("made %+v", d)
			}
			rest := string(d.Body)
			for _, part := range tt.want {
				_, after, found := strings.Cut(rest, part)
				if !found {
					t.Fatalf("%s is not in its place in:\n%s", part, d.Body)
				}
				rest = after
			}
			if strings.Count(string(d.Body), `>tag:harbour.example,2026:1<`)+strings.Count(string(d.Body), `"tag:harbour.example,2026:1"`) > 1 {
				t.Errorf("an entry stands twice in:\n%s", d.Body)
			}
		})
	}
}

func TestSignalsWithoutNewsAreNotDistributed(t *testing.T) {
	outlet := catalog("RSS 2.0").Outlets(false)[0]
	for name, signals := range map[string][]feed.Signal{
		"a new source": {signal(feed.FeedCreated, nil)},
		"deleted":      {signal(feed.PostCreated, nil)},
	} {
		if made, err := outlet.Make(t.Context(), harbour, delivery.News{FeedURL: harbour, Signals: signals}); err != nil || len(made) != 0 {
			t.Errorf("%s: %+v, %v", name, made, err)
		}
	}
	modified := signal(feed.FeedModified, nil)
	modified.Unsignalled = feed.Unsignalled{Created: 30, Modified: 2}
	made, err := outlet.Make(t.Context(), harbour, delivery.News{FeedURL: harbour, Signals: []feed.Signal{modified}})
	if err != nil || len(made) != 0 {
		t.Errorf("entries that are held: %+v, %v", made, err)
	}
	modified.Changed = map[string]feed.Change{"title": {From: "Harbour", To: "The Harbour"}}
	made, err = outlet.Make(t.Context(), harbour, delivery.News{FeedURL: harbour, Signals: []feed.Signal{modified}})
	if err != nil || len(made) != 1 || made[0].Topic == "" || strings.Contains(string(made[0].Body), "<item>") {
		t.Errorf("a feed that has changed itself: %+v, %v", made, err)
	}
}

func TestRetrievedEntriesEqualTheirDistribution(t *testing.T) {
	for _, format := range []string{"RSS 2.0", "Atom 1.0", "JSON Feed 1.1"} {
		c := catalog(format)
		news := delivery.News{FeedURL: harbour, Signals: []feed.Signal{signal(feed.PostCreated, post("1")), signal(feed.PostCreated, post("2"))}}
		made, err := c.Outlets(false)[0].Make(t.Context(), harbour, news)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Document(t.Context(), harbour, feed.EntryRange{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(made[0], got); diff != "" {
			t.Errorf("%s (-news +entries):\n%s", format, diff)
		}
	}
}

func TestNewsNamesDeletedEntries(t *testing.T) {
	deleted := signal(feed.PostDeleted, nil)
	deleted.GUID, deleted.FeedURL = "no address", harbour
	const when = "2026-11-20T13:00:00Z"
	for format, want := range map[string]string{
		"Atom 1.0":      `<at:deleted-entry xmlns:at="http://purl.org/atompub/tombstones/1.0" ref="` + harbour + `#no+address" when="` + when + `">`,
		"JSON Feed 1.1": `"_feedwire":{"deleted":[{"id":"no address","date_deleted":"` + when + `"}]}`,
		"RSS 2.0":       "", // it cannot say this
	} {
		made, err := catalog(format).Outlets(false)[0].Make(t.Context(), harbour, delivery.News{FeedURL: harbour, Signals: []feed.Signal{deleted}})
		if err != nil || len(made) != 0 == (want == "") {
			t.Fatalf("%s: made %+v, %v", format, made, err)
		}
		if want != "" && !strings.Contains(string(made[0].Body), want) {
			t.Errorf("%s: made\n%s", format, made[0].Body)
		}
	}
}

// takedownStore has a document with an entry that was taken down.
type takedownStore struct{ catalogStore }

func (takedownStore) HasTakedowns(context.Context, string) (bool, error) { return true, nil }

func (takedownStore) SourceDocument(context.Context, string) (feed.Distribution, error) {
	return feed.Distribution{Body: []byte("unchanged")}, nil
}

func TestUnchangedDocumentIsNotDistributedAfterATakedown(t *testing.T) {
	source := feed.Source{URL: harbour, Poll: feed.PollState{Format: "Atom 1.0"}}
	c := topics.New(takedownStore{catalogStore{source: source}}, topics.Options{Outgoing: noFeeds{}, Republished: noFeeds{}})
	made, err := c.Outlets(true)[0].Make(t.Context(), harbour, delivery.News{FeedURL: harbour, Signals: []feed.Signal{signal(feed.PostCreated, post("1"))}})
	if err != nil || len(made) != 1 || !strings.Contains(string(made[0].Body), "<entry>") {
		t.Errorf("made %+v, %v", made, err)
	}
	if d, err := c.Document(t.Context(), harbour, feed.EntryRange{}); err != nil || !strings.Contains(string(d.Body), "<entry>") {
		t.Errorf("retrieved %s, %v", d.Body, err)
	}
}

func TestEntryThatWasWrittenAgainIsNotDeleted(t *testing.T) {
	deleted, again := signal(feed.PostDeleted, nil), signal(feed.PostCreated, post("1"))
	deleted.GUID, deleted.Entry = again.GUID, "Entry:100"
	for _, format := range []string{"RSS 2.0", "Atom 1.0", "JSON Feed 1.1"} {
		news := delivery.News{FeedURL: harbour, Signals: []feed.Signal{deleted, again}}
		made, err := catalog(format).Outlets(false)[0].Make(t.Context(), harbour, news)
		if err != nil || len(made) != 1 {
			t.Fatalf("%s: %+v, %v", format, made, err)
		}
		if body := string(made[0].Body); strings.Contains(body, "deleted") || !strings.Contains(body, "Ship 1") {
			t.Errorf("%s: got\n%s", format, body)
		}
	}
}
