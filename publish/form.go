package publish

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// form is one way to write a feed.
type form struct {
	mediaType string
	// item encodes one entry.
	item func(e *entry, p *profile.Profile) ([]byte, error)
	// encode makes the document of a channel with encoded items, the newest first.
	encode func(c *channel, p *profile.Profile, items [][]byte) ([]byte, error)
	// check reads a document as a strict consumer would. It returns an error where that fails or gives another number of
	// items: no consumer should see such a document.
	check func(document []byte, want int) error
}

// channel is what a feed says of itself.
type channel struct {
	title, link, description, language, copyright string
	atomLanguage                                  string // language where Atom names it; empty: it does not
	logo, darkLogo                                string
	self, hub                                     string // empty: none
	changed                                       time.Time
}

// entry is what a feed says of one article, or a source of one of its entries, in the words that all forms share. Its
// texts are clean, its addresses absolute. Of an article there are a title, a link and a publication date in any case.
type entry struct {
	ids                         ids
	title, shortTitle, headline string // headline is what stands for the title where a form insists on one
	link                        string
	published, modified         time.Time
	authors                     []string
	categories                  []category
	description                 string // plain text
	summary                     string // the same as HTML, where the source has it
	image                       picture
	files                       []feed.Enclosure
	allFiles                    bool // RSS has room for all files, not for the first one alone
	content                     string
}

// ids name an entry for good, in each form. That of Atom is an IRI.
type ids struct{ rss, atom, json string }

// category is what an entry is filed under; but for Term all may be empty.
type category struct {
	Term, Scheme, Label string
}

// formOf is the form of that name, one of those that a profile takes.
func formOf(name string) form {
	switch name {
	case profile.Atom:
		return form{"application/atom+xml", atomItem, encodeAtom, func(document []byte, want int) error {
			return checkItems(document, want, "entry", 2)
		}}
	case profile.JSON:
		return form{"application/feed+json", jsonItem, encodeJSON, checkJSON}
	}
	return form{"application/rss+xml", rssItem, encodeRSS, func(document []byte, want int) error {
		return checkItems(document, want, "item", 3)
	}}
}

// checkItems counts the elements of that name at that depth of an XML document.
func checkItems(document []byte, want int, name string, at int) error {
	d := xml.NewDecoder(bytes.NewReader(document))
	depth, items := 0, 0
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return compareItems(items, want)
		case err != nil:
			return fmt.Errorf("read the rendered feed again: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth == at && t.Name.Local == name {
				items++
			}
		case xml.EndElement:
			depth--
		}
	}
}

func checkJSON(document []byte, want int) error {
	var read struct{ Items []json.RawMessage }
	if err := json.Unmarshal(document, &read); err != nil {
		return fmt.Errorf("read the rendered feed again: %w", err)
	}
	return compareItems(len(read.Items), want)
}

func compareItems(got, want int) error {
	if got != want {
		return fmt.Errorf("the rendered feed reads as %d items, not %d", got, want)
	}
	return nil
}
