package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/republish"
	"github.com/feedwire/feedwire/store/feed"
)

// namesImages matches a document that names an image of an entry or of the feed, also in escaped HTML.
var namesImages = regexp.MustCompile(`(?i)(?:<|&lt;|&#60;|\\u003c)img\s[^>]{0,500}?src\s*=|<(?:itunes:image|media:thumbnail|webfeeds:cover)\s|` +
	`<link\s[^>]*enclosure[^>]*image/|<media:content\s[^>]*(?:image|\.(?:jpe?g|png|gif|webp)\b)|<enclosure\s[^>]*image/|<(?:atom:)?(?:logo|icon)>\s*http|` +
	`<image\b[^>]*>\s*(?:<[^>]*>[^<]*</[^>]*>\s*)*<url>\s*http|"(?:image|banner_image|icon|favicon)"\s*:\s*"http`)

// TestImagesOfTheCorpusArriveInRepublishedFeeds counts the documents that name images and lose all of them in a republished feed.
func TestImagesOfTheCorpusArriveInRepublishedFeeds(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the folder of documents is not beside this checkout:", err)
	}
	// Where the only image is no image of the entry or of the feed.
	noImages := regexp.MustCompile(`/sanitize/(entry_title|feed_(title|tagline|subtitle|info|copyright))_on` + // in texts that are plain
		`|/atom10/entry_source_(icon|logo)\.xml$` + // of another feed
		`|/atom10/tag_in_attr\.xml$`) // in an attribute
	total, named := 0, 0
	lost := make(map[string]int) // by format
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		parsed, err := parser.Parse(parser.Raw{Body: body, URL: harbourFeed, Received: received}, harbourFeed, 0)
		if err != nil {
			return nil // the README, and documents that no reader accepts
		}
		total++
		if !namesImages.Match(body) || noImages.MatchString(path) {
			return nil
		}
		named++
		doc := &parsed.Document
		source := feed.Source{ID: feed.SourceID(harbourFeed), URL: harbourFeed, About: doc.About}
		server := republish.New(document{source: source, entries: doc.Entries}, "https://wire.example", republish.Options{Entries: len(doc.Entries) + 1})
		for i, format := range feedxml.Formats() {
			out, err := server.Document(t.Context(), server.URLs(source.ID)[i])
			if err != nil {
				return err
			}
			if !namesImages.Match(out.Body) {
				lost[format]++
				t.Errorf("%s loses all images of %s", format, path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range feedxml.Formats() {
		t.Logf("%s: %d of %d documents that name images lose all of them (%d documents)", format, lost[format], named, total)
	}
}
