package parser

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/ingest/date"
	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// post is an item as its document has it, in a form that all formats share.
type post struct {
	entry                feed.Entry // only Extra, until translate completes it
	noted                int        // bytes of the values that note stored
	guid                 string     // may be empty or shared with other entries
	link                 string
	opaque               bool   // the document says that the guid is not a URL
	title                string // HTML, or text if plainTitle
	content, summary     string // HTML
	plainTitle           bool
	authors              []feed.Person
	contributors         []feed.Person
	persons              []feed.Person // in a podcast
	published, updated   time.Time
	categories           []feed.Category
	enclosures           []enclosure
	media                []feed.Enclosure // other files
	chapters             []feed.Chapter
	transcripts          []feed.Transcript
	language             string   // in scope
	base                 *url.URL // of link and enclosures
	contentBase, sumBase *url.URL
	exceeded             []feed.FindingClass // limits
}

// enclosure is a file of an entry, as the field "enclosures" stores it.
type enclosure struct {
	URL    string `json:"url"`
	Type   string `json:"type,omitempty"`   // media type
	Length string `json:"length,omitempty"` // in bytes, as written
	feed.FileDetails
}

// addCategory adds a category that the post does not have yet, or the label of one that it has.
func (p *post) addCategory(c feed.Category) {
	c = feed.Category{Term: plainText(c.Term), Scheme: mend.Line(c.Scheme), Label: plainText(c.Label), Parent: plainText(c.Parent)}
	if c.Term == "" {
		c.Term, c.Label = c.Label, ""
	}
	if c.Label == c.Term {
		c.Label = ""
	}
	switch {
	case c.Term == "":
		return
	case len(c.Term)+len(c.Scheme)+len(c.Label)+len(c.Parent) > maxWord || len(p.categories) == maxCategories:
		p.exceeds(feed.FindingCategories)
		return
	}
	at := slices.IndexFunc(p.categories, func(known feed.Category) bool {
		return known.Term == c.Term && (known.Scheme == c.Scheme || c.Scheme == "" && c.Label == "")
	})
	switch {
	case at < 0:
		p.categories = append(p.categories, c)
	case p.categories[at].Label == "":
		p.categories[at].Label = c.Label
	}
}

// describeFeed completes the description of a feed, whose authors and categories p has.
func (p *post) describeFeed(about *feed.About, image, icon, rights string) {
	about.Authors, about.Categories = p.cleanPersons(p.authors, maxAuthors, feed.FindingAuthors), p.categories
	about.Image, about.Icon, about.Rights = p.address(image), p.address(icon), p.bounded(plainText(rights))
}

// firstOf returns the first text that is not blank, or "".
func firstOf(texts ...string) string {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

// firstDate returns the first valid date, or the zero time. It gives up after three, because dates that cannot be read take
// longest.
func firstDate(texts ...string) time.Time {
	tries := 3
	for _, text := range texts {
		if t := date.Parse(text); !t.IsZero() {
			return t
		}
		if text != "" {
			tries--
		}
		if tries == 0 {
			break
		}
	}
	return time.Time{}
}
