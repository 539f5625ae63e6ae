package parser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

// numbered repeats a pattern with a number in it.
func numbered(pattern string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(pattern, "#", fmt.Sprint(i)))
	}
	return b.String()
}

// hostile documents cost the parser seconds, gigabytes or its stack; none of them may reach it.
func hostile() map[string]string {
	item := func(s string) string { return rss("<item>" + s + "</item>") }
	return map[string]string{
		"two million nested elements":    item(strings.Repeat("<a:b>", 1_600_000)),
		"nested and closed":              item(strings.Repeat("<a:b>", 300) + strings.Repeat("</a:b>", 300)),
		"nested namespaces":              item(numbered(`<n#:x xmlns:n#="u:#">`, 20_000)),
		"nested xml:base":                `<feed xmlns="http://www.w3.org/2005/Atom">` + strings.Repeat(`<x xml:base="b/">`, 50_000),
		"many xml:base":                  item(strings.Repeat(`<x xml:base="b/"/>`, 20_000)),
		"a million items":                rss(strings.Repeat("<item/>", 1_000_000)),
		"items beside the channel":       `<rdf:RDF>` + strings.Repeat("<item/>", 3000) + `</rdf:RDF>`,
		"entries":                        `<feed>` + strings.Repeat("<entry/>", 3000) + `</feed>`,
		"categories":                     item(strings.Repeat("<category/>", 500_000)),
		"attributes":                     item("<a:b" + numbered(` a#="1"`, 200_000) + "/>"),
		"namespaces of one element":      item("<a:b" + numbered(` xmlns:n#="u:#"`, 200) + "/>"),
		"namespaces of many elements":    item(`<q` + numbered(` xmlns:n#="u:#"`, 60) + `>` + strings.Repeat(`<n1:x/>`, 100_000) + `</q>`),
		"a long attribute":               item(`<a:b x="` + strings.Repeat("A", 3<<20) + `"/>`),
		"a long text":                    item("<title>" + strings.Repeat("A", 3<<20) + "</title>"),
		"a long comment":                 item("<!--" + strings.Repeat("x", 3<<20) + "-->"),
		"an extension cut into CDATA":    item("<x:a>" + strings.Repeat("<![CDATA[aaaaaaaaaaaaaaaa]]>", 60_000) + "</x:a>"),
		"an extension cut into comments": item("<x:a>" + strings.Repeat("aaaaaaaaaaaaaaaa<!---->", 60_000) + "</x:a>"),
		"an extension cut into elements": item("<x:a>" + strings.Repeat("aaaaaaaaaaaaaaaa<b/>", 60_000) + "</x:a>"),
		"nested JSON":                    `{"items":` + strings.Repeat("[", 1_000_000),
		"many JSON values":               `{"items":[{"x":[` + strings.Repeat("1,", 300_000) + `1]}]}`,
		"many JSON items":                `{"items":[` + strings.Repeat("{},", 3000) + `{}]}`,
		"a long JSON text":               `{"items":[],"title":"` + strings.Repeat("A", 3<<20) + `"}`,
	}
}

func TestPrescanRefusesHostileDocuments(t *testing.T) {
	for name, body := range hostile() {
		t.Run(name, func(t *testing.T) {
			begun := usedCPU(t)
			err := parser.Prescan([]byte(body))
			if got := class(t, err); got != feed.FailureLimits {
				t.Errorf("got class %s: %v", got, err)
			}
			if took := usedCPU(t) - begun; took > 10*time.Second { // measured: below 0.3 s, also under the race detector
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestNestedBasesDoNotGrowWithoutBound(t *testing.T) {
	long := strings.Repeat("a", 1000) + "/"
	doc := read(t, `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/`+long+`"><entry xml:base="`+long+`"><id>1</id><link href="x"/>`+
		strings.Repeat(`<x:y xml:base="`+long+`">`, 200)+strings.Repeat(`</x:y>`, 200)+
		`<content type="html" xml:base="`+long+`">&lt;a href="y"></content></entry></feed>`)
	if e := doc.Entries[0]; len(e.Link) > 2100 || len(e.Content) > 2200 {
		t.Errorf("got a link of %d and content of %d bytes", len(e.Link), len(e.Content))
	}
}

func TestEntityExpansionDoesNotHappen(t *testing.T) {
	doctype := `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>`
	e := read(t, doctype+rss("<item><guid>1</guid><title>[&b;&f;]</title></item>")).Entries[0]
	if strings.Contains(e.Title, "aaa") || strings.Contains(e.Title, "root") {
		t.Errorf("got title %q", e.Title)
	}
}

func FuzzRead(f *testing.F) {
	for _, body := range []string{
		rss("<item><guid>1</guid><title>A &amp; B</title><pubDate>Tue, 10 Jun 2025 14:05:00 GMT</pubDate></item>"),
		rss("<item><x:a>b</p></x:a><![CDATA[c]]>"),
		rss(`<ttl>90</ttl><skipHours><hour>24</hour></skipHours><skipDays><day>sat</day></skipDays><sy:updateFrequency>2</sy:updateFrequency>` +
			`<atom:link rel="hub self" href="/h"/><item><author>a@x.example (A)</author><category domain="d">c</category><enclosure url="e" length="1"/></item>`),
		`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/b/"><entry xml:base="c"><id>1</id><content type="xhtml"><div><a href="x"/></div></content></entry></feed>`,
		`<rdf:RDF><channel/><item rdf:about="x"/></rdf:RDF>`,
		`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","content_html":"<img srcset='a 1x'>"}]}`,
		`{"hubs":[{"type":"WebSub","url":"/h"}],"language":5,"items":[{"id":1.5,"tags":"a","authors":[{"name":"A"}],"attachments":[{"url":"e"}],"date_published":"2025-06-10"}]}`,
		"\xff\xfe<\x00r\x00s\x00s\x00>\x00", "<html>", "{", "",
	} {
		f.Add([]byte(body), "text/xml; charset=windows-1251")
	}
	const month = 31 * 24 * time.Hour
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		raw := parser.Raw{Body: body, ContentType: contentType, URL: feedURL, Received: received}
		got, err := parser.Parse(raw, feedURL, 0)
		if err != nil {
			if strings.Contains(err.Error(), "panic") {
				t.Fatal(err)
			}
			_ = class(t, err)
			return
		}
		again, err := parser.Parse(raw, feedURL, 0)
		if diff := cmp.Diff(got, again); err != nil || diff != "" {
			t.Fatalf("a second time, %v (-first +second):\n%s", err, diff)
		}
		if len(got.Bases) != len(got.Document.Entries) {
			t.Errorf("%d bases of %d entries", len(got.Bases), len(got.Document.Entries))
		}
		seen := map[string]bool{}
		for _, e := range got.Document.Entries {
			if e.Validate() != nil || seen[e.GUID] || e.Timestamp.After(received) {
				t.Errorf("entry %+v is invalid, repeated or of the future", e)
			}
			seen[e.GUID] = true
			if text := e.GUID + e.Link + e.Title + strings.Join(e.Authors, "") + e.Content + e.Summary; !utf8.ValidString(text) || strings.Contains(text, "\x00") {
				t.Errorf("entry %+q is no text", text)
			}
		}
		if h := got.Hints; h.TTL < 0 || h.TTL > month || h.SyPeriod < 0 || h.SyPeriod > month || h.SkipHours >= 1<<24 ||
			h.SkipDays >= 1<<7 {
			t.Errorf("hints %+v", h)
		}
	})
}
