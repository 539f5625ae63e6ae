package ingest

import (
	"net/url"
	"strings"
	"time"
)

// post is one item as its document wrote it, in the words that all formats share.
type post struct {
	guid, link           string
	opaque               bool   // the guid is no address, whatever it looks like
	title                string // HTML, or text where plain says so
	content, summary     string // HTML
	plainTitle           bool
	authors              []string
	published, updated   time.Time
	categories           []Category
	enclosures           []Enclosure
	language             string
	base                 *url.URL // of link and enclosures
	contentBase, sumBase *url.URL
}

// Category is a subject that an entry is filed under.
type Category struct {
	Term   string `json:"term"`
	Scheme string `json:"scheme,omitempty"` // of which the term is one: a URI, or the domain of RSS
	Label  string `json:"label,omitempty"`  // for people
}

// Enclosure is a file that comes with an entry.
type Enclosure struct {
	URL    string `json:"url"`
	Type   string `json:"type,omitempty"`   // media type
	Length string `json:"length,omitempty"` // in bytes, as written
}

// Bounds of what an entry carries along.
const (
	maxCategories = 100
	maxEnclosures = 50
	maxWord       = 1024 // bytes of a category's parts, a type, a language
)

// file notes a category once.
func (p *post) file(c Category) {
	c = Category{Term: plainText(c.Term), Scheme: cleanLine(c.Scheme), Label: plainText(c.Label)}
	if c.Term == "" {
		c.Term, c.Label = c.Label, ""
	}
	if c.Label == c.Term {
		c.Label = ""
	}
	if c.Term == "" || len(c.Term)+len(c.Scheme)+len(c.Label) > maxWord || len(p.categories) == maxCategories {
		return
	}
	for _, known := range p.categories {
		if known.Term == c.Term && (known.Scheme == c.Scheme || c.Scheme == "" && c.Label == "") {
			return
		}
	}
	p.categories = append(p.categories, c)
}

// attach notes an enclosure once.
func (p *post) attach(e Enclosure) {
	e = Enclosure{URL: resolve(p.base, e.URL), Type: cleanLine(e.Type), Length: cleanLine(e.Length)}
	if strings.Trim(e.Length, "0123456789") != "" || len(e.Length) > 19 || strings.Trim(e.Length, "0") == "" {
		e.Length = ""
	}
	if e.URL == "" || len(e.Type) > maxWord || len(p.enclosures) == maxEnclosures {
		return
	}
	for _, known := range p.enclosures {
		if known.URL == e.URL {
			return
		}
	}
	p.enclosures = append(p.enclosures, e)
}

// firstOf is the first text that is not blank.
func firstOf(texts ...string) string {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

// firstDate is the first text that is a date. One that is written but cannot be read stands aside for the next.
func firstDate(texts ...string) time.Time {
	for _, text := range texts {
		if t, _ := parseDate(text); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}
