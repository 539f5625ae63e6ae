package parser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

// unseen leaves out of a comparison what does not come from the document's texts.
var unseen = cmp.Options{cmpopts.IgnoreFields(feed.Entry{}, "Aliases"), cmpopts.IgnoreFields(feed.Document{}, "Received", "Format")}

func guids(doc feed.Document) []string {
	var out []string
	for _, e := range doc.Entries {
		out = append(out, e.GUID)
	}
	return out
}

func TestEntriesAreNamedByGUIDThenLinkThenText(t *testing.T) {
	long := strings.Repeat("g", 600)
	doc := read(t, rss(`<item><guid> a </guid><link>https://x.example/a</link></item>`+
		`<item><link>/b</link></item>`+
		`<item><title>only text</title></item>`+
		`<item><guid>`+long+`</guid></item>`+
		`<item><pubDate>Mon, 09 Jun 2025 08:00:00 GMT</pubDate></item>`+
		`<item></item>`))
	got := guids(doc)
	if len(got) != 5 { // the one with nothing at all is left out; the dated one is the oldest
		t.Fatalf("got %q", got)
	}
	if got[4] != "a" || got[3] != "https://news.example/b" {
		t.Errorf("got %q", got)
	}
	for _, i := range []int{0, 1, 2} {
		if !strings.HasPrefix(got[i], "sha256:") || len(got[i]) != 71 {
			t.Errorf("got guid %q, want a hash", got[i])
		}
	}
	if diff := cmp.Diff(got, guids(read(t, rss(`<item><guid> a </guid><link>https://x.example/a</link></item>`+
		`<item><link>/b</link></item><item><title>only text</title></item><item><guid>`+long+`</guid></item>`+
		`<item><pubDate>Mon, 09 Jun 2025 08:00:00 GMT</pubDate></item>`)))); diff != "" {
		t.Errorf("second parse (-first +second):\n%s", diff)
	}
}

func TestAtomAndRDFItemsKeepTheirIDsAsWritten(t *testing.T) {
	doc := read(t, `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://other.example/base/">`+
		`<id>feed</id><entry><id> HTTP://X.example/%7Ea?b=1&amp;c </id><link href="1.html"/></entry>`+
		`<entry xml:base="deeper/"><id>2</id><link href="2.html"/>`+
		`<content type="html" xml:base="/img/">&lt;img src="i.png"></content></entry></feed>`)
	want := []feed.Entry{
		{FeedURL: feedURL, GUID: "2", Link: "https://other.example/base/deeper/2.html", Timestamp: received,
			Content: `<img src="https://other.example/img/i.png">`},
		{FeedURL: feedURL, GUID: "HTTP://X.example/%7Ea?b=1&c", Link: "https://other.example/base/1.html", Timestamp: received},
	}
	if diff := cmp.Diff(want, doc.Entries, unseen); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	rdf := read(t, `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">`+
		`<channel rdf:about="c"><title>t</title></channel><item rdf:about="urn:1"><id>x</id><content>y</content><link>https://x.example/1</link></item></rdf:RDF>`)
	if got := guids(rdf); len(got) != 1 || got[0] != "urn:1" {
		t.Errorf("got %q, want the item's rdf:about", got)
	}
}

func TestLinksBecomeAbsolute(t *testing.T) {
	cases := []struct{ name, item, want string }{
		{"relative to the document", "<link>a.html</link>", "https://news.example/dir/a.html"},
		{"relative to the host", "<link>/a.html</link>", "https://news.example/a.html"},
		{"without a scheme", "<link>//x.example/a</link>", "https://x.example/a"},
		{"with line ends around", "<link>\n https://x.example/a \n</link>", "https://x.example/a"},
		{"from a permalink guid", "<guid>https://x.example/g</guid>", "https://x.example/g"},
		{"not from another guid", `<guid isPermaLink="false">https://x.example/g</guid>`, ""},
		{"from atom:link", `<a:link xmlns:a="http://www.w3.org/2005/Atom" href="/at"/><guid>1</guid>`, "https://news.example/at"},
		{"from atom:link with another spelling", `<a:link xmlns:a="http://www.w3.org/2005/Atom" REL=" ALTERNATE" HREF="/at"/><guid>1</guid>`, "https://news.example/at"},
		{"from a guid behind a script", `<a:link xmlns:a="http://www.w3.org/2005/Atom" href="javascript:1"/><guid>https://x.example/g</guid>`, "https://x.example/g"},
		{"no scripts", "<guid>1</guid><link>javascript:alert(1)</link>", ""},
		{"no mail", "<guid>1</guid><link>mailto:a@x.example</link>", ""},
		{"an empty link is none", "<guid>1</guid><link> </link>", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := read(t, rss("<item><title>t</title>"+c.item+"</item>")).Entries[0].Link; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestContentLinksBecomeAbsolute(t *testing.T) {
	cases := []struct{ in, want string }{
		{`<a href="b.html">x</a>`, `<a href="https://x.example/d/b.html">x</a>`},
		{`<IMG  alt='a' src='/i.png' srcset="i.png 1x, /j,k.png 2x">`,
			`<img alt="a" src="https://x.example/i.png" srcset="https://x.example/d/i.png 1x, https://x.example/j,k.png 2x">`},
		{`<video poster="p.jpg"></video>`, `<video poster="https://x.example/d/p.jpg"></video>`},
		{`<A  HREF='https://o.example/'  >kept as it is</A ><br/>`, `<A  HREF='https://o.example/'  >kept as it is</A ><br/>`},
		{`<a href="#note">1</a> <a href="mailto:a@b.example">m</a>`, `<a href="#note">1</a> <a href="mailto:a@b.example">m</a>`},
		{`a < b & c <`, `a < b & c <`},
		{`<a href="::bad%zz">`, `<a href="::bad%zz">`},
		{`<p>unclosed <a href="x"`, `<p>unclosed <a href="x"`},
	}
	for _, c := range cases {
		if got := parser.Resolve("https://x.example/d/feed", c.in); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestTimestampsAreStableAndNeverInTheFuture(t *testing.T) {
	at := func(s string) time.Time {
		when, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	cases := []struct {
		name, published, updated string
		wantTimestamp, wantPub   time.Time
	}{
		{"published alone", "2025-06-01T10:00:00+02:00", "", at("2025-06-01T08:00:00Z"), at("2025-06-01T08:00:00Z")},
		{"updated later", "2025-06-01T10:00:00Z", "2025-06-02T10:00:00.9Z", at("2025-06-02T10:00:00Z"), at("2025-06-01T10:00:00Z")},
		{"updated before published", "2025-06-02T10:00:00Z", "2025-06-01T10:00:00Z", at("2025-06-02T10:00:00Z"), at("2025-06-02T10:00:00Z")},
		{"updated alone", "", "2025-06-01T10:00:00Z", at("2025-06-01T10:00:00Z"), time.Time{}},
		{"no date", "", "", received, time.Time{}},
		{"no date that can be read", "soon", "", received, time.Time{}},
		{"far future", "2099-01-01T00:00:00Z", "", received, time.Time{}},
		{"a clock a little ahead", received.Add(30 * time.Minute).Format(time.RFC3339), "", received, received.Add(30 * time.Minute)},
		{"year 1", "0001-01-01T00:00:00Z", "", received, time.Time{}},
		{"epoch", "1970-01-01T00:00:00Z", "", received, time.Time{}},
		{"epoch in another zone", "1969-12-31T16:00:00-08:00", "", received, time.Time{}},
		{"zero of a spreadsheet", "1899-12-30T00:00:00Z", "", received, time.Time{}},
		{"in 1960", "1960-05-01T08:00:00Z", "", at("1960-05-01T08:00:00Z"), at("1960-05-01T08:00:00Z")},
		{"in 1847", "1847-05-01T08:00:00Z", "", at("1847-05-01T08:00:00Z"), at("1847-05-01T08:00:00Z")},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dates := ""
			if c.published != "" {
				dates += "<published>" + c.published + "</published>"
			}
			if c.updated != "" {
				dates += "<updated>" + c.updated + "</updated>"
			}
			e := read(t, `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id>`+dates+`</entry></feed>`).Entries[0]
			if !e.Timestamp.Equal(c.wantTimestamp) || !e.Published.Equal(c.wantPub) {
				t.Errorf("got timestamp %v, published %v; want %v, %v", e.Timestamp, e.Published, c.wantTimestamp, c.wantPub)
			}
		})
	}
}

func TestEntriesComeOldestFirst(t *testing.T) {
	item := func(guid, date string) string {
		return "<item><guid>" + guid + "</guid><pubDate>" + date + "</pubDate></item>"
	}
	doc := read(t, rss(item("undated", "")+item("c", "Tue, 10 Jun 2025 10:00:00 GMT")+item("b2", "Mon, 09 Jun 2025 10:00:00 GMT")+
		item("b1", "Mon, 09 Jun 2025 10:00:00 GMT")+item("a", "Sun, 08 Jun 2025 10:00:00 GMT")))
	if diff := cmp.Diff([]string{"a", "b1", "b2", "c", "undated"}, guids(doc)); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestTitlesAreText(t *testing.T) {
	cases := map[string]string{
		"AT&amp;T":                          "AT&T",
		"a &lt;b&gt;b&lt;/b&gt; c":          "a b c",
		"List<T> and <em>x</em>":            "List<T> and x",
		" two\n  lines ":                    "two lines",
		"a<br>b<script>alert(1)</script>":   "a b",
		"1 < 2 > 0":                         "1 < 2 > 0",
		"nul\x00bell\x07del\x7f\u0085":      "nulbelldel",
		"\xffbad":                           "bad",
		"<i>unclosed":                       "unclosed",
		"Fran&ccedil;ois &#8211; &nbsp; ok": "François – ok",
	}
	for in, want := range cases {
		got := parser.PlainText(in)
		if strings.Contains(in, "&lt;b") { // an XML parser has decoded such a title once before
			got = parser.PlainText(strings.NewReplacer("&lt;", "<", "&gt;", ">").Replace(in))
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestAuthorsAreAllKeptOnce(t *testing.T) {
	doc := read(t, rss(`<item><guid>1</guid><author>ann@x.example (Ann)</author><author>cy@x.example (Cy)</author>`+
		`<dc:creator> Ann </dc:creator><dc:creator>Bob</dc:creator><dc:creator/></item>`))
	if diff := cmp.Diff([]string{"Ann", "Cy", "Bob"}, doc.Entries[0].Authors); diff != "" {
		t.Errorf("authors (-want +got):\n%s", diff)
	}
}

func TestResolvingDoesNotInflateContent(t *testing.T) {
	base := "http://x.example/" + strings.Repeat("a/", 1000)
	content := strings.Repeat("<a href=x>", 80_000)
	if got := parser.Resolve(base, content); got != content {
		t.Errorf("%d bytes of content became %d", len(content), len(got))
	}
}

func TestAuthorsAreBounded(t *testing.T) {
	var authors strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&authors, "<dc:creator>Author %d</dc:creator>", i)
	}
	body := `<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><item><guid>1</guid><title>T</title>` +
		authors.String() + `</item></channel></rss>`
	doc, err := parseDocument(parser.Raw{Body: []byte(body), URL: "http://x.example/", Received: time.Now()}, "http://x.example/", 0)
	if err != nil || len(doc.Entries) != 1 || len(doc.Entries[0].Authors) != 50 {
		t.Errorf("%v; %d entries", err, len(doc.Entries))
	}
}

func TestPlainTextContentIsNotTakenForMarkup(t *testing.T) {
	atom := read(t, `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><content type="text">a &lt;b&gt;</content></entry></feed>`)
	json := read(t, `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":1,"content_text":"a <b>","external_url":"/x"}]}`)
	for _, doc := range []feed.Document{atom, json} {
		if got := doc.Entries[0].Content; got != "a &lt;b&gt;" {
			t.Errorf("got content %q", got)
		}
	}
	if e := json.Entries[0]; e.GUID != "1" || e.Link != "https://news.example/x" {
		t.Errorf("got guid %q, link %q", e.GUID, e.Link)
	}
}

func TestDigestDoesNotChangeWithTheTimeOfThePoll(t *testing.T) {
	body := []byte(rss(`<item><title>no date</title><description>&lt;a href="x"&gt;</description></item>`))
	var digests []string
	for _, when := range []time.Time{received, received.Add(time.Hour)} {
		doc, err := parseDocument(parser.Raw{Body: body, URL: feedURL, Received: when}, feedURL, 0)
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, doc.Entries[0].GUID+doc.Entries[0].Digest())
	}
	if digests[0] != digests[1] {
		t.Errorf("got %q", digests)
	}
}

func TestDateWithTwoMeaningsIsNoDateOfAnEntry(t *testing.T) {
	if e := read(t, rss("<item><guid>1</guid><pubDate>06/10/2025</pubDate></item>")).Entries[0]; !e.Published.IsZero() {
		t.Errorf("got %v", e.Published)
	}
}
