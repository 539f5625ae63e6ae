package mend_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/mmcdole/gofeed/atom"
	"github.com/mmcdole/gofeed/rss"

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	rssFeed = `<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>T &amp; U</title>` +
		`<item><title>n</title><guid isPermaLink="false">g</guid><description>a &lt;b&gt; &#8211; c</description>` +
		`<content:encoded><![CDATA[<p>text</p>]]></content:encoded><!-- x --><enclosure url="/e" length="1"/></item></channel></rss>`
	rdfFeed = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="c">` +
		`<title>t</title></channel><item rdf:about="https://x.example/1"><title>n</title></item></rdf:RDF>`
	atomFeed = `<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><link rel="self" href="/a"/><entry><id>g</id><title>n</title>` +
		`<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>a<br/>b</p></div></content></entry></feed>`
)

func xmlOf(text string) (*mend.Document, error) {
	return mend.XML([]byte(text), &url.URL{Scheme: "https", Host: "x.example", Path: "/dir/feed"}, 100)
}

// item wraps the markup of an item in a feed.
func item(markup string) string { return "<rss><channel><item>" + markup + "</item></channel></rss>" }

func TestWellFormedDocumentsAreUnchanged(t *testing.T) {
	for _, space := range []string{"http://www.itunes.com/dtds/podcast-1.0.dtd", "http://wellformedweb.org/CommentAPI/"} {
		doc, err := xmlOf(`<rss xmlns:x="` + space + `"><channel><item/></channel></rss>`)
		if err != nil || doc.Repairs != 0 {
			t.Errorf("%s: got %q, %v", space, doc.Repairs.Texts(), err)
		}
	}
	for _, text := range []string{rssFeed, rdfFeed, atomFeed} {
		doc, err := xmlOf(text)
		if err != nil || string(doc.Text) != text || doc.Repairs != 0 {
			t.Errorf("got %q, %v:\n%s\nwant\n%s", doc.Repairs.Texts(), err, doc.Text, text)
		}
	}
}

func TestRepairs(t *testing.T) {
	for _, tt := range []struct {
		name, in, want, repair string
		structural             bool
	}{
		{"text before the root", "Warning: x\n" + item("a"), item("a"), "text before the root element was removed", false},
		{"forbidden character", item("a\x01b"), item("ab"), "characters that XML forbids were removed", false},
		{"bare ampersand", item("a & b &x"), item("a &amp; b &amp;x"), "unescaped ampersands and invalid references were corrected", false},
		{"windows-1252 by number", item("&#150;"), item("–"), "unescaped ampersands and invalid references were corrected", false},
		{"HTML entity", item("&eacute;"), item("é"), "HTML entities were replaced by their characters", false},
		{"entity of the DOCTYPE", `<!DOCTYPE rss [<!ENTITY x "y">]>` + item("&x;"), item("y"), "HTML entities were replaced by their characters", false},
		{"brackets", item("a ]]> b"), item("a ]]&gt; b"), "]]> in text was escaped", false},
		{"comment", item("a<!-- b -- c -->d"), item("ad"), "malformed comments were removed", false},
		{"attributes", item("<x a=1 b a='2'>y</x>"), item(`<x a="1" b="b">y</x>`), "attributes without quotes, without a value or repeated were corrected", false},
		{"namespace", `<feed xmlns="HTTPS://www.w3.org/2005/atom/"><entry/></feed>`, `<feed xmlns="http://www.w3.org/2005/Atom"><entry/></feed>`, "misspelt namespaces were corrected", false},
		{"less-than sign", item("a < b"), item("a &lt; b"), "< that begins no tag was escaped", true},
		{"stray end tag", item("a</b>c"), item("ac"), "end tags without a start tag were removed", true},
		{"unclosed field", item("<title>a<link>b</link>"), item("<title>a</title><link>b</link>"), "unclosed elements were closed", true},
		{"void element", item("a<br>b"), item("a<br/>b"), "unclosed elements were closed", true},
		{"missing root", "<channel><item/></channel>", "<rss><channel><item/></channel></rss>", "a missing or repeated root element was corrected", true},
		{"text after the root", item("a") + "<p>", item("a"), "text after the root element was removed", true},
		{"truncated document", "<rss><channel><item>a</item><item>b", "<rss><channel><item>a</item></channel></rss>", "the document is truncated; its complete entries were read", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := xmlOf(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if string(doc.Text) != tt.want {
				t.Errorf("got  %s\nwant %s", doc.Text, tt.want)
			}
			if !slices.Contains(doc.Repairs.Texts(), tt.repair) || doc.Repairs.IsStructural() != tt.structural {
				t.Errorf("got repairs %q, structural %v; want %q, %v", doc.Repairs.Texts(), doc.Repairs.IsStructural(), tt.repair, tt.structural)
			}
		})
	}
}

func TestDocumentsThatAreNoFeedsAreRefused(t *testing.T) {
	for text, want := range map[string]feed.FailureClass{
		"":                                    feed.FailureNotAFeed,
		"hello":                               feed.FailureNotAFeed,
		"<!DOCTYPE html><p>":                  feed.FailureNotAFeed,
		"<opml><body/></opml>":                feed.FailureNotAFeed,
		`<CHANNEL HREF="x"><ITEM/></CHANNEL>`: feed.FailureNotAFeed,
		"<rss><channel><item><title>cut":      feed.FailureParse,
		item(strings.Repeat("<a/>", 300_000)): feed.FailureLimits,
		"<rss>" + strings.Repeat("<a/>", 300_000): feed.FailureLimits,
	} {
		_, err := xmlOf(text)
		if damage, ok := errors.AsType[*feed.PollError](err); !ok || damage.Class != want {
			t.Errorf("%.60q: got %v, want class %s", text, err, want)
		}
	}
}

func TestOutlineRecordsTexts(t *testing.T) {
	doc, err := xmlOf(`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de" xml:base="/b/"><title type="html">a &amp;amp; b</title>` +
		`<entry xml:base="c/"><id> g </id><title type="text">1 &lt; 2</title><summary><![CDATA[<p>s</p>]]></summary><link href="l" xml:base="d/"/>` +
		`<content type="xhtml"><h:div xmlns:h="http://www.w3.org/1999/xhtml"><h:p>x</h:p></h:div></content></entry>` +
		`<entry><content type="image/png">iVBORw0KGgo=</content></entry></feed>`)
	if err != nil {
		t.Fatal(err)
	}
	e, image := doc.Item(0), doc.Item(1)
	for _, tt := range []struct{ name, got, want string }{
		{"root", doc.Root, "feed"},
		{"head title", doc.Head.Title.String(), "a &amp; b"},
		{"head base", doc.Head.Base.String(), "https://x.example/b/"},
		{"id", e.ID.String(), "g"},
		{"title", e.Title.String(), "1 < 2"},
		{"summary", e.Summary.String(), "<p>s</p>"},
		{"content", e.Content.String(), "<p>x</p>"},
		{"description", e.Description.String(), ""},
		{"an image as content", image.Content.String(), ""},
		{"language", e.Language, "de"},
		{"base", e.Base.String(), "https://x.example/b/c/"},
		{"link base", e.LinkBases[0].String(), "https://x.example/b/c/d/"},
		{"plain", fmt.Sprint(doc.Head.Title.IsPlain(), e.Title.IsPlain(), e.Content.IsPlain()), "false true false"},
		{"unknown item", doc.Item(7).Base.String(), "https://x.example/b/"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	if short := string(doc.WithoutTexts()); strings.Contains(short, "<p>") || !strings.Contains(short, "<id> g </id>") {
		t.Errorf("without its texts the document is %s", short)
	}
}

func TestParserReadsNoElementThatIsOnlyAText(t *testing.T) {
	doc, err := xmlOf(`<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>g</id><link rel="x">http://x.example/</link><summary>s</summary>` +
		`<content src="http://x.example/a">&nbsp;</content></entry><entry><id>h</id><content type="html"><b>unclosed</entry></feed>`)
	if err != nil {
		t.Fatal(err)
	}
	const want = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>g</id><link rel="x"></link>` +
		`<content src="http://x.example/a"></content></entry><entry><id>h</id></entry></feed>`
	if got := string(doc.WithoutTexts()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTextBeforeTheDivOfXHTMLStays(t *testing.T) {
	for _, text := range []string{"><b>x</b>", "-><b>x</b>", "a<div>b</div>", "<![CDATA[< >]]><b>x</b>", "<div/><b>x</b>"} {
		doc, err := xmlOf(`<feed xmlns="http://www.w3.org/2005/Atom"><entry><content type="xhtml">` + text + `</content></entry></feed>`)
		if err != nil {
			t.Fatal(err)
		}
		content := doc.Item(0).Content
		if got, want := content.String(), strings.NewReplacer("<![CDATA[", "", "]]>", "").Replace(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestCheckJSONRefusesWhatExceedsABound(t *testing.T) {
	for text, refused := range map[string]bool{
		`{"a":["]","\"["]}`:                                false,
		"{" + strings.Repeat("[", 2000):                    true,
		"[" + strings.Repeat("1,", 300_000):                true,
		`{"items":[{"a":[` + strings.Repeat("1,", 300_000): false, // see CheckJSONItem
		`{"a":"` + strings.Repeat("x", 3<<20) + `"}`:       false,
		`{"a":"` + strings.Repeat("[", 2000) + `"}`:        false,
	} {
		if _, err := mend.CheckJSON([]byte(text)); (err != nil) != refused {
			t.Errorf("%.20q: got %v", text, err)
		}
	}
}

// strict reads a document as strictly as encoding/xml does and returns its depth.
func strict(document []byte) (deepest int, err error) {
	d := xml.NewDecoder(bytes.NewReader(document))
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return deepest, nil
		}
		if err != nil {
			return deepest, err
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
		deepest = max(deepest, depth)
	}
}

// FuzzXML checks that a mended document is well-formed, can be parsed, and does not change when it is mended again.
func FuzzXML(f *testing.F) {
	for _, seed := range []string{
		rssFeed, rdfFeed, atomFeed,
		`<rss><channel><item><title>a < b & c &nbsp; &#x1F; &#150; ]]> <br> <p>x</item><item a=b c d="e<f" d='"'></rss>`,
		`<!DOCTYPE rss [<!ENTITY a "b">]><RSS xmlns="https://www.w3.org/2005/atom"><Channel><ITEM><title>&a;</TITLE></item></channel></RSS>`,
		`<feed><entry><content type="xhtml"><x:div xmlns:x="http://www.w3.org/1999/xhtml"><x:p/><!-- a -- b --></x:div></content></entry></feed>`,
		"<rss><channel><item><![CDATA[ a </item><item><title><?php x ?></title></item></channel></rss>x",
		"<channel><item></item><item/></channel>",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		text := bytes.ToValidUTF8(body, []byte("\uFFFD"))
		doc, err := xmlOf(string(text))
		if err != nil {
			return
		}
		deepest, err := strict(doc.Text)
		if err != nil || deepest > 257 {
			t.Fatalf("%d deep, %v:\n%q", deepest, err, doc.Text)
		}
		if doc.Root == "feed" {
			_, err = (&atom.Parser{}).Parse(bytes.NewReader(doc.WithoutTexts()))
		} else {
			_, err = (&rss.Parser{}).Parse(bytes.NewReader(doc.WithoutTexts()))
		}
		if err != nil {
			t.Fatalf("the parser: %v:\n%q", err, doc.Text)
		}
		again, err := xmlOf(string(doc.Text))
		if err != nil || !bytes.Equal(again.Text, doc.Text) {
			t.Fatalf("a second time, %v:\n%q\n%q", err, doc.Text, again.Text)
		}
	})
}

// FuzzPlain checks that the result is valid and stable.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"a", "a\x01b", "\xff", "\u0085\uFFFE", "é\t\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := mend.Plain(text)
		if again := mend.Plain(got); again != got || strings.ContainsAny(got, "\x00\x01\x1f\uFFFE") || strings.ToValidUTF8(got, "") != got {
			t.Errorf("got %q, then %q", got, again)
		}
		if legal := mend.Characters([]byte(strings.ToValidUTF8(text, ""))); !bytes.Equal(legal, mend.Characters(legal)) {
			t.Errorf("characters: got %q", legal)
		}
	})
}
