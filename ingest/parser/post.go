package parser

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// post is an item as its document has it, in a form that all formats share.
type post struct {
	entry                feed.Entry // only Extra, until translate completes it
	guid                 string     // may be empty or shared with other entries
	link                 string
	opaque               bool   // the document says that the guid is not a URL
	title                string // HTML, or text if plainTitle
	content, summary     string // HTML
	plainTitle           bool
	authors              []string
	published, updated   time.Time
	categories           []feed.Category
	enclosures           []enclosure
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
}

// addCategory adds a category that the post does not have yet.
func (p *post) addCategory(c feed.Category) {
	c = feed.Category{Term: plainText(c.Term), Scheme: mend.Line(c.Scheme), Label: plainText(c.Label)}
	if c.Term == "" {
		c.Term, c.Label = c.Label, ""
	}
	if c.Label == c.Term {
		c.Label = ""
	}
	switch {
	case c.Term == "":
		return
	case len(c.Term)+len(c.Scheme)+len(c.Label) > maxWord || len(p.categories) == maxCategories:
		p.exceeds(feed.FindingCategories)
		return
	}
	if !slices.ContainsFunc(p.categories, func(known feed.Category) bool {
		return known.Term == c.Term && (known.Scheme == c.Scheme || c.Scheme == "" && c.Label == "")
	}) {
		p.categories = append(p.categories, c)
	}
}

// addEnclosure adds an enclosure that the post does not have yet.
func (p *post) addEnclosure(e enclosure) {
	e = enclosure{URL: mend.Resolve(p.base, e.URL), Type: mend.Line(e.Type), Length: mend.Line(e.Length)}
	if strings.Trim(e.Length, "0123456789") != "" || len(e.Length) > 19 || strings.Trim(e.Length, "0") == "" {
		e.Length = ""
	}
	switch {
	case e.URL == "":
		return
	case len(e.URL) > maxLink || len(e.Type) > maxWord || len(p.enclosures) == maxEnclosures:
		p.exceeds(feed.FindingEnclosures)
		return
	}
	if !slices.ContainsFunc(p.enclosures, func(known enclosure) bool { return known.URL == e.URL }) {
		p.enclosures = append(p.enclosures, e)
	}
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

// firstDate returns the first valid date, or the zero time.
func firstDate(texts ...string) time.Time {
	for _, text := range texts {
		if t := parseDate(text); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}
