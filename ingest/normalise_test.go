package ingest_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mmcdole/gofeed"
	"github.com/mmcdole/gofeed/atom"
	gofeedrss "github.com/mmcdole/gofeed/rss"

	"github.com/feedwire/feedwire/ingest"
)

// twenty is a feed of twenty items in a format, with markup of every kind in them.
func twenty(format string) string {
	var b strings.Builder
	switch format {
	case "rss":
		b.WriteString(`<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">` +
			"\n<channel><title>T &amp; U</title><link>https://x.example/</link>\n")
		for i := range 20 {
			fmt.Fprintf(&b, "<item><title>n %d</title><guid isPermaLink=\"false\">g%[1]d</guid><description>a &lt;b&gt; &#8211; c</description>"+
				"<content:encoded><![CDATA[<p>text %[1]d</p>]]></content:encoded><dc:creator>Ann</dc:creator><!-- x --><enclosure url=\"/e%[1]d\" length=\"1\"/></item>\n", i)
		}
		b.WriteString("</channel></rss>\n")
	case "rdf":
		b.WriteString(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="c"><title>t</title></channel>`)
		for i := range 20 {
			fmt.Fprintf(&b, `<item rdf:about="https://x.example/%d"><title>n %[1]d</title><link>https://x.example/%[1]d</link></item>`, i)
		}
		b.WriteString("</rdf:RDF>")
	case "atom":
		b.WriteString(`<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><link rel="self" href="/a"/>`)
		for i := range 20 {
			fmt.Fprintf(&b, `<entry><id>g%d</id><title>n %[1]d</title><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>a<br/>b</p></div></content></entry>`, i)
		}
		b.WriteString("</feed>")
	case "json":
		b.WriteString(`{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[`)
		for i := range 20 {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, `{"id":"g%d","title":"n","content_html":"<p>a } ] \" b</p>","tags":["x"]}`, i)
		}
		b.WriteString("]}")
	}
	return b.String()
}

// ends maps each format to what ends an item in it.
var ends = map[string]string{"rss": "</item>", "rdf": "</item>", "atom": "</entry>", "json": `"tags":["x"]}`}

func TestCutDocumentsYieldWhatWasComplete(t *testing.T) {
	t.Parallel()
	for format, end := range ends {
		whole := twenty(format)
		complete := guids(read(t, whole))
		if len(complete) != 20 {
			t.Fatalf("%s: got %d entries of the whole", format, len(complete))
		}
		for size := 0; size < len(whole); size += stride() {
			want := strings.Count(whole[:size], end)
			doc, err := ingest.Parse(ingest.Raw{Body: []byte(whole[:size]), URL: feedURL, Received: received}, feedURL, ingest.Limits{})
			if want == 0 {
				if err == nil && len(doc.Entries) > 0 && !strings.HasSuffix(whole[:size], end[:len(end)-1]) {
					t.Errorf("%s cut at %d: got %q, want a refusal", format, size, guids(doc))
				}
				continue
			}
			if err != nil {
				t.Errorf("%s cut at %d: %v", format, size, err)
				continue
			}
			if strings.HasSuffix(whole[:size], end[:len(end)-1]) && format != "json" {
				want++ // only the > is missing
			}
			got := guids(doc)
			if fmt.Sprint(got) != fmt.Sprint(complete[20-want:]) {
				t.Errorf("%s cut at %d: got %q, want the first %d", format, size, got, want)
			}
			if !doc.Repaired && strings.TrimSpace(whole[:size]) != strings.TrimSpace(whole) {
				t.Errorf("%s cut at %d: not marked as repaired", format, size)
			}
		}
	}
}

func TestStrayEndTagsLoseNoEntry(t *testing.T) {
	t.Parallel()
	strays := []string{"</p>", "</div>", "</item>", "</entry>", "</channel>", "</rss>", "</feed>", "</rdf:RDF>", "</title>", "</content>",
		"</description>", "</x:y>", "</>", "</ p>", "</P"}
	for _, format := range []string{"rss", "rdf", "atom"} {
		whole := twenty(format)
		root := strings.LastIndex(whole, "</")
		for _, stray := range strays {
			tags := 0
			for at := strings.Index(whole, "<title>"); at < root; at++ {
				literal := strings.LastIndex(whole[:at], "<![CDATA[") > strings.LastIndex(whole[:at], "]]>")
				if whole[at] != '<' || literal {
					continue
				}
				if tags++; tags%stride() != 0 {
					continue
				}
				body := whole[:at] + stray + whole[at:]
				doc, err := ingest.Parse(ingest.Raw{Body: []byte(body), URL: feedURL, Received: received}, feedURL, ingest.Limits{})
				if err != nil || len(doc.Entries) != 20 {
					t.Fatalf("%s with %s at %d (%s): got %d entries, %v", format, stray, at, body[max(0, at-20):at+30], len(doc.Entries), err)
				}
				if !doc.Repaired {
					t.Errorf("%s with %s at %d (%s): not marked as repaired", format, stray, at, body[max(0, at-20):at+30])
				}
			}
		}
	}
}

func TestWellFormedDocumentsStayAsTheyAre(t *testing.T) {
	for _, format := range []string{"rss", "rdf", "atom"} {
		whole := twenty(format)
		whole = strings.TrimSpace(whole[strings.Index(whole, "<"+map[string]string{"rss": "rss", "rdf": "rdf", "atom": "feed"}[format]):])
		got, repairs, err := ingest.Normalise([]byte(whole), "")
		if err != nil || string(got) != whole || len(repairs) > 0 {
			t.Errorf("%s: got %q, %v: %.200s", format, repairs, err, got)
		}
	}
}

func TestMissingEndTagsLoseNoEntry(t *testing.T) {
	t.Parallel()
	whole := twenty("rss")
	for _, tag := range []string{"</title>", "</guid>", "</description>", "</content:encoded>", "</dc:creator>", "</item>", "]]>", "</channel>"} {
		at := strings.Index(whole, tag)
		for i := 0; at >= 0; i++ {
			body := whole[:at] + whole[at+len(tag):]
			doc, err := ingest.Parse(ingest.Raw{Body: []byte(body), URL: feedURL, Received: received}, feedURL, ingest.Limits{})
			least := 20
			if tag == "]]>" {
				least = 19 // the section goes on to the end of the next one, as it must
			}
			if err != nil || len(doc.Entries) < least {
				t.Errorf("without %s number %d: got %d entries, %v", tag, i, len(doc.Entries), err)
			}
			next := strings.Index(whole[at+1:], tag)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
}

// stride is 1, and under the race detector, where everything takes ten times as long, a step over most places.
func stride() int {
	if raceEnabled {
		return 13
	}
	return 1
}

// strict reads a document as strictly as encoding/xml does, and returns how deep it is nested.
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

func FuzzNormalise(f *testing.F) {
	for _, seed := range []string{
		twenty("rss")[:900], twenty("atom")[:700], twenty("rdf")[:500],
		`<rss><channel><item><title>a < b & c &nbsp; &#x1F; &#150; ]]> <br> <p>x</item><item a=b c d="e<f" d='"'></rss>`,
		`<!DOCTYPE rss [<!ENTITY a "b">]><RSS xmlns="https://www.w3.org/2005/atom"><Channel><ITEM><title>&a;</TITLE></item></channel></RSS>`,
		`<feed><entry><content type="xhtml"><x:div xmlns:x="http://www.w3.org/1999/xhtml"><x:p/><!-- a -- b --></x:div></content></entry>`,
		"<rss><channel><item><![CDATA[ a </item><item><title><?php x ?></title></item></channel></rss>x",
		"<channel><item></item><item/></channel>", "\xff\xfe<\x00r\x00s\x00s\x00>\x00",
	} {
		f.Add([]byte(seed), "")
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		out, _, err := ingest.Normalise(body, contentType)
		if err != nil || out[0] == '{' {
			return
		}
		deepest, err := strict(out)
		if err != nil || deepest > 257 {
			t.Fatalf("%d deep, %v:\n%q", deepest, err, out)
		}
		switch gofeed.DetectFeedType(bytes.NewReader(out)) {
		case gofeed.FeedTypeAtom:
			_, err = (&atom.Parser{}).Parse(bytes.NewReader(out))
		default:
			_, err = (&gofeedrss.Parser{}).Parse(bytes.NewReader(out))
		}
		if err != nil {
			t.Fatalf("the parser: %v:\n%q", err, out)
		}
		again, _, err := ingest.Normalise(out, "")
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("a second time, %v:\n%q\n%q", err, out, again)
		}
	})
}

// BenchmarkNormalise is the normaliser alone; BenchmarkAgainstTokens puts it beside the parser.
func BenchmarkNormalise(b *testing.B) {
	for name, body := range benchmarkDocuments(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := ingest.Normalise(body, ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
