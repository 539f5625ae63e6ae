package feedxml_test

import (
	"encoding/json"
	"encoding/xml"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// hostile has every character that needs care in some format.
const hostile = "a\x00\x0b\uFFFE\xff]]>&<b>\"'\r\n"

func TestEveryDocumentIsWellFormed(t *testing.T) {
	hostilePerson := feed.Person{Name: hostile, Email: hostile, URL: hostile, Image: hostile, Role: hostile, Group: hostile}
	details := feed.FileDetails{Title: hostile, Description: hostile, Language: hostile, Credits: []feed.Person{hostilePerson}}
	hostileFiles := []feed.Enclosure{{URL: hostile, Type: hostile, FileDetails: details}}
	for _, rel := range []string{feed.RelThumbnail, feed.RelPlayer, feed.RelAlternate, hostile} {
		details.Rel = rel
		hostileFiles = append(hostileFiles, feed.Enclosure{URL: hostile, FileDetails: details})
	}
	c := &feedxml.Channel{Title: hostile, Link: hostile, Description: hostile, Language: hostile, Copyright: hostile, Logo: hostile,
		DarkLogo: hostile, Icon: hostile, Authors: []feed.Person{hostilePerson}, Categories: []feed.Category{{Term: hostile}}, Self: hostile, Hub: hostile, Changed: time.Unix(1, 0)}
	e := &feedxml.Entry{
		IDs: feedxml.IDs{RSS: hostile, Atom: hostile, JSON: hostile}, Title: hostile, ShortTitle: hostile, Link: hostile,
		Published: time.Unix(1, 0), Modified: time.Unix(2, 0), Authors: []feed.Person{hostilePerson},
		Contributors: []feed.Person{hostilePerson}, Persons: []feed.Person{hostilePerson}, Media: hostileFiles,
		Chapters: []feed.Chapter{{Title: hostile, URL: hostile}}, Transcripts: []feed.Transcript{{URL: hostile, Type: hostile}},
		Fields:      make(map[string]string),
		Categories:  []feed.Category{{Term: hostile, Scheme: hostile, Label: hostile}},
		Description: hostile, Summary: hostile, Image: feed.Enclosure{URL: hostile, Type: hostile, FileDetails: details},
		Files: append(hostileFiles, feed.Enclosure{URL: hostile}), AllFiles: true, Content: hostile,
	}
	for _, f := range feed.Scalars() {
		e.Fields[f.Name] = hostile
	}
	d := &profile.Profile{
		Namespaces: feedxml.SourceProfile().Namespaces, ChannelDates: []string{"pubDate", "lastBuildDate"}, TTL: 5,
		Logo: "image", DarkLogo: "media:logo", Author: "dc:creator", Modified: "atom:updated", ShortTitle: "media:title",
		Images: []string{"enclosure", "media:content", "media:thumbnail"},
	}
	for _, format := range feedxml.Formats() {
		w := feedxml.New(format, d)
		encoded, err := w.Entry(e)
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		document, err := w.Document(c, [][]byte{encoded, encoded})
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if err := w.Check(document, 2); err != nil {
			t.Errorf("%s: %v in\n%s", format, err, document)
		}
		if w.Check(document, 3) == nil || w.Check(document[:len(document)-10], 2) == nil {
			t.Errorf("%s: Check accepts a document with another number of entries, or a damaged one", format)
		}
	}
}

func TestForbiddenCharactersOfContentAreReplaced(t *testing.T) {
	w := feedxml.New(feedxml.RSS, &profile.Profile{})
	encoded, err := w.Entry(&feedxml.Entry{Content: "<p>1\x002\x0b3\uFFFE4\xff5]]>6</p>"})
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Content string `xml:"encoded"`
	}
	if err := xml.Unmarshal(encoded, &read); err != nil {
		t.Fatal(err)
	}
	if want := "<p>1\uFFFD2\uFFFD3\uFFFD4\uFFFD5]]>6</p>"; read.Content != want {
		t.Errorf("content is %q, want %q", read.Content, want)
	}
}

func TestGUIDsAreFoundByTheirIDs(t *testing.T) {
	const base = "http://harbour.example/feed"
	for _, guid := range []string{"tag:harbour.example,2026:1", "http://harbour.example/1", "17", "a b&c#d", "é", ""} {
		ids := feedxml.NewIDs(guid, base)
		for _, id := range []string{ids.RSS, ids.Atom, ids.JSON} {
			if got := feedxml.EntryGUID(id, base); got != guid {
				t.Errorf("guid of %q is %q, want %q", id, got, guid)
			}
		}
		if u, err := url.Parse(ids.Atom); err != nil || !u.IsAbs() {
			t.Errorf("Atom ID %q is not an IRI", ids.Atom)
		}
	}
	if id := base + "#http://harbour.example/1"; feedxml.EntryGUID(id, base) != id {
		t.Errorf("a guid that resembles a made ID is %q, want %q", feedxml.EntryGUID(id, base), id)
	}
}

func TestEntryKeepsWhatItsSourceSays(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	got := feedxml.FromEntry(&feed.Entry{
		GUID: "1", Title: "Title", Timestamp: at, Published: time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC), Extra: map[string]string{
			"categories": `[{"term":"a","label":"A"},{"label":"without a term"}]`, "enclosures": `[{"url":"http://a.example/1.mp3"}]`,
		},
	}, "base")
	switch {
	case !got.Published.IsZero() || !got.Modified.Equal(at):
		t.Errorf("dates are %s and %s", got.Published, got.Modified)
	case len(got.Categories) != 1 || got.Categories[0].Label != "A":
		t.Errorf("categories are %+v", got.Categories)
	case len(got.Files) != 1 || got.Files[0].Type != "audio/mpeg":
		t.Errorf("files are %+v", got.Files)
	case got.Headline != "Title":
		t.Errorf("headline is %q", got.Headline)
	}
	if got := feedxml.FromEntry(&feed.Entry{GUID: "1", Extra: map[string]string{"categories": `[{`}}, ""); len(got.Categories) > 0 ||
		got.Headline != "1" || strings.Contains(got.Modified.String(), "0001") {
		t.Errorf("a bare entry is %+v", got)
	}
}

func TestMalformedNumberIsLeftOut(t *testing.T) {
	row := feed.Scalars()[0]
	before := *row
	t.Cleanup(func() { *row = before })
	*row = feed.Field{Name: "count", Kind: feed.KindNumber, RSS: "slash:comments", JSON: "_count"}
	for value, want := range map[string]bool{"7": true, "0": true, "07": false, "-1": false, "many": false, "1e3": false} {
		for _, format := range feedxml.Formats() {
			w := feedxml.New(format, &profile.Profile{})
			encoded, err := w.Entry(&feedxml.Entry{Fields: map[string]string{"count": value}})
			if err != nil {
				t.Fatalf("%s: %s: %v", format, value, err)
			}
			if got := strings.Contains(string(encoded), "omment") || strings.Contains(string(encoded), "_count"); got != (want && format != feedxml.Atom) {
				t.Errorf("%s: %s: count is there: %v", format, value, got)
			}
		}
	}
}

// TestInvalidStoredValuesAreLeftOut writes what earlier versions stored.
func TestInvalidStoredValuesAreLeftOut(t *testing.T) {
	entry := feed.Entry{GUID: "1", Title: "T", Extra: map[string]string{
		"comment_count": "2.7", "season": "1.5", "geo_polygon": "1 2 3 4 5 6", "media": `[{"url":"https://a.example/evil","rel":"evil"}]`,
		"episode": "3.5",
	}}
	for _, format := range feedxml.Formats() {
		w := feedxml.New(format, feedxml.SourceProfile())
		encoded, err := w.Entry(feedxml.FromEntry(&entry, ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, unwanted := range []string{"2.7", "1.5", "5 6", "evil", "itunes:episode"} {
			if strings.Contains(string(encoded), unwanted) {
				t.Errorf("%s has %s: %s", format, unwanted, encoded)
			}
		}
		if !strings.Contains(string(encoded), "3.5") {
			t.Errorf("%s lacks the episode: %s", format, encoded)
		}
	}
	if text, err := json.Marshal(entry); err != nil || strings.Contains(string(text), "evil") {
		t.Errorf("the API returns %s, %v", text, err)
	}
}
