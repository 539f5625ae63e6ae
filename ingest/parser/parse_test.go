package parser_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

const feedURL = "https://news.example/dir/feed.xml"

var received = time.Date(2025, 6, 10, 12, 0, 0, 0, time.UTC)

// parseDocument returns the document of parser.Parse.
func parseDocument(raw parser.Raw, feedURL string, maxEntries int) (feed.Document, error) {
	parsed, err := parser.Parse(raw, feedURL, maxEntries)
	return parsed.Document, err
}

// class returns the class of an error that must be a *feed.PollError.
func class(t testing.TB, err error) feed.FailureClass {
	t.Helper()
	e, ok := errors.AsType[*feed.PollError](err)
	if !ok {
		t.Fatalf("got error %v, want a *feed.PollError", err)
	}
	return e.Class
}

// read parses a document that must parse.
func read(t testing.TB, body string) feed.Document {
	t.Helper()
	doc, err := parseDocument(parser.Raw{Body: []byte(body), URL: feedURL, Received: received}, feedURL, 0)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// rss wraps items in a channel.
func rss(items string) string {
	return `<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" ` +
		`xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>T</title>` + items + `</channel></rss>`
}

func TestParseReadsEachFormat(t *testing.T) {
	want := feed.Document{
		About: feed.About{Title: "Kleine Zeitung", Description: "Jeden Tag", Link: "https://news.example/", Language: "de"},
		Entries: []feed.Entry{
			{
				FeedURL: feedURL, GUID: "tag:news.example,2025:1", Title: "Über den Fluß", Link: "https://news.example/1",
				Content: "<p>Größe &amp; Maß</p>", Authors: []string{"Anna Ö", "Bert"},
				Timestamp: time.Date(2025, 6, 9, 8, 0, 0, 0, time.UTC), Published: time.Date(2025, 6, 9, 8, 0, 0, 0, time.UTC),
			},
			{
				FeedURL: feedURL, GUID: "tag:news.example,2025:2", Title: "Zweites", Link: "https://news.example/2",
				Content: "<p>lang</p>", Summary: "kurz", Authors: []string{"Cleo"},
				Timestamp: time.Date(2025, 6, 10, 9, 30, 0, 0, time.UTC), Published: time.Date(2025, 6, 10, 9, 30, 0, 0, time.UTC),
			},
		},
	}
	for _, file := range []string{"plain.rss", "latin1.rss", "utf16.rss", "plain.atom", "plain.json"} {
		t.Run(file, func(t *testing.T) {
			body, err := os.ReadFile("testdata/" + file)
			if err != nil {
				t.Fatal(err)
			}
			want.About.Authors = nil
			if !strings.HasSuffix(file, ".rss") {
				want.About.Authors = []feed.Person{{Name: "Cleo"}}
			}
			if diff := cmp.Diff(want, read(t, string(body)), unseen); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseDecodesUndeclaredCharsets(t *testing.T) {
	cyrillic := rss("<item><guid>1</guid><title>\xcf\xf0\xe8\xe2\xe5\xf2</title></item>") // windows-1251
	cases := []struct{ name, body, contentType, want string }{
		{"the Content-Type where the XML declares none", cyrillic, "text/xml; charset=windows-1251", "Привет"},
		{"the XML declaration before the Content-Type",
			strings.Replace(cyrillic, `"1.0"?`, `"1.0" encoding="windows-1251"?`, 1), "text/xml; charset=koi8-r", "Привет"},
		{"valid UTF-8 whatever it is called", strings.Replace(rss("<item><guid>1</guid><title>Ünï</title></item>"),
			`"1.0"?`, `"1.0" encoding="iso-8859-1"?`, 1), "text/xml; charset=windows-1251", "Ünï"},
		{"windows-1252 where nothing is declared", rss("<item><guid>1</guid><title>caf\xe9 \x93x\x94</title></item>"), "", "café “x”"},
		{"UTF-8 with a stray byte", rss("<item><guid>1</guid><title>Ünïcödé \xff</title></item>"), "", "Ünïcödé \uFFFD"},
		{"ISO-2022-JP", strings.Replace(rss("<item><guid>1</guid><title>\x1b$BF|K\\\x1b(B</title></item>"),
			`"1.0"?`, `"1.0" encoding="ISO-2022-JP"?`, 1), "", "日本"},
		{"an unknown charset", rss("<item><guid>1</guid><title>caf\xe9</title></item>"), "text/xml; charset=x-bogus", "café"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			doc, err := parseDocument(parser.Raw{Body: []byte(c.body), ContentType: c.contentType, URL: feedURL, Received: received},
				feedURL, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := doc.Entries[0].Title; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestParseMendsWhatServersAddByMistake(t *testing.T) {
	item := "<item><guid>1</guid><title>A</title></item>"
	cases := map[string]string{
		"a byte order mark":           "\xef\xbb\xbf" + rss(item),
		"lines before the root":       "\n\n  \t" + rss(item),
		"a printed warning":           "<br />\n<b>Warning</b>: unlink() failed <x>\n" + rss(item),
		"a long comment":              "<!-- <html> " + strings.Repeat("x", 10_000) + " -->" + rss(item),
		"a DOCTYPE":                   `<!DOCTYPE rss [<!ENTITY nbsp "&#160;">]>` + rss(item),
		"control characters":          rss(strings.Replace(item, "A", "\x00A\x0b", 1)),
		"references to them":          rss(strings.Replace(item, "A", "&#0;A&#x1F;&#xFFFE;", 1)),
		"noncharacters":               rss(strings.Replace(item, "A", "A\uFFFE", 1)),
		"garbage behind the root":     rss(item) + "<script>if (a < b && c) {}</script>",
		"tags that are never closed":  rss("<item><guid>1</guid><title>A</title><x:y>" + strings.Repeat("<br>", 200) + "</x:y></item>"),
		"a prefix that is not bound":  rss("<item><guid>1</guid><title>A</title><zz:a b:c='1'/></item>"),
		"an entity XML does not know": rss("<item><guid>1</guid><title>A</title><description>&nbsp;&bogus;</description></item>"),
	}
	for name, body := range cases {
		t.Run(name, func(t *testing.T) {
			doc := read(t, body)
			if len(doc.Entries) != 1 || doc.Entries[0].Title != "A" {
				t.Errorf("got %+v", doc.Entries)
			}
		})
	}
}

func TestParseTellsWhatIsNoFeed(t *testing.T) {
	cases := []struct {
		name, body string
		want       feed.FailureClass
	}{
		{"nothing", "", feed.FailureNotAFeed},
		{"white space", " \n", feed.FailureNotAFeed},
		{"a byte order mark", "\xff\xfe", feed.FailureNotAFeed},
		{"a web page", "<!DOCTYPE html><html><body><rss></body></html>", feed.FailureNotAFeed},
		{"a web page without DOCTYPE", "\n<HTML lang=en><body>", feed.FailureNotAFeed},
		{"other XML", "<?xml version='1.0'?><opml><body/></opml>", feed.FailureNotAFeed},
		{"text", "it works!", feed.FailureNotAFeed},
		{"other JSON", `{"error":"gone"}`, feed.FailureNotAFeed},
		{"damaged JSON", `{"version":"https://jsonfeed.org/version/1.1","items":[`, feed.FailureParse},
		{"JSON of a wrong shape", `{"version":"https://jsonfeed.org/version/1.1","items":{"a":1}}`, feed.FailureParse},
		{"a cut document", `<rss version="2.0"><channel><title>t</title><item><title>b`, feed.FailureParse},
		{"two JSON values", `{"version":"https://jsonfeed.org/version/1.1","items":[]}{"items":[]}`, feed.FailureParse},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := parser.Parse(parser.Raw{Body: []byte(c.body), URL: feedURL, Received: received}, feedURL, 0)
			if got := class(t, err); got != c.want {
				t.Errorf("got class %s (%v), want %s", got, err, c.want)
			}
		})
	}
}

func TestParseKeepsLongAndRichDocuments(t *testing.T) {
	var items strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&items, "<item>\n\t<guid>%d</guid>\n\t<title>t &amp; <![CDATA[x]]></title>\n\t<dc:creator>a</dc:creator>\n</item>\n", i)
	}
	if got := len(read(t, rss(items.String())).Entries); got != 2000 {
		t.Errorf("got %d entries", got)
	}
	split := strings.Repeat("<![CDATA[a]]]]><![CDATA[>b]]>", 500)
	if got := read(t, rss("<item><guid>1</guid><description>"+split+"</description></item>")).Entries[0].Content; len(got) != 500*5 {
		t.Errorf("got %d bytes of content cut into many sections", len(got))
	}
}

func TestParseReadsALongRoot(t *testing.T) {
	spaces := numbered(` xmlns:n#="https://x.example/a-namespace-with-quite-a-long-name/and-more-of-it/1.0/#"`, 60)
	for name, body := range map[string]string{
		"RSS":  `<rss version="2.0"` + spaces + `><channel><item><guid>1</guid></item></channel></rss>`,
		"Atom": `<feed xmlns="http://www.w3.org/2005/Atom"` + spaces + `><entry><id>1</id></entry></feed>`,
		"RDF":  `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"` + spaces + `><channel/><item rdf:about="1"/></rdf:RDF>`,
	} {
		if doc := read(t, body); len(doc.Entries) != 1 {
			t.Errorf("%s: %+v", name, doc)
		}
	}
}
