package hub_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// sources is one source.
type sources struct{ feed.Source }

func (s sources) SourceByURL(_ context.Context, url string) (feed.Source, error) {
	if url != s.URL {
		return feed.Source{}, feed.ErrNotFound
	}
	return s.Source, nil
}

func source(format string) sources {
	return sources{feed.Source{
		URL: harbour, About: feed.About{Title: "Harbour & <News>", Description: "All ships", Link: "http://harbour.example/", Language: "en"},
		Poll: feed.PollState{Format: format},
	}}
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

func TestNewsIsAFeedOfTheSameFamily(t *testing.T) {
	news := hub.News{FeedURL: harbour, Signals: []feed.Signal{
		signal(feed.PostCreated, post("1")), signal(feed.PostCreated, post("2")), signal(feed.PostModified, post("1")),
	}}
	for _, tt := range []struct {
		format, contentType string
		want                []string // in this order
	}{
		{"RSS 2.0", "application/rss+xml; charset=utf-8", []string{
			`<rss version="2.0"`, `<title>Harbour &amp; &lt;News&gt;</title>`, `<atom:link href="` + harbour + `" rel="self" type="application/rss+xml">`,
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
		{"JSON Feed 1.1", "application/atom+xml; charset=utf-8", []string{"<feed"}},
		{"", "application/atom+xml; charset=utf-8", []string{"<feed"}},
	} {
		t.Run(tt.format, func(t *testing.T) {
			made, err := hub.NewsOutlet(source(tt.format), "https://hub.example/hub").Make(t.Context(), harbour, news)
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
			if strings.Count(string(d.Body), "tag:harbour.example,2026:1<") > 1 {
				t.Errorf("an entry stands twice in:\n%s", d.Body)
			}
		})
	}
}

func TestWhatTellsNothingIsNotDistributed(t *testing.T) {
	outlet := hub.NewsOutlet(source("RSS 2.0"), "")
	for name, signals := range map[string][]feed.Signal{
		"a new source": {signal(feed.FeedCreated, nil)},
		"deleted":      {signal(feed.PostCreated, nil)},
	} {
		if made, err := outlet.Make(t.Context(), harbour, hub.News{FeedURL: harbour, Signals: signals}); err != nil || len(made) != 0 {
			t.Errorf("%s: %+v, %v", name, made, err)
		}
	}
	modified := signal(feed.FeedModified, nil)
	modified.Unsignalled = feed.Unsignalled{Created: 30, Modified: 2}
	made, err := outlet.Make(t.Context(), harbour, hub.News{FeedURL: harbour, Signals: []feed.Signal{modified}})
	if err != nil || len(made) != 0 {
		t.Errorf("entries that are held: %+v, %v", made, err)
	}
	modified.Changed = map[string]feed.Change{"title": {From: "Harbour", To: "The Harbour"}}
	made, err = outlet.Make(t.Context(), harbour, hub.News{FeedURL: harbour, Signals: []feed.Signal{modified}})
	if err != nil || len(made) != 1 || made[0].Topic == "" || strings.Contains(string(made[0].Body), "<item>") {
		t.Errorf("a feed that has changed itself: %+v, %v", made, err)
	}
}

// Saving a document distributes its new and changed entries at once, in one delivery, whatever else is in the outbox.
func TestOneDocumentIsOneDistribution(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		if _, _, err := d.Sources.AddSource(t.Context(), feed.Source{URL: harbour}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := d.Sources.AddSource(t.Context(), feed.Source{URL: "http://quiet.example/feed"}); err != nil {
			t.Fatal(err)
		}
		claims, err := d.Sources.ClaimSources(t.Context(), 2, time.Minute)
		if err != nil || len(claims) != 2 {
			t.Fatalf("%v, %v", claims, err)
		}
		r := newReader(t, nil)
		d.subscribe(r.callback("/cb"), "secret/cb")
		outlets := []hub.Outlet{hub.NewsOutlet(d.Sources, "https://hub.example/hub")}
		d.runWith(outlets, hub.Options{})
		save := func(titles ...string) {
			t.Helper()
			for _, c := range claims {
				doc := feed.Document{}
				for i, title := range titles {
					e := post(string(rune('a' + i)))
					e.ID, e.FeedURL, e.Title = "", c.Source.URL, title
					doc.Entries = append(doc.Entries, *e)
				}
				if _, err := d.Entries.SaveEntries(t.Context(), c, doc); err != nil {
					t.Fatal(err)
				}
			}
		}
		save("one", "two", "three")
		eventually(t, "the first document", func() bool { return len(r.got()) == 1 })
		save("one", "two, changed", "three", "four")
		eventually(t, "the second document", func() bool { return len(r.got()) == 2 })
		for i, want := range [][]string{{"one", "two", "three"}, {"two, changed", "four"}} {
			got := r.got()[i]
			if got.problem != "" {
				t.Error(got.problem)
			}
			var titles []string
			for _, part := range strings.Split(got.body, "<entry>")[1:] {
				_, part, _ = strings.Cut(part, "<title>")
				part, _, _ = strings.Cut(part, "</title>")
				titles = append(titles, part)
			}
			if diff := cmp.Diff(want, titles); diff != "" {
				t.Errorf("delivery %d (-want +got):\n%s", i, diff)
			}
		}
	})
}

func TestServedFeedsAreDistributedWhenTheyChange(t *testing.T) {
	dial := storetest.Memory(t)
	d := newDesk(t, dial)
	r := newReader(t, nil)
	d.subscribe(r.callback("/cb"), "secret/cb")
	documents := make(chan string, 10)
	current := ""
	d.run(hub.Options{ServedEvery: time.Millisecond, Served: []hub.Served{{
		Topic: harbour, Get: func(context.Context) (feed.Distribution, error) {
			select {
			case current = <-documents:
			default:
			}
			if current == "" {
				return feed.Distribution{}, errors.New("not yet")
			}
			return feed.Distribution{ContentType: "text/plain", Body: []byte(current)}, nil
		},
	}}})
	for i, text := range []string{"one", "two"} {
		documents <- text
		eventually(t, text, func() bool { return len(r.got()) == i+1 })
	}
	if diff := cmp.Diff([]string{"one", "two"}, r.bodies("/cb")); diff != "" {
		t.Error(diff)
	}
}

func TestEntriesMakeTheFeedThatTheirNewsMakes(t *testing.T) {
	for _, format := range []string{"RSS 2.0", "Atom 1.0"} {
		src := source(format)
		src.Poll.LastDocument = time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC)
		news := hub.News{FeedURL: harbour, Signals: []feed.Signal{signal(feed.PostCreated, post("1")), signal(feed.PostCreated, post("2"))}}
		made, err := hub.NewsOutlet(src, "https://hub.example/hub").Make(t.Context(), harbour, news)
		if err != nil {
			t.Fatal(err)
		}
		got, err := hub.EntriesDocument(&src.Source, []feed.Entry{*post("1"), *post("2")}, "https://hub.example/hub")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(made[0], got); diff != "" {
			t.Errorf("%s (-news +entries):\n%s", format, diff)
		}
	}
}
