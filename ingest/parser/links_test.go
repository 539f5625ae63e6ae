package parser_test

import (
	"testing"

	"github.com/feedwire/feedwire/ingest/parser"
)

func TestEntryWithoutAlternateLinkHasTheNextBest(t *testing.T) {
	for name, c := range map[string]struct{ markup, want string }{
		"alternate":              {`<id>https://x.example/id</id><link href="/a"/>`, "https://news.example/a"},
		"text of a link":         {`<id>1</id><link> https://x.example/t </link>`, "https://x.example/t"},
		"text below xml:base":    {`<id>1</id><link xml:base="https://x.example/d/">t</link>`, "https://x.example/d/t"},
		"text of a second link":  {`<id>1</id><link rel="enclosure" href="/e"/><link>/t</link>`, "https://news.example/t"},
		"content elsewhere":      {`<id>https://x.example/id</id><content src="/c" type="text/html"/>`, "https://news.example/c"},
		"id":                     {`<id>https://x.example/id</id><link rel="self" href="/s"/>`, "https://x.example/id"},
		"id of another kind":     {`<id>tag:x.example,2026:1</id><link rel="self" href="/s"/><link rel="via" href="/v"/>`, "https://news.example/s"},
		"via":                    {`<id>1</id><link rel="enclosure" href="/e"/><link rel="via" href="/v"/>`, "https://news.example/v"},
		"enclosure":              {`<id>1</id><link rel="enclosure" href="/e"/>`, "https://news.example/e"},
		"relation with blanks":   {`<id>1</id><link rel=" Alternate " href="/a"/>`, "https://news.example/a"},
		"relation as a URL":      {`<id>1</id><link rel="http://www.iana.org/assignments/relation/alternate" href="/a"/>`, "https://news.example/a"},
		"upper-case attributes":  {`<id>1</id><link HREF="/a" REL="alternate"/>`, "https://news.example/a"},
		"script before via":      {`<id>1</id><link href="javascript:1"/><link rel="via" href="/v"/>`, "https://news.example/v"},
		"none":                   {`<id>1</id><link rel="license" href="/l"/>`, ""},
		"line breaks and blanks": {"<id>1</id><link href=\"\n  https://x.example/a&#10;      /b c?d=e f&#9;g\n\"/>", "https://x.example/a/b%20c?d=e%20fg"},
	} {
		p := parsed(t, `<feed xmlns="http://www.w3.org/2005/Atom"><link>https://x.example/home</link><entry>`+c.markup+`</entry></feed>`, 0)
		if got := p.Document.Entries[0].Link; got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if got := p.Document.About.Link; got != "https://x.example/home" {
			t.Errorf("%s: the feed has the link %q", name, got)
		}
	}
	for link, want := range map[string]string{
		"\n\t\thttps://x.example/2026/\n\t\ta-post\n": "https://x.example/2026/a-post",
		"https://x.example/a post":                    "https://x.example/a%20post",
		"https://x.example/?q=a b&amp;c=d  e":         "https://x.example/?q=a%20b&c=d%20%20e",
		"https://x .example/":                         "",
		"https://x.example/sale-50%-off":              "https://x.example/sale-50%25-off",
		"https://x.example/a%20b?q=100%&amp;r=%zz#5%": "https://x.example/a%20b?q=100%25&r=%25zz#5%25",
		"https://x%y.example/":                        "",
		"https://müller.example:8080/ä?q=é":           "https://xn--mller-kva.example:8080/%C3%A4?q=%C3%A9",
		"https://m\u2028ller.example/":                "",
		"www.x.example/a":                             "https://www.x.example/a",
	} {
		p := parsed(t, rss("<item><guid isPermaLink='false'>1</guid><link>"+link+"</link></item>"), 0)
		if got := p.Document.Entries[0].Link; got != want {
			t.Errorf("%q: got %q, want %q", link, got, want)
		}
	}
}

func TestContentLocationIsTheBaseOfRelativeLinks(t *testing.T) {
	item := `<item><guid>1</guid><link>a</link><comments>/c</comments><enclosure url="e.mp3"/><description>&lt;a href="d"&gt;</description></item>`
	for location, base := range map[string]string{
		"https://cdn.example/x/feed.xml": "https://cdn.example/x/", "/y/feed.xml": "https://news.example/y/", "z.xml": "https://news.example/dir/",
		" https://cdn.example/x/ ": "https://cdn.example/x/", "": "https://news.example/dir/", "http://%zz/": "https://news.example/dir/",
	} {
		for name, body := range map[string]string{"RSS": rss(item),
			"Atom": `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><link href="a"/><link rel="enclosure" href="e.mp3"/><content type="html">&lt;a href="d"&gt;</content></entry></feed>`,
			"JSON": `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","url":"a","attachments":[{"url":"e.mp3"}],"content_html":"<a href=\"d\">"}]}`,
		} {
			p, err := parser.Parse(parser.Raw{Body: []byte(body), URL: feedURL, ContentLocation: location, Received: received}, feedURL, 0)
			if err != nil {
				t.Fatal(err)
			}
			e := &p.Document.Entries[0]
			if e.Link != base+"a" || e.Content != `<a href="`+base+`d">` || e.Enclosures()[0].URL != base+"e.mp3" {
				t.Errorf("%s below %q: link %q, content %q, files %v", name, location, e.Link, e.Content, e.Enclosures())
			}
		}
	}
	xmlBase := `<rss xml:base="https://base.example/b/"><channel><item><guid>1</guid><link>a</link></item></channel></rss>`
	p, err := parser.Parse(parser.Raw{Body: []byte(xmlBase), URL: feedURL, ContentLocation: "https://cdn.example/", Received: received}, feedURL, 0)
	if err != nil || p.Document.Entries[0].Link != "https://base.example/b/a" {
		t.Errorf("below xml:base: %+v, %v", p.Document.Entries, err)
	}
}
