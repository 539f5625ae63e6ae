package feedxml

import (
	"encoding/json"
	"encoding/xml"
	"fmt"

	"github.com/feedwire/feedwire/publish/profile"
)

// The formats.
const (
	RSS     = "rss"
	Atom    = "atom"
	JSON    = "json"
	Sitemap = "sitemap" // a news sitemap, which has no content
	Apple   = "apple-news"
	AMP     = "amp"
)

// Formats lists the formats of feeds for readers.
func Formats() []string { return []string{RSS, Atom, JSON} }

// Elements of profile.Profile.Images.
const (
	mediaContent   = "media:content"
	enclosureImage = "enclosure"
)

// Writer writes one format. It is safe for concurrent use.
type Writer struct {
	MediaType string
	// Entry encodes one entry for Document.
	Entry func(e *Entry) ([]byte, error)
	// Document encodes a channel with encoded entries in the given order.
	Document func(c *Channel, entries [][]byte) ([]byte, error)
	// Singles returns the documents of the entries in a document. It is nil if entries have no documents of their own.
	Singles func(document []byte) ([]Single, error)

	count func(document []byte) (int, error)
}

// New returns a Writer for a format. Only RSS depends on the profile, which selects and names its optional elements. An unknown
// format is RSS.
func New(format string, p *profile.Profile) Writer {
	d := rss{p}
	switch format {
	case Atom:
		return Writer{"application/atom+xml", atomItem, atomDocument, nil, countXML}
	case JSON:
		return Writer{"application/feed+json", jsonItem, jsonDocument, nil, countJSON}
	case Sitemap:
		return Writer{"application/xml", sitemapItem, sitemapDocument, nil, countXML}
	case Apple:
		return Writer{"application/json", appleItem, articlesDocument, appleSingles, countArticles}
	case AMP:
		return Writer{"application/json", ampItem, articlesDocument, ampSingles, countArticles}
	}
	return Writer{"application/rss+xml", d.item, d.document, nil, countXML}
}

// Check parses a document as a strict consumer does. It returns an error if that fails or the document does not have want
// entries. Do not serve such a document.
func (w Writer) Check(document []byte, want int) error {
	got, err := w.count(document)
	switch {
	case err != nil:
		return fmt.Errorf("parse rendered feed: %w", err)
	case got != want:
		return fmt.Errorf("rendered feed has %d entries, want %d", got, want)
	}
	return nil
}

// countXML returns the number of items of RSS, entries of Atom, or URLs of a sitemap.
func countXML(document []byte) (int, error) {
	var read struct {
		Items   []struct{} `xml:"channel>item"`
		Entries []struct{} `xml:"entry"`
		URLs    []struct{} `xml:"url"`
	}
	err := xml.Unmarshal(document, &read)
	return len(read.Items) + len(read.Entries) + len(read.URLs), err
}

func countJSON(document []byte) (int, error) {
	var read struct{ Items []json.RawMessage }
	err := json.Unmarshal(document, &read)
	return len(read.Items), err
}
