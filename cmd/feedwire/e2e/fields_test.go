package e2e

import (
	"html"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/republish"
	"github.com/feedwire/feedwire/store/feed"
)

// sampleOf returns a value of a field as the hash has it; none of a field that has none of its own.
func sampleOf(f *feed.Field) string {
	samples := map[feed.Kind]string{
		feed.KindText: "A & B", feed.KindURL: "https://harbour.example/1?a=b&c=d", feed.KindLanguage: "pt-BR", feed.KindNumber: "12", feed.KindInteger: "12",
		feed.KindSeconds: "3723", feed.KindBool: "true", feed.KindPoint: "45.2 -71.9", feed.KindPoints: "45.2 -71.9 46 -71", feed.KindPolygon: "1 2 3 4 5 6 1 2",
	}
	lists := map[string]string{
		feed.FieldAuthorDetails: `[{"name":"Ann","email":"ann@harbour.example","url":"https://harbour.example/ann"}]`,
		feed.FieldContributors:  `[{"name":"Bo","email":"bo@harbour.example","url":"https://harbour.example/bo"},{"name":"Cy"}]`,
		feed.FieldCategories:    `[{"term":"sea","scheme":"https://harbour.example/tags"},{"term":"ships & boats"}]`,
		feed.FieldEnclosures: `[{"url":"https://harbour.example/a.mp3","type":"audio/mpeg","length":"12","title":"A","description":"B & C",` +
			`"language":"de","duration":90,"width":3,"height":4,"credits":[{"name":"Ann","role":"host"}]},` +
			`{"url":"https://harbour.example/b.jpg","type":"image/jpeg"}]`,
		feed.FieldMedia: `[{"url":"https://harbour.example/t.jpg","rel":"thumbnail","width":3,"height":4},` +
			`{"url":"https://harbour.example/play","rel":"player"},` +
			`{"url":"https://harbour.example/a.opus","type":"audio/ogg","length":9,"rel":"alternate","title":"Small","language":"de"}]`,
		feed.FieldChapters:    `[{"start":0,"title":"Start"},{"start":62.5,"title":"End","url":"https://harbour.example/e","image":"https://harbour.example/e.jpg"}]`,
		feed.FieldTranscripts: `[{"url":"https://harbour.example/a.vtt","type":"text/vtt","language":"de","rel":"captions"}]`,
		feed.FieldPersons:     `[{"name":"Ann","url":"https://harbour.example/ann","image":"https://harbour.example/ann.jpg","role":"host","group":"cast"}]`,
	}
	switch {
	case f.Kind == feed.KindList:
		return lists[f.Name]
	case f.Name == "episode_type":
		return "bonus"
	case f.Name == "source_id":
		return "urn:harbour?a=b&c"
	}
	return samples[f.Kind]
}

// TestFieldsAreReadAsTheyAreWritten writes every field of the table in every format and reads it again. A format without a
// place for the field loses it.
func TestFieldsAreReadAsTheyAreWritten(t *testing.T) {
	const url = "https://harbour.example/feed"
	now := time.Now()
	for i := range feed.Fields {
		f := &feed.Fields[i]
		value := sampleOf(f)
		if value == "" || f.Name == "title" || f.Name == "link" {
			continue // a field of the struct, which other tests cover
		}
		for format, location := range map[string]string{feedxml.RSS: f.RSS, feedxml.Atom: f.Atom, feedxml.JSON: f.JSON} {
			entry := feed.Entry{GUID: "g", Title: "T", Authors: []string{"Ann"}, Timestamp: now, Extra: map[string]string{f.Name: value}}
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
			want := value
			if location == "" {
				want = ""
			}
			if got := doc.Document.Entries[0].Extra[f.Name]; got != want {
				t.Errorf("%s in %s: got %s, want %s from\n%s", f.Name, format, got, want, body)
			}
		}
	}
}

// TestPlainTextsStayPlain writes texts that look like HTML in every format and profile, and reads them again.
func TestPlainTextsStayPlain(t *testing.T) {
	for _, text := range []string{"A <b> & B of the ferry", "The entity &amp; its name", "Ships & boats: 3 < 4, 4 > 3", "List<T> and </b> of the ferry"} {
		entry := feed.Entry{
			FeedURL: harbourFeed, GUID: "g", Title: text, Link: "https://harbour.example/1", Authors: []string{"Ann"}, Content: longText,
			Summary: html.EscapeString(text), Timestamp: received, Published: received,
			Extra: map[string]string{feed.FieldEnclosures: feed.EncodeList([]feed.Enclosure{
				{URL: "https://harbour.example/1.jpg", Type: "image/jpeg", FileDetails: feed.FileDetails{Title: text + " file", Description: text + " file", Width: 900, Height: 600}},
			})},
		}
		source := feed.Source{ID: feed.SourceID(harbourFeed), URL: harbourFeed, About: feed.About{Title: text, Description: text + " news"}}
		check := func(form string, body []byte, republished bool) {
			doc := parsed(t, body)
			got := doc.Entries[0]
			summary := hypertext.PlainText(got.Summary, 1000)
			if got.Title != text || summary != "" && summary != text && !strings.HasPrefix(summary, longText[len("<p>"):30]) {
				t.Errorf("%s: got the title %q and the summary %q of %q from\n%s", form, got.Title, summary, text, body)
			}
			if about := doc.About; republished && (about.Title != text || about.Description != text+" news") {
				t.Errorf("%s: got %q and %q of the feed %q from\n%s", form, about.Title, about.Description, text, body)
			}
			if files := got.Enclosures(); republished && (files[0].Title != text+" file" || files[0].Description != text+" file") {
				t.Errorf("%s: got the file %+v of %q from\n%s", form, files[0], text, body)
			}
		}
		server := republish.New(document{source: source, entries: []feed.Entry{entry}}, "https://wire.example", republish.Options{})
		for i, format := range feedxml.Formats() {
			d, err := server.Document(t.Context(), server.URLs(source.ID)[i])
			if err != nil {
				t.Fatal(err)
			}
			check(format, d.Body, true)
		}
		for _, form := range formsOfProfiles() {
			check(form.String(), form.publish(t, &entry, &source), false)
		}
	}
}

func TestFieldsAreInTheSchema(t *testing.T) {
	api, err := os.ReadFile("../../../publish/desk/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, schema, _ := strings.Cut(string(api), "\n    Entry:\n")
	schema, _, _ = strings.Cut(schema, "\n    Category:\n")
	for _, f := range feed.Fields {
		if !strings.Contains(schema, "\n        "+f.Name+":") {
			t.Errorf("the schema Entry in openapi.yaml lacks %s", f.Name)
		}
	}
}
