// Package profile says what the consumers of outgoing feeds want, as data: one block of knobs each. The ones that come
// with feedwire stand in profiles.yaml; a configuration adds others in the same words.
package profile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// InstantArticles is the profile of a feed that names none.
const InstantArticles = "instant-articles"

// The forms of a document.
const (
	RSS  = "rss"
	Atom = "atom"
	JSON = "json"
)

// Profile is what one consumer wants. New makes one without peculiarities; what each field does stands with its knob.
type Profile struct {
	Name  string
	About string
	Facts string // URLs, separated by spaces

	Forms      []string // the first one is served where none is named
	Namespaces []string // "prefix=URI"
	Dates      string   // DatesRFC822 or DatesISO8601

	// Of the channel.
	ChannelDates              []string // names of elements
	ChannelDescriptionMaximum int      // characters; 0: any
	TTL                       int      // minutes; 0: none
	Logo                      string   // name of the element; empty: none
	DarkLogo                  string   // likewise
	NoHub                     bool

	// Of the item.
	GUID                       string // GUIDUUID or GUIDPermalink
	Author                     string // name of the element
	Byline                     bool
	Modified                   string // likewise; empty: none
	ShortTitle                 string // likewise
	TitleMinimum, TitleMaximum int    // characters; 0: any
	DescriptionMinimum         int    // characters
	DescriptionMaximum         int    // bytes
	Categories                 bool
	Images                     []string // names of elements
	ImageMinimum               int      // pixels of the shorter side; 0: any
	Enclosures                 bool
	StripTracking              bool
	QueryAddresses             bool
	Require                    []string // RequireBody, RequireImage

	// Of the body.
	Body   string   // BodyFragment or BodyInstant
	Tags   []string // empty: all that are safe
	Embeds []string // hosts
	Depth  int      // levels of elements; 0: any

	// Of the feed, where that says nothing else.
	MaxItems    int
	MaxBytes    int           // 0: any number
	Window      time.Duration // since publication
	RetireAfter int           // impressions; 0: never
	Counted     []string      // parts of the consumer's User-Agent; "*": every client
}

// The words that knobs take.
const (
	DatesRFC822  = "rfc822"
	DatesISO8601 = "iso8601"

	GUIDUUID      = "uuid"
	GUIDPermalink = "permalink"

	BodyFragment = "fragment"
	BodyInstant  = "instant-articles"

	RequireBody  = "body"
	RequireImage = "image"

	MediaContent   = "media:content"
	MediaThumbnail = "media:thumbnail"
	EnclosureImage = "enclosure"
)

// New is a profile in which each knob has its default.
func New(name string) Profile {
	p := Profile{Name: name}
	for _, k := range Knobs() {
		if err := k.Set(&p, splitDefault(k)); err != nil {
			panic(fmt.Sprintf("profile: default of %s: %v", k.Key, err)) // a mistake in the table
		}
	}
	return p
}

// Space is the URI of a namespace of the profile; empty: it has none of that prefix.
func (p *Profile) Space(prefix string) string {
	for _, s := range p.Namespaces {
		if declared, uri, _ := strings.Cut(s, "="); declared == prefix {
			return uri
		}
	}
	return ""
}

// Validate reports what is wrong between knobs, each of which is right alone.
func (p *Profile) Validate() error {
	for _, e := range p.elements() {
		if prefix, _, prefixed := strings.Cut(e, ":"); prefixed && prefix != "atom" && p.Space(prefix) == "" {
			return fmt.Errorf("the element %s needs its namespace; add %s=https://… to namespaces", e, prefix)
		}
	}
	switch {
	case p.TitleMaximum > 0 && p.TitleMinimum > p.TitleMaximum:
		return fmt.Errorf("title_minimum %d is above title_maximum %d", p.TitleMinimum, p.TitleMaximum)
	case p.DescriptionMinimum > p.DescriptionMaximum:
		return fmt.Errorf("description_minimum %d is above description_maximum %d", p.DescriptionMinimum, p.DescriptionMaximum)
	case p.MaxBytes > 0 && p.MaxBytes < 10_000:
		return fmt.Errorf("max_bytes %d leaves no room for articles; use at least 10000, or 0", p.MaxBytes)
	case len(p.Forms) == 0:
		return fmt.Errorf("there is no form; use some of rss, atom, json")
	case p.Body == BodyInstant && !slices.Equal(p.Forms, []string{RSS}):
		return fmt.Errorf("instant articles are served as rss only; set forms to [rss], or body to fragment")
	}
	return nil
}

// elements are the names of all elements that knobs choose.
func (p *Profile) elements() []string {
	all := append(slices.Clone(p.Images), p.ChannelDates...)
	for _, name := range []string{p.Logo, p.DarkLogo, p.Author, p.Modified, p.ShortTitle} {
		if name != "" {
			all = append(all, name)
		}
	}
	return all
}

var elementName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}(:[A-Za-z][A-Za-z0-9_-]{0,63})?$`)
