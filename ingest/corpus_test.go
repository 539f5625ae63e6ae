package ingest_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/feedwire/feedwire/ingest"
)

// corpus holds documents that no one of this project wrote. It is not part of the project.
const corpus = "../../shared/corpus"

func TestParseTakesAllEntriesOfPublishedFeeds(t *testing.T) {
	cases := []struct {
		file    string
		entries int
		title   string // of some entry, in the right letters
	}{
		{"encoding_ISO-8859-1.xml", 40, "für"},
		{"encoding_WINDOWS-1251.xml", 50, "Цитата #17703"},
		{"large_atom.xml", 25, "Using vale with vim"},
		{"large_rss.xml", 25, "Using vale with vim"},
		{"no_encoding_ISO-8859-1.xml", 10, "Perturbateurs endocriniens : quels effets sur le cerveau ?"},
		{"rdf_UTF8.xml", 60, "OLED-TVs: Vorsichtsmaßnahmen gegen Einbrennen"},
		{"small_atom.xml", 20, ""},
		{"urdu_UTF8.xml", 26, "کے"},
	}
	for _, c := range cases {
		t.Run(c.file, func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join(corpus, "real", c.file))
			if errors.Is(err, fs.ErrNotExist) {
				t.Skip("the corpus of published feeds is not beside this checkout")
			}
			if err != nil {
				t.Fatal(err)
			}
			received := time.Now()
			doc, err := ingest.Parse(ingest.Raw{Body: body, URL: "https://example.org/feed", Received: received},
				"https://example.org/feed", ingest.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if len(doc.Entries) != c.entries {
				t.Errorf("got %d entries, want %d", len(doc.Entries), c.entries)
			}
			found := false
			for _, e := range doc.Entries {
				found = found || strings.Contains(e.Title, c.title)
				if !utf8.ValidString(e.Title+e.Content) || strings.ContainsRune(e.Title+e.Content, utf8.RuneError) {
					t.Errorf("entry %s has damaged letters", e.GUID)
				}
			}
			if !found {
				t.Errorf("no entry is called %q", c.title)
			}
		})
	}
}
