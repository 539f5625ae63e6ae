package parser_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/ingest/parser"
)

// all parses a document that must parse.
func all(t testing.TB, body string) parser.Parsed {
	t.Helper()
	parsed, err := parser.Parse(parser.Raw{Body: []byte(body), URL: feedURL, Received: received}, feedURL, 0)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestHintsTellHowOftenAFeedChanges(t *testing.T) {
	cases := []struct {
		name, body string
		want       parser.Hints
	}{
		{"RSS", rss(`<ttl> 90 </ttl><skipHours><hour>0</hour><hour>24</hour><hour>7</hour><hour>x</hour></skipHours>` +
			`<skipDays><day>Sunday</day><day>sat</day></skipDays>` +
			`<sy:updatePeriod xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">hourly</sy:updatePeriod>` +
			`<sy:updateFrequency xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">2</sy:updateFrequency>`),
			parser.Hints{TTL: 90 * time.Minute, SyPeriod: 30 * time.Minute, SkipHours: 1<<0 | 1<<7, SkipDays: 1<<time.Sunday | 1<<time.Saturday}},
		{"nonsense", rss(`<ttl>-5</ttl><sy:updatePeriod xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">often</sy:updatePeriod>`), parser.Hints{}},
		{"too long", rss(`<ttl>99999999999</ttl>`), parser.Hints{TTL: 31 * 24 * time.Hour}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, all(t, c.body).Hints); diff != "" {
				t.Errorf("hints (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCategoriesAndEnclosuresAreKeptOnce(t *testing.T) {
	parsed := all(t, rss(`<item><guid>1</guid><category domain="d">News</category><category>News</category><dc:subject>More</dc:subject>`+
		`<enclosure url="/a.mp3" type="audio/mpeg" length="12"/><enclosure url="/a.mp3"/><enclosure url="javascript:x"/></item>`))
	want := map[string]string{
		"categories": `[{"term":"News","scheme":"d"},{"term":"More"}]`,
		"enclosures": `[{"url":"https://news.example/a.mp3","type":"audio/mpeg","length":"12"}]`,
	}
	if diff := cmp.Diff(want, parsed.Document.Entries[0].Extra); diff != "" {
		t.Errorf("extra fields (-want +got):\n%s", diff)
	}
}

func TestPeopleAreCalledByName(t *testing.T) {
	for in, want := range map[string]string{
		"Ann": "Ann", "ann@x.example (Ann)": "Ann", "Ann (ann@x.example)": "Ann", "Ann <ann@x.example>": "Ann",
		"<ann@x.example>": "ann@x.example", "ann@x.example": "ann@x.example", "Ann (Berlin)": "Ann (Berlin)",
		"<name>Ann</name><email>a@x.example</email>": "Ann", "mailto:ann@x.example": "ann@x.example", "": "",
	} {
		if got := parser.PersonName(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestRepairsAreReported(t *testing.T) {
	parsed := all(t, rss("<item><guid>1</guid><title>a & b</title></item>"))
	if len(parsed.Repairs) != 1 || parsed.Document.Repaired {
		t.Errorf("got %q, repaired %v: a mended reference hides no entry", parsed.Repairs, parsed.Document.Repaired)
	}
	parsed = all(t, rss("<item><guid>1</guid></item></p>"))
	if len(parsed.Repairs) != 1 || !parsed.Document.Repaired {
		t.Errorf("got %q, repaired %v: a stray end tag may", parsed.Repairs, parsed.Document.Repaired)
	}
}

func TestBasesAreResolvedAsTheStandardHasIt(t *testing.T) {
	e := all(t, `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://x.example/a/b"><entry><id>1</id><link href="c"/>`+
		`<link rel="enclosure" xml:base="/e/" href="f"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">`+
		`<p xml:base="in/"><a href="y">y</a></p><a href="z">z</a></div></content></entry></feed>`).Document.Entries[0]
	const content = `<p><a href="https://x.example/a/in/y">y</a></p><a href="https://x.example/a/z">z</a>`
	if e.Link != "https://x.example/a/c" || e.Content != content || e.Extra["enclosures"] != `[{"url":"https://x.example/e/f"}]` {
		t.Errorf("got %+v", e)
	}
}
