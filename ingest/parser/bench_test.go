package parser_test

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"

	"github.com/feedwire/feedwire/ingest/parser"
)

// benchmarkDocuments are one feed of our own, and published ones where they are beside this checkout.
func benchmarkDocuments(b *testing.B) map[string][]byte {
	item := "<item><guid>#</guid><title>Entry number #</title><link>https://x.example/#</link>" +
		"<description><![CDATA[" + strings.Repeat("<p>Some words of an article.</p>", 80) + "]]></description></item>"
	documents := map[string][]byte{"own": []byte(rss(numbered(item, 50)))}
	for _, name := range []string{"large_rss.xml", "large_atom.xml", "rdf_UTF8.xml"} {
		if body, err := os.ReadFile(filepath.Join(corpus, "real", name)); err == nil {
			documents[name] = body
		}
	}
	return documents
}

// shortest keeps the shortest time that a step took in several, which other work on the machine disturbs least.
func shortest(best *time.Duration, step func()) {
	begun := time.Now()
	step()
	if took := time.Since(begun); *best == 0 || took < *best {
		*best = took
	}
}

// BenchmarkAgainstTokens measures the steps of reading a document beside each other in the same run, and tells them as
// multiples of a bare loop over its tokens.
func BenchmarkAgainstTokens(b *testing.B) {
	for name, body := range benchmarkDocuments(b) {
		b.Run(name, func(b *testing.B) {
			var tokens, normalise, parsing, both, whole time.Duration
			parse := func(text []byte) {
				p := gofeed.NewParser()
				p.KeepOriginalFeed = true
				p.RSSTranslator = &gofeed.DefaultRSSTranslator{DisableContentImageScan: true}
				if _, err := p.Parse(bytes.NewReader(text)); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				shortest(&tokens, func() {
					d := xml.NewDecoder(bytes.NewReader(body))
					for {
						if _, err := d.RawToken(); err != nil {
							return
						}
					}
				})
				shortest(&normalise, func() { _, _, _ = parser.Normalise(body, "") })
				shortest(&parsing, func() { parse(body) })
				shortest(&both, func() {
					text, _, err := parser.Normalise(body, "")
					if err != nil {
						b.Fatal(err)
					}
					parse(text)
				})
				shortest(&whole, func() {
					if _, err := parser.Parse(parser.Raw{Body: body, URL: feedURL, Received: received}, feedURL, 0); err != nil {
						b.Fatal(err)
					}
				})
			}
			ratio := func(d time.Duration) float64 { return float64(d) / float64(tokens) }
			b.ReportMetric(float64(len(body))/normalise.Seconds()/1e6, "normaliser-MB/s")
			b.ReportMetric(ratio(normalise), "normaliser/tokens")
			b.ReportMetric(ratio(parsing), "parser/tokens")
			b.ReportMetric(ratio(both), "both/tokens")
			b.ReportMetric(ratio(whole), "whole/tokens")
		})
	}
}
