//go:build !race

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/store/feed"
)

// TestFieldsOfItemsOfProfiles publishes the documents of TestFieldsOfEachNamespace in the feeds of each profile. The golden file of a
// feed shows the item of a plain article, and for each document what its item has beyond that. A field that the feed carries for
// the samples of the reference is lost in no document.
func TestFieldsOfItemsOfProfiles(t *testing.T) {
	inputs, _ := filepath.Glob("testdata/fields/*.[xj]*")
	for _, form := range formsOfProfiles() {
		t.Run(form.String(), func(t *testing.T) {
			known := form.fields(t)
			article := sampleEntry("guid", "https://harbour.example/1") // as in the documents
			article.Published, article.Authors = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), nil
			article.Timestamp = article.Published
			plain := form.item(t, form.publish(t, article, &feed.Source{}))
			var out bytes.Buffer
			fmt.Fprintf(&out, "-- plain --\n%s\n", strings.Join(plain, "\n"))
			for _, input := range inputs {
				body, err := os.ReadFile(input)
				if err != nil {
					t.Fatal(err)
				}
				doc := parsed(t, body)
				e := feed.EntryFromFields("Entry:1", doc.Entries[0].Fields())
				e.Title, e.Content = "The ferry waits for the tide", e.Content+longText
				published := form.publish(t, &e, &feed.Source{ID: feed.SourceID(harbourFeed), URL: harbourFeed, About: doc.About})
				_, lost := wiretest.Carried(&e, &parsed(t, published).Entries[0])
				for _, name := range lost {
					if slices.Contains(known, name) && (name != feed.FieldImage || e.Image() != "") { // a thumbnail is no main image
						t.Errorf("%s: %s is lost in\n%s", input, name, published)
					}
				}
				fmt.Fprintf(&out, "-- %s --\n", strings.TrimSuffix(filepath.Base(input), filepath.Ext(input)))
				for _, line := range form.item(t, published) {
					if !slices.Contains(plain, line) {
						fmt.Fprintln(&out, line)
					}
				}
			}
			golden := "testdata/items/" + form.String() + ".golden"
			if *update {
				if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), out.String()); diff != "" {
				t.Errorf("%s differs; check it, then run go test ./cmd/feedwire/e2e -run FieldsOf -update (-want +got):\n%s", golden, diff)
			}
		})
	}
}

// manySentences are most of longText.
var manySentences = strings.Repeat("The ferry waits for the tide. ", 14)

// item returns the lines of the only item of a feed, without most of longText.
func (f form) item(t *testing.T, published []byte) []string {
	t.Helper()
	if f.format == feedxml.JSON {
		var document struct{ Items []json.RawMessage }
		var indented bytes.Buffer
		if err := json.Unmarshal(published, &document); err != nil || len(document.Items) != 1 {
			t.Fatalf("%v in\n%s", err, published)
		}
		_ = json.Indent(&indented, document.Items[0], "", "  ") // it is valid
		return strings.Split(strings.ReplaceAll(indented.String(), manySentences, "… "), "\n")
	}
	name := map[string]string{feedxml.RSS: "item", feedxml.Atom: "entry"}[f.format]
	_, rest, _ := strings.Cut(string(published), "<"+name)
	item, _, found := strings.Cut(rest, "</"+name+">")
	if !found {
		t.Fatalf("no item in\n%s", published)
	}
	return strings.Split(strings.ReplaceAll(lines([]byte("<"+name+item)), manySentences, "… "), "\n")
}
