package e2e

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/store/feed"
)

// TestFieldsAreReadAsTheyAreWritten writes every scalar field of the table in every format that has a place for it and reads
// it again.
func TestFieldsAreReadAsTheyAreWritten(t *testing.T) {
	const url = "https://harbour.example/feed"
	samples := map[feed.Kind]string{
		feed.KindText: "A & B", feed.KindURL: "https://harbour.example/1?a=b&c=d", feed.KindLanguage: "pt-BR", feed.KindNumber: "12",
	}
	now := time.Now()
	for _, f := range feed.Scalars() {
		for format, location := range map[string]string{feedxml.RSS: f.RSS, feedxml.Atom: f.Atom, feedxml.JSON: f.JSON} {
			if location == "" {
				continue
			}
			entry := feed.Entry{GUID: "g", Title: "T", Timestamp: now, Extra: map[string]string{f.Name: samples[f.Kind]}}
			w := feedxml.New(format, feedxml.SourceProfile())
			item, err := w.Entry(feedxml.FromEntry(&entry, url))
			if err != nil {
				t.Fatal(err)
			}
			body, err := w.Document(&feedxml.Channel{Title: "Harbour", Link: url, Self: url}, [][]byte{item})
			if err != nil {
				t.Fatal(err)
			}
			doc, err := parser.Parse(parser.Raw{Body: body, URL: url, Received: now}, url, 0)
			if err != nil || len(doc.Document.Entries) != 1 {
				t.Fatalf("%s in %s: %v in\n%s", f.Name, format, err, body)
			}
			if got := doc.Document.Entries[0].Extra[f.Name]; got != samples[f.Kind] {
				t.Errorf("%s in %s: got %q, want %q from\n%s", f.Name, format, got, samples[f.Kind], body)
			}
		}
	}
}

func TestFieldsAreDocumented(t *testing.T) {
	api, err := os.ReadFile("../../../publish/desk/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, schema, _ := strings.Cut(string(api), "\n    Entry:\n")
	schema, _, _ = strings.Cut(schema, "\n    ArticlePage:\n")
	page, err := os.ReadFile("../../../docs/reference/api.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range feed.Fields {
		if !strings.Contains(schema, "\n        "+f.Name+":") {
			t.Errorf("the schema Entry in openapi.yaml lacks %s", f.Name)
		}
		if !strings.Contains(string(page), "`"+f.Name+"`") && !strings.Contains(string(page), `"`+f.Name+`"`) {
			t.Errorf("docs/reference/api.md lacks %s", f.Name)
		}
	}
}
