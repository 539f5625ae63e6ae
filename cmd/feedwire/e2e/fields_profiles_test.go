package e2e

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/consumer"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/intake"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// form is a format of a built-in profile.
type form struct{ profile, format string }

func (f form) String() string { return f.profile + "." + f.format }

// formsOfProfiles returns the formats of all profiles that are feeds.
func formsOfProfiles() (all []form) {
	for _, name := range profile.Names() {
		p, _ := profile.Find(name, nil)
		for _, format := range p.Forms {
			if slices.Contains(feedxml.Formats(), format) {
				all = append(all, form{name, format})
			}
		}
	}
	return all
}

// oneArticle is a publish.Store in which every feed has one article.
type oneArticle struct{ article feed.Article }

func (s oneArticle) FeedVersion(context.Context, string) (string, error) { return "1", nil }

func (s oneArticle) PublishedArticles(context.Context, string, time.Time, int, int, int) ([]feed.Article, int, error) {
	return []feed.Article{s.article}, 0, nil
}

func (s oneArticle) RecordImpressions(context.Context, string, feed.Fetches, int) (r feed.ImpressionResult, err error) {
	return r, nil
}

func (s oneArticle) AddVisits(context.Context, string, []feed.Visit) error { return nil }

// longText is a text with an image that the consumers of all profiles accept.
var longText = "<p>" + strings.Repeat("The ferry waits for the tide. ", 15) +
	`</p><img src="https://harbour.example/text.jpg" width="900" height="600">`

// carries publishes an entry in a feed, reads the feed, and returns the fields that it carries and those that it lacks.
func (f form) carries(t *testing.T, e *feed.Entry, source *feed.Source) (carried, lacking []string) {
	t.Helper()
	return wiretest.Carried(e, &parsed(t, f.publish(t, e, source)).Entries[0])
}

// publish returns a feed with the article of an entry. The consumer must accept it.
func (f form) publish(t *testing.T, e *feed.Entry, source *feed.Source) []byte {
	t.Helper()
	article := intake.ArticleOf(e, source)
	article.Feeds = map[string]feed.Placement{"news": {State: feed.StatePublished, Revision: 1, Published: received}}
	if f.profile == "podcast" { // which accepts no article without a file
		article.Enclosures = append(article.Enclosures, feed.Enclosure{URL: "https://harbour.example/1.mp3", Type: "audio/mpeg", Length: 1000})
	}
	feeds := []feed.Outgoing{{
		Type: "news", Profile: f.profile, Title: "News", Link: "https://harbour.example/", Language: "en",
		Logo: "https://harbour.example/logo.png", Category: "News",
	}}
	now := func() time.Time { return received }
	publisher := publish.New(oneArticle{article}, feeds, publish.Options{PublicURL: "https://wire.example", Now: now})
	d, err := publisher.Document(t.Context(), "news."+f.format)
	if err != nil {
		t.Fatal(err)
	}
	if faults := consumer.Check(f.profile, d.Body, received); len(faults) > 0 {
		t.Errorf("%s: %q in\n%s", f, faults, d.Body)
	}
	return d.Body
}

// sampleEntry returns an entry that the consumers of all profiles accept, with a field.
func sampleEntry(field, value string) *feed.Entry {
	e := feed.EntryFromFields("Entry:1", map[string]string{
		"feed_url": "https://harbour.example/feed", "guid": "g", "timestamp": feed.FormatTime(received), "author": "Ann",
		"title": "The ferry waits for the tide", "link": "https://harbour.example/1", "content": longText, field: value,
	})
	return &e
}

// fields returns the fields that a feed carries completely.
func (f form) fields(t *testing.T) (all []string) {
	t.Helper()
	for i := range feed.Fields {
		name, value := feed.Fields[i].Name, sampleOf(&feed.Fields[i])
		if value == "" || slices.Contains([]string{"title", "link", "content", "summary"}, name) {
			continue // every feed has them
		}
		if carried, _ := f.carries(t, sampleEntry(name, value), &feed.Source{}); slices.Contains(carried, name) {
			all = append(all, name)
		}
	}
	return all
}

// TestFieldsOfProfilesAreDocumented publishes an entry with one field after the other in the feeds of each profile, and compares
// what arrives with the table in docs/reference/fields.md. Run with -update to write it.
func TestFieldsOfProfilesAreDocumented(t *testing.T) {
	const page, begin, end = "../../../docs/reference/fields.md", "<!-- profiles -->\n", "<!-- end of profiles -->"
	forms := formsOfProfiles()
	table, carried := "| field |", make(map[form][]string)
	for _, f := range forms {
		carried[f] = f.fields(t)
		table += fmt.Sprintf(" `%s` |", f)
	}
	table += "\n|---|" + strings.Repeat("---|", len(forms)) + "\n"
	for i := range feed.Fields {
		field := &feed.Fields[i]
		value := sampleOf(field)
		if value == "" || slices.Contains([]string{"title", "link", "content", "summary"}, field.Name) {
			continue // every feed has them
		}
		table += "| `" + field.Name + "` |"
		for _, f := range forms {
			mark := " – |"
			if slices.Contains(carried[f], field.Name) {
				mark = " ✓ |"
			}
			table += mark
		}
		table += "\n"
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), begin)
	documented, after, found := strings.Cut(rest, end)
	switch {
	case !found:
		t.Fatalf("%s has no table between %q and %q", page, begin, end)
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case documented != table:
		t.Errorf("the table in %s differs; run go test ./cmd/feedwire/e2e -run FieldsOfProfiles -update. Want\n%s", page, table)
	}
}
