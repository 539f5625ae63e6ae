package parser_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
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

// hostileItems are the markup of items that cost the parser seconds, gigabytes or its stack; none of them may reach it. The
// class is that of the finding.
func hostileItems() map[string]struct {
	markup string
	class  feed.FindingClass
} {
	return map[string]struct {
		markup string
		class  feed.FindingClass
	}{
		"two million nested elements":    {strings.Repeat("<a:b>", 1_600_000), feed.FindingEntry},
		"nested and closed":              {strings.Repeat("<a:b>", 300) + strings.Repeat("</a:b>", 300), feed.FindingMarkup},
		"nested namespaces":              {numbered(`<n#:x xmlns:n#="u:#">`, 20_000), feed.FindingMarkup},
		"many xml:base":                  {strings.Repeat(`<x xml:base="b/"/>`, 20_000), feed.FindingEntry},
		"categories":                     {strings.Repeat("<category/>", 500_000), feed.FindingEntry},
		"attributes":                     {"<a:b" + numbered(` a#="1"`, 200_000) + "/>", feed.FindingMarkup},
		"namespaces of one element":      {"<a:b" + numbered(` xmlns:n#="u:#"`, 200) + "/>", feed.FindingMarkup},
		"namespaces of many elements":    {`<q` + numbered(` xmlns:n#="u:#"`, 60) + `>` + strings.Repeat(`<n1:x/>`, 100_000) + `</q>`, feed.FindingEntry},
		"a long attribute":               {`<a:b x="` + strings.Repeat("A", 3<<20) + `"/>`, feed.FindingMarkup},
		"a long text":                    {"<x:y>" + strings.Repeat("A", 3<<20) + "</x:y>", feed.FindingText},
		"a long section":                 {"<x:y><![CDATA[" + strings.Repeat("é", 2<<20) + "]]></x:y>", feed.FindingText},
		"an extension cut into CDATA":    {"<x:a>" + strings.Repeat("<![CDATA[aaaaaaaaaaaaaaaa]]>", 60_000) + "</x:a>", feed.FindingEntry},
		"an extension cut into comments": {"<x:a>" + strings.Repeat("aaaaaaaaaaaaaaaa<!---->", 60_000) + "</x:a>", feed.FindingEntry},
		"an extension cut into elements": {"<x:a>" + strings.Repeat("aaaaaaaaaaaaaaaa<b/>", 60_000) + "</x:a>", feed.FindingEntry},
		"faults":                         {"<x:a>" + strings.Repeat("&", 300_000) + "</x:a>", feed.FindingEntry},
	}
}

// hostile documents have a bomb between their items, or nothing else.
func hostile() map[string]string {
	all := map[string]string{
		"elements of the head": rss(strings.Repeat("<a/>", 300_000)),
		"nested JSON":          `{"version":"https://jsonfeed.org/version/1.1","items":` + strings.Repeat("[", 1_000_000),
		"many JSON values":     `{"version":"https://jsonfeed.org/version/1.1","items":[{"x":[` + strings.Repeat("1,", 300_000) + `1]}]}`,
		"many JSON authors":    `{"authors":[` + strings.Repeat("1,", 300_000) + `1],"items":[]}`,
		"a deep JSON item":     `{"version":"https://jsonfeed.org/version/1.1","items":[{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}]}`,
	}
	for name, item := range hostileItems() {
		if item.class == feed.FindingEntry {
			all[name] = rss("<item>" + item.markup + "</item>")
		}
	}
	return all
}

func TestDocumentBeyondTheBoundsIsRefused(t *testing.T) {
	for name, body := range hostile() {
		t.Run(name, func(t *testing.T) {
			begun := usedCPU(t)
			_, err := parseDocument(parser.Raw{Body: []byte(body), URL: feedURL, Received: received}, feedURL, 0)
			if got := class(t, err); got != feed.FailureLimits {
				t.Errorf("got class %s: %v", got, err)
			}
			if took := usedCPU(t) - begun; took > 10*time.Second { // measured: below 0.3 s, also under the race detector
				t.Errorf("took %v", took)
			}
		})
	}
}

// found returns the number of entries by the limit that they exceed.
func found(p *parser.Parsed) map[feed.FindingClass]int {
	all := make(map[feed.FindingClass]int)
	for _, f := range p.Findings {
		all[f.Class] = f.Count
	}
	return all
}

func TestEntryBeyondABoundHarmsNoOther(t *testing.T) {
	for name, c := range hostileItems() {
		t.Run(name, func(t *testing.T) {
			parsed := identified(t, "", false, item("1", "/1", "first"), "<item><guid>bad</guid>"+c.markup+"</item>",
				item("2", "/2", "second"), "<item><guid>bad 2</guid>"+c.markup+"</item>", item("3", "/3", "third"))
			got := guidsByTitle(parsed)
			if got["first"] != "1" || got["second"] != "2" || got["third"] != "3" {
				t.Errorf("got entries %v", got)
			}
			if diff := cmp.Diff(map[feed.FindingClass]int{c.class: 2}, found(&parsed)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if left := c.class == feed.FindingEntry; left != (len(parsed.Document.Entries) == 3) || left && !parsed.Document.Repaired {
				t.Errorf("got %d entries, incomplete: %v", len(parsed.Document.Entries), parsed.Document.Repaired)
			}
		})
	}
	t.Run("JSON", func(t *testing.T) {
		parsed := parsed(t, `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1"},{"id":"bad","x":[`+strings.Repeat("1,", 300_000)+
			`1]},{"id":"2"},{"id":"deep","x":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)+`}]}`, 0)
		if diff := cmp.Diff([]string{"2", "1"}, guids(parsed.Document)); diff != "" || found(&parsed)[feed.FindingEntry] != 2 {
			t.Errorf("findings %v, entries (-want +got):\n%s", parsed.Findings, diff)
		}
	})
}

func parsed(t *testing.T, body string, maxEntries int) parser.Parsed {
	t.Helper()
	parsed, err := parser.Parse(parser.Raw{Body: []byte(body), URL: feedURL, Received: received}, feedURL, maxEntries)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestNewestEntriesOfALongDocumentAreRead(t *testing.T) {
	const many = 5
	dated := func(i int) string {
		return fmt.Sprintf("<item><guid>%d</guid><pubDate>%s</pubDate></item>", i, received.Add(time.Duration(i-100)*time.Hour).Format(time.RFC1123Z))
	}
	var oldest, newest, undated, atom, items string
	for i := range many {
		oldest += dated(i)
		newest += dated(many - 1 - i)
		undated += fmt.Sprintf("<item><guid>%d</guid></item>", many-1-i)
		atom += fmt.Sprintf("<entry><id>%d</id></entry>", many-1-i)
		items += fmt.Sprintf(`,{"id":"%d"}`, many-1-i)
	}
	for name, body := range map[string]string{
		"oldest first": rss(oldest), "newest first": rss(newest), "without dates": rss(undated),
		"Atom": `<feed xmlns="http://www.w3.org/2005/Atom">` + atom + `</feed>`, "JSON": `{"version":"https://jsonfeed.org/version/1.1","items":[` + items[1:] + `]}`,
		"beside the channel": `<rdf:RDF><channel/>` + newest + `</rdf:RDF>`,
	} {
		p := parsed(t, body, 3)
		if diff := cmp.Diff([]string{"2", "3", "4"}, guids(p.Document)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(map[feed.FindingClass]int{feed.FindingEntries: many - 3}, found(&p)); diff != "" || !p.Document.Repaired {
			t.Errorf("%s: incomplete: %v, findings (-want +got):\n%s", name, p.Document.Repaired, diff)
		}
	}
	const more = 150_000
	for name, body := range map[string]string{
		"RSS": rss(strings.Repeat("<item/>", more)), "JSON": `{"version":"https://jsonfeed.org/version/1.1","items":[` + strings.Repeat("{},", more-1) + `{}]}`,
	} {
		p := parsed(t, body, 0)
		if want := more - 2000; found(&p)[feed.FindingEntries] != want {
			t.Errorf("%s: findings %v, want %d entries", name, p.Findings, want)
		}
	}
}

func TestLongValuesOfAnEntryAreCut(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	list := func(pattern string, n int) string { return numbered(pattern, n) }
	const item = "<guid>1</guid><link>/1</link><title>T</title>"
	for name, c := range map[string]struct {
		markup string
		class  feed.FindingClass
		check  func(e *feed.Entry) bool
	}{
		"title":      {"<guid>1</guid><title>" + long(8192) + "é</title>", feed.FindingTitle, func(e *feed.Entry) bool { return e.Title == long(8192)+"…" }},
		"link":       {"<guid>1</guid><link>/" + long(9000) + "</link>", feed.FindingLink, func(e *feed.Entry) bool { return e.Link == "" }},
		"author":     {item + "<author>" + long(1025) + "</author>", feed.FindingAuthors, func(e *feed.Entry) bool { return len(e.Authors) == 0 }},
		"categories": {item + list("<category>c#</category>", 101), feed.FindingCategories, func(e *feed.Entry) bool { return len(e.Categories()) == 100 }},
		"category":   {item + "<category>" + long(1025) + "</category>", feed.FindingCategories, func(e *feed.Entry) bool { return len(e.Categories()) == 0 }},
		"enclosures": {item + list(`<enclosure url="/#.mp3"/>`, 51), feed.FindingEnclosures, func(e *feed.Entry) bool { return len(e.Enclosures()) == 50 }},
		"enclosure":  {item + `<enclosure url="/` + long(9000) + `"/>`, feed.FindingEnclosures, func(e *feed.Entry) bool { return len(e.Enclosures()) == 0 }},
		"language": {item + "<dc:language xmlns:dc='http://purl.org/dc/elements/1.1/'>" + long(1025) + "</dc:language>", feed.FindingField,
			func(e *feed.Entry) bool { return e.Extra["language"] == "" }},
		"summary": {item + "<description>" + long(3<<20) + "</description>", feed.FindingText, func(e *feed.Entry) bool { return len(e.Content) == 2<<20 }},
		"section": {item + "<description><![CDATA[" + long(3<<20) + "]]></description>", feed.FindingText, func(e *feed.Entry) bool { return len(e.Content) == 2<<20 }},
	} {
		p := parsed(t, rss("<item>"+c.markup+"</item>"), 0)
		if diff := cmp.Diff(map[feed.FindingClass]int{c.class: 1}, found(&p)); diff != "" {
			t.Errorf("%s: findings (-want +got):\n%s", name, diff)
		}
		if e := &p.Document.Entries[0]; !c.check(e) || e.GUID != "1" {
			t.Errorf("%s: got %.300q", name, fmt.Sprint(*e))
		}
	}
}

func TestLongMetadataOfAFeedIsCut(t *testing.T) {
	long := strings.Repeat("x", 70<<10)
	for name, body := range map[string]string{
		"RSS": `<rss><channel><title>` + long + `</title><link>/` + long + `</link><description>` + long + `</description><language>` + long +
			`</language><item><guid>1</guid></item></channel></rss>`,
		"Atom": `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="` + long + `"><title>` + long + `</title><subtitle>` + long + `</subtitle><link href="/` + long +
			`"/><entry><id>1</id></entry></feed>`,
		"JSON": `{"version":"https://jsonfeed.org/version/1.1","title":"` + long + `","description":"` + long + `","home_page_url":"/` + long +
			`","language":"` + long + `","items":[{"id":"1"}]}`,
	} {
		p := parsed(t, body, 0)
		about := &p.Document.About
		if about.Title != long[:8<<10]+"…" || about.Description != long[:64<<10]+"…" || about.Link+about.Language != "" {
			t.Errorf("%s: title %d, description %d, link %d, language %d bytes", name, len(about.Title), len(about.Description), len(about.Link), len(about.Language))
		}
		if found(&p)[feed.FindingFeed] != 1 || len(p.Document.Entries) != 1 {
			t.Errorf("%s: %d entries, findings %v", name, len(p.Document.Entries), p.Findings)
		}
	}
}

func TestCutTextEndsAtASafePlace(t *testing.T) {
	const limit = 2 << 20
	for name, c := range map[string]struct{ end, want string }{
		"in a tag":             {`abc<a href="https://x.example/">`, "abc"},
		"in a value":           {`abc<img alt="` + strings.Repeat("<p>", 40), "abc"},
		"in a comment":         {`abc<!-- <p> ` + strings.Repeat("x", 40), "abc"},
		"in a reference":       {strings.Repeat("x", 20) + "&eacute;", strings.Repeat("x", 20)},
		"in a character":       {strings.Repeat("x", 23) + "é", strings.Repeat("x", 23)},
		"after a tag":          {"abc" + "<p>" + strings.Repeat("x", 40), "abc<p>" + strings.Repeat("x", 18)},
		"behind an ampersand":  {"A & B" + strings.Repeat("x", 40), "A "},
		"at the end of a text": {strings.Repeat("x", 24) + "<p>", strings.Repeat("x", 24)},
	} {
		before := strings.Repeat("<p>0123456789</p>\n", limit/18)
		before = before[:strings.LastIndex(before[:limit-24], "<p>")]
		before += strings.Repeat("z", limit-24-len(before))
		body := `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","content_html":` + quoted(before+c.end+strings.Repeat("y", 5)) + `}]}`
		p := parsed(t, body, 0)
		if got := strings.TrimPrefix(p.Document.Entries[0].Content, before); got != strings.TrimSpace(c.want) || found(&p)[feed.FindingText] != 1 {
			t.Errorf("%s: got %.100q, want %q; findings %v", name, got, c.want, p.Findings)
		}
		body = rss("<item><guid>1</guid><description><![CDATA[" + before + c.end + "yyyyy]]></description></item>")
		p = parsed(t, body, 0)
		if got := strings.TrimPrefix(p.Document.Entries[0].Content, before); got != strings.TrimSpace(c.want) {
			t.Errorf("%s in RSS: got %.100q, want %q", name, got, c.want)
		}
	}
}

func quoted(s string) string {
	text, _ := json.Marshal(s) // a string always encodes
	return string(text)
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

func TestEachLimitIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []feed.FindingClass
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| .+ \\| .+ \\|$").FindAllStringSubmatch(string(page), -1) {
		documented = append(documented, feed.FindingClass(row[1]))
	}
	if diff := cmp.Diff(feed.FindingClasses(), documented); diff != "" {
		t.Errorf("classes (-code +page):\n%s", diff)
	}
}
