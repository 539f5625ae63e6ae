package parser_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

// damaged is a document as servers send it, and what has to come of it: the titles of its entries in document order, or
// the class of the refusal.
type damaged struct {
	name, body, contentType string
	titles                  string // with | between them
	refused                 feed.FailureClass
}

// two is an RSS feed of two items, the first of which is given.
func two(item string) string {
	return rss("<item>" + item + "</item><item><guid>last</guid><title>last</title></item>")
}

func atomFeed(entries string) string {
	return `<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title>` + entries + `</feed>`
}

func damagedMarkup() []damaged {
	one := "<guid>1</guid>"
	return []damaged{
		{name: "less-than in text", body: two(one + "<title>a < b</title>"), titles: "a < b|last"},
		{name: "less-than before a digit", body: two(one + "<title>I <3 you</title>"), titles: "I <3 you|last"},
		{name: "comparison that looks like a tag", body: two(one + "<title>a <b and c</title>"), titles: "a <b and c|last"},
		{name: "address in angle brackets", body: two(one + "<title>t</title><author>Joe <joe@x.example></author>"), titles: "t|last"},
		{name: "arrow", body: two(one + "<title>a <- b</title>"), titles: "a <- b|last"},
		{name: "end of a section in text", body: two(one + "<title>a ]]> b</title>"), titles: "a ]]> b|last"},
		{name: "section of sections", body: two(one + "<title><![CDATA[a <![CDATA[b]]> c]]></title>"), titles: "a b c|last"},
		{name: "section that never ends", body: two(one + "<title><![CDATA[a</title>"), titles: "a|last"},
		{name: "two hyphens in a comment", body: two(one + "<!-- a -- b --><title>t</title>"), titles: "t|last"},
		{name: "three hyphens end a comment", body: two(one + "<!-- a ---><title>t</title>"), titles: "t|last"},
		{name: "comment that never ends", body: two(one + "<title>t</title><!-- a"), titles: "t|last"},
		{name: "attribute without quotes", body: two(one + "<enclosure url=/a.mp3 length=1 type=audio/mpeg/><title>t</title>"), titles: "t|last"},
		{name: "attribute without value", body: two(one + "<guid isPermaLink>2</guid><title>t</title>"), titles: "t|last"},
		{name: "attribute twice", body: two(`<guid a="1" a="2">1</guid><title>t</title>`), titles: "t|last"},
		{name: "less-than in an attribute", body: two(one + `<category domain="a<b">c</category><title>t</title>`), titles: "t|last"},
		{name: "ampersand in an attribute", body: two(one + `<enclosure url="/a?b=1&c=2"/><title>t</title>`), titles: "t|last"},
		{name: "quote that never ends", body: two(one + `<category domain="a>c</category><title>t</title>`), titles: "t|last"},
		{name: "stray quote in a tag", body: two(one + `<category domain="a"">c</category><title>t</title>`), titles: "t|last"},
		{name: "attributes without space", body: two(one + `<category domain="a"x="b">c</category><title>t</title>`), titles: "t|last"},
		{name: "tag without its end", body: two(one + "<enclosure url=\"/a\" length=\"1\"\n<title>t</title>"), titles: "t|last"},
		{name: "end tag in other letters", body: two(one + "<title>t</TITLE>"), titles: "t|last"},
		{name: "end tag with attributes", body: two(one + `<title>t</title a="b">`), titles: "t|last"},
		{name: "end tag without its end", body: two("<title>t</title" + one), titles: "t|last"},
		{name: "stray end of a paragraph", body: two(one + "<title>t</title></p>"), titles: "t|last"},
		{name: "stray end of the item", body: two("<title>t</title></item>" + one), titles: "t|last"},
		{name: "stray end of the channel", body: two("<title>t</title></channel>" + one), titles: "t|last"},
		{name: "stray end of the root", body: two("<title>t</title></rss>" + one), titles: "t|last"},
		{name: "field that never ends", body: two(one + "<title>t<link>/a</link>"), titles: "t|last"},
		{name: "field in the way of the end", body: two(one + "<title>t</title><description>d<p>"), titles: "t|last"},
		{name: "item that never ends", body: rss("<item><title>t</title><item><title>last</title></item>"), titles: "t|last"},
		{name: "channel field that never ends", body: rss("<image><url>/a<item><title>t</title></item>"), titles: "t"},
		{name: "channel that never ends", body: strings.Replace(two(one+"<title>t</title>"), "</channel>", "", 1), titles: "t|last"},
		{name: "HTML line breaks", body: two(one + "<title>a<br>b</title>"), titles: "a b|last"},
		{name: "HTML image", body: two(one + "<title>t</title><description>a<img src=x>b</description>"), titles: "t|last"},
		{name: "conditional comment", body: two(one + "<title>t</title><description><![if !IE]>a<![endif]></description>"), titles: "t|last"},
		{name: "instruction of a program", body: two(one + "<title>a<?php echo 1 ?>b</title>"), titles: "ab|last"},
		{name: "instruction that never ends", body: two(one + "<title>a<?php b</title>"), titles: "a<?php b|last"},
		{name: "name with two colons", body: two(one + "<a:b:c>x</a:b:c><title>t</title>"), titles: "t|last"},
		{name: "name in other letters", body: two(one + "<größe>x</größe><title>t</title>"), titles: "t|last"},
		{name: "empty tag", body: two(one + "<><title>t</title></>"), titles: "t|last"},
		{name: "nothing but a title", body: rss("<item><title>t</title></item>"), titles: "t"},
	}
}

func damagedReferences() []damaged {
	title := func(text string) string { return two("<guid>1</guid><title>" + text + "</title>") }
	return []damaged{
		{name: "bare ampersand", body: title("a & b"), titles: "a & b|last"},
		{name: "ampersand at the end", body: title("a &"), titles: "a &|last"},
		{name: "ampersand of a query", body: title("?a=1&b=2&copy=3"), titles: "?a=1&b=2©=3|last"},
		{name: "name of HTML", body: title("a&mdash;b&eacute;"), titles: "a—bé|last"},
		{name: "name of HTML in an extension", body: two("<guid>1</guid><dc:title>a&mdash;b</dc:title>"), titles: "a—b|last"},
		{name: "name of HTML for less-than", body: title("a &LT; b &AMP; c"), titles: "a < b & c|last"},
		{name: "unknown name", body: title("a &bogus; b"), titles: "a &bogus; b|last"},
		{name: "defined name", body: `<!DOCTYPE rss [<!ENTITY co "Company">]>` + title("&co; x"), titles: "Company x|last"},
		{name: "defined by another name", body: `<!DOCTYPE rss [<!ENTITY a "A"><!ENTITY b "&a;">]>` + title("x&b;"), titles: "x&b;|last"},
		{name: "number in capitals", body: title("a&#X2014;b"), titles: "a—b|last"},
		{name: "number without semicolon", body: title("a&#8212 b"), titles: "a— b|last"},
		{name: "number of windows-1252", body: title("a&#151;b"), titles: "a—b|last"},
		{name: "number of a control character", body: title("a&#x1F;&#0;b"), titles: "ab|last"},
		{name: "number of a surrogate", body: title("a&#xD83D;&#xDE00;b"), titles: "ab|last"},
		{name: "number too large", body: title("a&#99999999999;b"), titles: "ab|last"},
		{name: "number without digits", body: title("a&#;b&#x;c"), titles: "a&#;b&#x;c|last"},
		{name: "control characters", body: title("a\x00\x08\x1fb"), titles: "ab|last"},
		{name: "control characters of Latin-1", body: title("don\u0092t"), titles: "don’t|last"},
		{name: "no character", body: title("a\uFFFE\uFFFFb"), titles: "ab|last"},
		{name: "escaped twice", body: title("a &amp;amp; b"), titles: "a & b|last"},
	}
}

func damagedEncodings(t *testing.T) []damaged {
	german, japan, korea, china := "Übergröße für alle", "日本語の題名", "한국어 제목", "中文标题"
	doc := func(title, encoding string) string {
		declaration := "<?xml version='1.0'?>"
		if encoding != "" {
			declaration = "<?xml version='1.0' encoding='" + encoding + "'?>"
		}
		return declaration + rss("<item><guid>1</guid><title>" + title + "</title></item>")[len(`<?xml version="1.0"?>`):]
	}
	must := func(s string, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	le := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder()
	be := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder()
	le32 := utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM).NewEncoder()
	be32 := utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM).NewEncoder()
	return []damaged{
		{name: "UTF-16 little end first", body: must(le.String(doc(japan, "utf-16"))), titles: japan},
		{name: "UTF-16 big end first", body: must(be.String(doc(japan, "utf-16"))), titles: japan},
		{name: "UTF-16 with mark", body: "\xff\xfe" + must(le.String(doc(japan, ""))), titles: japan},
		{name: "UTF-32 little end first", body: must(le32.String(doc(japan, "utf-32"))), titles: japan},
		{name: "UTF-32 big end first", body: must(be32.String(doc(japan, "utf-32"))), titles: japan},
		{name: "UTF-32 with mark", body: "\x00\x00\xfe\xff" + must(be32.String(doc(japan, ""))), titles: japan},
		{name: "UTF-8 called UTF-16", body: doc(german, "utf-16"), titles: german},
		{name: "UTF-8 called Latin-1", body: doc(german, "iso-8859-1"), titles: german},
		{name: "Latin-1 called UTF-8", body: must(charmap.ISO8859_1.NewEncoder().String(doc(german, "utf-8"))), titles: german},
		{name: "Latin-1 with a charset of the header", body: must(charmap.ISO8859_1.NewEncoder().String(doc(german, ""))),
			contentType: "text/xml; charset='iso-8859-1'", titles: german},
		{name: "ISO-2022-JP", body: must(japanese.ISO2022JP.NewEncoder().String(doc(japan, "iso-2022-jp"))), titles: japan},
		{name: "ISO-2022-JP by the header", body: must(japanese.ISO2022JP.NewEncoder().String(doc(japan, ""))),
			contentType: "application/rss+xml;charset= iso-2022-jp", titles: japan},
		{name: "Shift_JIS", body: must(japanese.ShiftJIS.NewEncoder().String(doc(japan, "shift_jis"))), titles: japan},
		{name: "EUC-KR", body: must(korean.EUCKR.NewEncoder().String(doc(korea, "euc-kr"))), titles: korea},
		{name: "GB2312", body: must(simplifiedchinese.GBK.NewEncoder().String(doc(china, "gb2312"))), titles: china},
		{name: "an unknown encoding", body: doc(german, "x-bogus"), titles: german},
		{name: "marked UTF-8 called Latin-1", body: "\xef\xbb\xbf" + doc(german, "iso-8859-1"), titles: german},
		{name: "marked UTF-8 with a damaged byte", body: "\xef\xbb\xbf" + doc(german+"\xff", "iso-8859-1"), titles: german + "\uFFFD"},
		{name: "two marks", body: "\xef\xbb\xbf\xef\xbb\xbf" + doc(german, ""), titles: german},
	}
}

func damagedStructure() []damaged {
	entry := "<entry><id>1</id><title>t</title></entry>"
	one := "<item><guid>1</guid><title>t</title></item>"
	plain := rss(one)[len(`<?xml version="1.0"?>`):]
	return []damaged{
		{name: "declaration of XML 1.1", body: `<?xml version="1.1"?>` + plain, titles: "t"},
		{name: "declaration behind a line", body: "\n\n<?xml version='1.0'?>" + plain, titles: "t"},
		{name: "two declarations", body: "<?xml version='1.0'?><?xml version='1.0'?>" + plain, titles: "t"},
		{name: "warning before the root", body: "<br />\n<b>Warning</b>: x in <i>y</i>\n" + plain, titles: "t"},
		{name: "much before the root", body: strings.Repeat("<!-- x -->\n", 1000) + plain, titles: "t"},
		{name: "script behind the root", body: plain + "<script>if (a<b && c) {}</script>", titles: "t"},
		{name: "channel without root", body: "<channel><title>c</title>" + one + "</channel>", titles: "t"},
		{name: "two channels", body: "<rss><channel>" + one + "</channel><channel><item><title>u</title></item></channel></rss>", titles: "t|u"},
		{name: "items beside the channel", body: "<rss><channel><title>c</title></channel>" + one + "</rss>", titles: "t"},
		{name: "root in capitals", body: strings.NewReplacer("rss", "RSS", "channel", "Channel", "item", "ITEM").Replace(plain), titles: "t"},
		{name: "RSS in the namespace of Atom", body: `<rss xmlns="http://www.w3.org/2005/Atom"><channel>` + one + "</channel></rss>", titles: "t"},
		{name: "Atom by https", body: `<feed xmlns="https://www.w3.org/2005/Atom">` + entry + "</feed>", titles: "t"},
		{name: "Atom in small letters", body: `<feed xmlns="http://www.w3.org/2005/atom/">` + entry + "</feed>", titles: "t"},
		{name: "Atom without namespace", body: "<feed>" + entry + "</feed>", titles: "t"},
		{name: "Atom in an unknown namespace", body: `<feed xmlns="http://example.com/new#">` + entry + "</feed>", titles: "t"},
		{name: "Atom with a prefix", body: `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:id>1</a:id><a:title>t</a:title></a:entry></a:feed>`, titles: "t"},
		{name: "RSS 1.0 without its slash", body: `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns" xmlns="http://purl.org/rss/1.0">` +
			`<item><title>t</title></item></rdf:RDF>`, titles: "t"},
		{name: "title of a file", body: two(`<guid>1</guid><media:title xmlns:media="http://search.yahoo.com/mrss">m</media:title><title>t</title>`), titles: "t|last"},
		{name: "title of the source", body: atomFeed("<entry><id>1</id><source><title>s</title></source><title>t</title></entry>"), titles: "t"},
		{name: "title in base64", body: `<feed xmlns="http://purl.org/atom/ns#"><entry><id>1</id><title mode="base64" type="text/html">` +
			base64.StdEncoding.EncodeToString([]byte("<b>t</b>")) + "</title></entry></feed>", titles: "t"},
		{name: "title that speaks of tags", body: atomFeed(`<entry><id>1</id><title type="text">the &lt;b&gt; tag</title></entry>`), titles: "the <b> tag"},
		{name: "JSON with a mark", body: "\xef\xbb\xbf" + `{"version":"https://jsonfeed.org/version/1","items":[{"id":1,"title":"t"}]}`, titles: "t"},
		{name: "JSON in UTF-16", body: strings.Join(strings.Split(`{"version":"https://jsonfeed.org/version/1.1","items":[{"title":"t"}]}`, ""), "\x00") + "\x00", titles: "t"},
		{name: "JSON of wrong types", body: `{"version":"https://jsonfeed.org/version/1","title":5,"author":"a","items":[` +
			`{"id":{},"title":"t","tags":"x","authors":"b","attachments":{"url":"/a","size_in_bytes":"9"}},7,null]}`, titles: "t"},
		{name: "JSON with a comma too many", body: `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","title":"t"},]}`, titles: "t"},
		{name: "JSON without version", body: `{"items":[{"id":"1","title":"t"}]}`, refused: feed.FailureNotAFeed},
		{name: "message in brackets before the feed", body: "[2026-11-20] [warning]\n" + rss("<item><guid>1</guid><title>t</title></item>"), titles: "t"},
		{name: "JSON error", body: `{"error":"no such feed"}`, refused: feed.FailureNotAFeed},
		{name: "JSON list", body: `[{"id":"1"}]`, refused: feed.FailureNotAFeed},
		{name: "web page", body: "<!doctype html><title>t</title><rss/>", refused: feed.FailureNotAFeed},
		{name: "page of XHTML", body: `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>`, refused: feed.FailureNotAFeed},
		{name: "list of feeds", body: "<opml><body><outline/></body></opml>", refused: feed.FailureNotAFeed},
		{name: "site map", body: "<urlset><url/></urlset>", refused: feed.FailureNotAFeed},
		{name: "channel definition", body: `<CHANNEL HREF="x"><ITEM HREF="y"/></CHANNEL>`, refused: feed.FailureNotAFeed},
		{name: "binary", body: "\x89PNG\r\n\x1a\n\x00\x00", refused: feed.FailureNotAFeed},
		{name: "compressed", body: "\x1f\x8b\x08\x00\x00", refused: feed.FailureNotAFeed},
		{name: "cut in the first item", body: plain[:strings.Index(plain, "</title></item>")], refused: feed.FailureParse},
	}
}

func TestDamagedDocumentsAreReadOrRefused(t *testing.T) {
	var all []damaged
	for _, class := range [][]damaged{damagedMarkup(), damagedReferences(), damagedEncodings(t), damagedStructure()} {
		all = append(all, class...)
	}
	if len(all) < 100 {
		t.Errorf("only %d documents", len(all))
	}
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			doc, err := parseDocument(parser.Raw{Body: []byte(c.body), ContentType: c.contentType, URL: feedURL, Received: received},
				feedURL, 0)
			if c.refused != "" {
				if got := class(t, err); got != c.refused {
					t.Errorf("got class %s (%v), want %s", got, err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var titles []string
			for i := len(doc.Entries) - 1; i >= 0; i-- {
				titles = append(titles, doc.Entries[i].Title)
			}
			if got := strings.Join(titles, "|"); got != c.titles {
				t.Errorf("got %q, want %q", got, c.titles)
			}
		})
	}
}
