package parser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/ingest/parser"
)

// items is the number of items of a sample: the first, the last, and those between them.
const items = 4

// sample returns a feed of items with markup of every kind.
func sample(format string) string {
	var b strings.Builder
	switch format {
	case "rss":
		b.WriteString(`<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">` +
			"\n<channel><title>T &amp; U</title><link>https://x.example/</link>\n")
		for i := range items {
			fmt.Fprintf(&b, "<item><title>n %d</title><guid isPermaLink=\"false\">g%[1]d</guid><description>a &lt;b&gt; &#8211; c</description>"+
				"<content:encoded><![CDATA[<p>text %[1]d</p>]]></content:encoded><dc:creator>Ann</dc:creator><!-- x --><enclosure url=\"/e%[1]d\" length=\"1\"/></item>\n", i)
		}
		b.WriteString("</channel></rss>\n")
	case "rdf":
		b.WriteString(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="c"><title>t</title></channel>`)
		for i := range items {
			fmt.Fprintf(&b, `<item rdf:about="https://x.example/%d"><title>n %[1]d</title><link>https://x.example/%[1]d</link></item>`, i)
		}
		b.WriteString("</rdf:RDF>")
	case "atom":
		b.WriteString(`<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><link rel="self" href="/a"/>`)
		for i := range items {
			fmt.Fprintf(&b, `<entry><id>g%d</id><title>n %[1]d</title><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>a<br/>b</p></div></content></entry>`, i)
		}
		b.WriteString("</feed>")
	case "json":
		b.WriteString(`{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[`)
		for i := range items {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, `{"id":"g%d","title":"n","content_html":"<p>a } ] \" b</p>","tags":["x"]}`, i)
		}
		b.WriteString("]}")
	}
	return b.String()
}

// ends maps each format to the end of an item.
var ends = map[string]string{"rss": "</item>", "rdf": "</item>", "atom": "</entry>", "json": `"tags":["x"]}`}

func TestCutDocumentsYieldWhatWasComplete(t *testing.T) {
	for format, end := range ends {
		whole := sample(format)
		complete := guids(read(t, whole))
		if len(complete) != items {
			t.Fatalf("%s: got %d entries of the whole", format, len(complete))
		}
		for size := 0; size < len(whole); size++ {
			want := strings.Count(whole[:size], end)
			doc, err := parseDocument(parser.Raw{Body: []byte(whole[:size]), URL: feedURL, Received: received}, feedURL, 0)
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
			if fmt.Sprint(got) != fmt.Sprint(complete[items-want:]) {
				t.Errorf("%s cut at %d: got %q, want the first %d", format, size, got, want)
			}
			if !doc.Repaired && strings.TrimSpace(whole[:size]) != strings.TrimSpace(whole) {
				t.Errorf("%s cut at %d: not marked as repaired", format, size)
			}
		}
	}
}

func TestStrayEndTagsLoseNoEntry(t *testing.T) {
	strays := []string{"</p>", "</div>", "</item>", "</entry>", "</channel>", "</rss>", "</feed>", "</rdf:RDF>", "</title>", "</content>",
		"</description>", "</x:y>", "</>", "</ p>", "</P"}
	for _, format := range []string{"rss", "rdf", "atom"} {
		whole := sample(format)
		root := strings.LastIndex(whole, "</")
		for _, stray := range strays {
			for at := strings.Index(whole, "<title>"); at < root; at++ {
				literal := strings.LastIndex(whole[:at], "<![CDATA[") > strings.LastIndex(whole[:at], "]]>")
				if whole[at] != '<' || literal {
					continue
				}
				body := whole[:at] + stray + whole[at:]
				doc, err := parseDocument(parser.Raw{Body: []byte(body), URL: feedURL, Received: received}, feedURL, 0)
				if err != nil || len(doc.Entries) != items {
					t.Fatalf("%s with %s at %d (%s): got %d entries, %v", format, stray, at, body[max(0, at-20):at+30], len(doc.Entries), err)
				}
				if !doc.Repaired {
					t.Errorf("%s with %s at %d (%s): not marked as repaired", format, stray, at, body[max(0, at-20):at+30])
				}
			}
		}
	}
}

func TestMissingEndTagsLoseNoEntry(t *testing.T) {
	whole := sample("rss")
	for _, tag := range []string{"</title>", "</guid>", "</description>", "</content:encoded>", "</dc:creator>", "</item>", "]]>", "</channel>"} {
		at := strings.Index(whole, tag)
		for i := 0; at >= 0; i++ {
			body := whole[:at] + whole[at+len(tag):]
			doc, err := parseDocument(parser.Raw{Body: []byte(body), URL: feedURL, Received: received}, feedURL, 0)
			least := items
			if tag == "]]>" {
				least = items - 1 // the section goes on to the end of the next one, as it must
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

// BenchmarkNormalise measures the normaliser alone; BenchmarkAgainstTokens compares it with the parser.
func BenchmarkNormalise(b *testing.B) {
	for name, body := range benchmarkDocuments(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := parser.Normalise(body, ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
