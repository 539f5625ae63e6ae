package parser_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
)

func TestRareElementsOfFeedsAreRead(t *testing.T) {
	about := read(t, `<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><author>Ann (ann@x.example)</author><dc:author>Bob</dc:author>`+
		`<dc:subject>ships</dc:subject><dc:subject>tides</dc:subject><item><guid>1</guid></item></channel></rss>`).About
	if diff := cmp.Diff([]feed.Person{{Name: "Ann", Email: "ann@x.example"}, {Name: "Bob"}}, about.Authors); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]feed.Category{{Term: "ships"}, {Term: "tides"}}, about.Categories); diff != "" {
		t.Error(diff)
	}
}

func TestRareElementsOfEntriesAreRead(t *testing.T) {
	const (
		itunes = `<rss xmlns:itunes="http://www.itunes.com/DTDs/Podcast-1.0.dtd"><channel><item><guid>1</guid>%</item></channel></rss>`
		atom   = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:gml="http://www.opengis.net/gml" xmlns:psc="http://podlove.org/simple-chapters"><entry><id>1</id>%</entry></feed>`
	)
	for _, c := range []struct{ document, markup, field, want string }{
		{itunes, `<itunes:image url="https://x.example/i.png"/>`, "image", "https://x.example/i.png"},
		{itunes, `<itunes:link rel="image" href="https://x.example/i.png"/>`, "image", "https://x.example/i.png"},
		{itunes, `<geo:lat xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#">53,55</geo:lat>`, "geo_point", ""},
		{atom, `<gml:Point><gml:pos>36.9 31.1</gml:pos></gml:Point>`, "geo_point", "36.9 31.1"},
	} {
		if got := read(t, within(c.document, c.markup)).Entries[0].Extra[c.field]; got != c.want {
			t.Errorf("%s: got %q", c.markup, got)
		}
	}
	const list = `<psc:chapters version="1.2"><psc:chapter start="0" title="One"/></psc:chapters>`
	var chapters []feed.Chapter
	if err := json.Unmarshal([]byte(read(t, within(atom, list+list)).Entries[0].Extra["chapters"]), &chapters); err != nil || len(chapters) != 1 {
		t.Errorf("got chapters %v, %v", chapters, err)
	}
}

// within puts markup where a document has a percent sign.
func within(document, markup string) string { return strings.Replace(document, "%", markup, 1) }

func TestEntryWithOneFieldIsKept(t *testing.T) {
	first := read(t, rss("<item><comments>https://x.example/1</comments></item><item><comments>https://x.example/2</comments></item><item/>")).Entries
	again := read(t, rss("<item><comments>https://x.example/1</comments></item>")).Entries
	if len(first) != 2 || len(again) != 1 || first[1].GUID != again[0].GUID && first[0].GUID != again[0].GUID {
		t.Errorf("got %v, then %v", first, again)
	}
}

func TestAtomItemsAreEntries(t *testing.T) {
	if got := read(t, `<feed version="0.3" xmlns="http://purl.org/atom/ns#"><item><id>1</id><title>A</title></item></feed>`).Entries; len(got) != 1 || got[0].Title != "A" {
		t.Errorf("got %v", got)
	}
}

func TestEmptyRDFOfRSSIsAFeed(t *testing.T) {
	for _, space := range []string{"http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/"} {
		read(t, `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="`+space+`"></rdf:RDF>`)
	}
}
