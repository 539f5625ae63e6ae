// Package profile describes the requirements of the consumers of outgoing feeds. profiles.yaml contains the built-in profiles;
// a configuration can add others with the same keys.
package profile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// InstantArticles is the default profile of a feed.
const InstantArticles = "instant-articles"

// The values of forms.
const (
	formRSS  = "rss"
	formAtom = "atom"
	formJSON = "json"
)

// Profile contains the requirements of one consumer. Settings documents the fields.
type Profile struct {
	Name  string
	About string
	Facts string // URLs, separated by spaces

	Forms      []string // the first one is the default
	Namespaces []string // "prefix=URI"
	Dates      string   // "rfc822" or DatesISO8601

	// The channel.
	ChannelDates              []string // names of elements
	ChannelDescriptionMaximum int      // characters; 0 means no limit
	TTL                       int      // minutes; 0 leaves it out
	Logo                      string   // name of the element; empty leaves it out
	DarkLogo                  string   // as Logo
	NoHub                     bool

	// Items.
	GUID                       string // "uuid" or GUIDPermalink
	Author                     string // name of the element
	Byline                     bool
	Modified                   string // as Logo
	ShortTitle                 string // as Logo
	TitleMinimum, TitleMaximum int    // characters; 0 means no limit
	DescriptionMinimum         int    // characters
	DescriptionMaximum         int    // bytes
	Categories                 bool
	Images                     []string // names of elements
	ImageMinimum               int      // pixels of the shorter side
	Enclosures                 bool
	StripTracking              bool
	QueryAddresses             bool
	Require                    []string // RequireBody, RequireImage

	// The content of items.
	Body   string   // "fragment" or BodyInstant
	Tags   []string // empty allows all safe elements
	Embeds []string // hosts
	Depth  int      // levels of nesting; 0 means no limit

	// Defaults of the feed.
	MaxItems    int
	MaxBytes    int           // 0 means no limit
	Window      time.Duration // since publication
	RetireAfter int           // impressions; 0 means never
	Counted     []string      // parts of the consumer's User-Agent; "*" counts every client
}

// The values of other settings.
const (
	datesRFC822  = "rfc822"
	DatesISO8601 = "iso8601"

	guidUUID      = "uuid"
	GUIDPermalink = "permalink"

	bodyFragment = "fragment"
	BodyInstant  = "instant-articles"

	RequireBody  = "body"
	RequireImage = "image"

	mediaContent   = "media:content"
	mediaThumbnail = "media:thumbnail"
	enclosureImage = "enclosure"
)

// New returns a profile in which every setting has its default.
func New(name string) Profile {
	p := Profile{Name: name}
	for _, k := range p.Settings() {
		if err := k.setDefault(); err != nil {
			panic(fmt.Sprintf("profile: default of %s: %v", k.Key, err))
		}
	}
	return p
}

// Space returns the URI of the namespace with a prefix; empty if the profile does not declare it.
func (p *Profile) Space(prefix string) string {
	for _, s := range p.Namespaces {
		if uri, ok := strings.CutPrefix(s, prefix+"="); ok {
			return uri
		}
	}
	return ""
}

// Validate checks settings that depend on each other.
func (p *Profile) Validate() error {
	for _, e := range slices.Concat(p.Images, p.ChannelDates, []string{p.Logo, p.DarkLogo, p.Author, p.Modified, p.ShortTitle}) {
		if prefix, _, prefixed := strings.Cut(e, ":"); prefixed && prefix != "atom" && p.Space(prefix) == "" {
			return fmt.Errorf("the namespace of %s is not declared; add %s=https://… to namespaces", e, prefix)
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
		return errors.New("forms is empty; use rss, atom or json")
	case p.Body == BodyInstant && !slices.Equal(p.Forms, []string{formRSS}):
		return errors.New("body instant-articles requires RSS; set forms to [rss], or body to fragment")
	}
	return nil
}

var elementName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}(:[A-Za-z][A-Za-z0-9_-]{0,63})?$`)
