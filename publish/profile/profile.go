// Package profile describes the requirements of the consumers of outgoing feeds. profiles.yaml contains the built-in profiles;
// a configuration can add others with the same keys.
package profile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// InstantArticles is the default profile of a feed.
const InstantArticles = "instant-articles"

// Profile contains the requirements of one consumer. docs/reference/configuration.md describes the fields under the names of their tags.
type Profile struct {
	Name  string `yaml:"-"`
	About string
	Facts string // URLs, separated by spaces

	Read       string // date, like 2026-11-22, on which copies of Facts were read
	SecondHand string `yaml:"second_hand"` // requirements that those did not confirm, and where they are from; empty: none

	Forms      []string // the first one is the default
	Namespaces []string // "prefix=URI"
	Dates      string   // "rfc822" or DatesISO8601

	// The channel.
	ChannelDates              []string `yaml:"channel_dates"` // names of elements
	TTL                       int      // minutes; 0 leaves it out
	ChannelDescriptionMaximum int      `yaml:"channel_description_maximum"` // characters; 0 means no limit
	Logo                      string   // name of the element; empty leaves it out
	DarkLogo                  string   `yaml:"dark_logo"` // as Logo
	Podcast                   bool
	NoHub                     bool `yaml:"no_hub"`

	// Items.
	GUID               string // "uuid" or GUIDPermalink
	Author             string // name of the element
	Byline             bool
	Modified           string // as Logo
	ShortTitle         string `yaml:"short_title"`         // as Logo
	ShortTitleMaximum  int    `yaml:"short_title_maximum"` // characters; 0 means TitleMaximum
	TitleMinimum       int    `yaml:"title_minimum"`       // characters
	TitleMaximum       int    `yaml:"title_maximum"`       // characters; 0 means no limit
	DescriptionMinimum int    `yaml:"description_minimum"` // characters
	DescriptionMaximum int    `yaml:"description_maximum"` // bytes
	Categories         bool
	Constants          []string // elements that every item has, as "name=text"
	Images             []string // names of elements
	ImageMinimum       int      `yaml:"image_minimum"` // pixels of the shorter side
	ImageText          string   `yaml:"image_text"`    // as Logo
	ImageRights        string   `yaml:"image_rights"`  // as Logo
	Enclosures         bool
	FileTypes          []string      `yaml:"file_types"` // media types; empty allows all audio and video
	Video              string        // as Logo
	Fields             []string      // other fields of entries that the consumer knows, or AllFields
	Analytics          string        // as Logo
	Advertisement      string        // as Logo, or "element/element in it"
	StripTracking      bool          `yaml:"strip_tracking"`
	QueryAddresses     bool          `yaml:"query_addresses"`
	Require            []string      // RequireBody, RequireImage, RequireFile
	MaximumAge         time.Duration `yaml:"maximum_age"` // since the source published it; 0 means no limit

	// The content of items.
	Body   string   // "fragment" or BodyInstant
	Tags   []string // empty allows all safe elements
	Embeds []string // hosts
	Depth  int      // levels of nesting; 0 means no limit

	// Defaults of the feed.
	MaxItems    int           `yaml:"max_items"`
	MaxBytes    int           `yaml:"max_bytes"` // 0 means no limit
	Window      time.Duration // since publication
	RetireAfter int           `yaml:"retire_after"` // impressions; 0 means never
	Counted     []string      // parts of the consumer's User-Agent; "*" counts every client
}

// Values of settings.
const (
	formRSS = "rss"

	datesRFC822  = "rfc822"
	DatesISO8601 = "iso8601"

	guidUUID      = "uuid"
	GUIDPermalink = "permalink"

	bodyFragment = "fragment"
	BodyInstant  = "instant-articles"

	AllFields = "all"

	RequireBody  = "body"
	RequireImage = "image"
	RequireFile  = "file"
)

// New returns a profile in which every key has its default.
func New(name string) Profile {
	return Profile{
		Name: name, Forms: []string{formRSS}, Namespaces: []string{"dc=http://purl.org/dc/elements/1.1/"}, Dates: datesRFC822,
		ChannelDates: []string{"lastBuildDate"}, GUID: guidUUID, Author: "dc:creator", DescriptionMaximum: 1000, Categories: true,
		StripTracking: true, Body: bodyFragment, MaxItems: 100, Window: 24 * time.Hour,
	}
}

// UnmarshalYAML decodes a profile. Keys that are omitted have their defaults.
func (p *Profile) UnmarshalYAML(decode func(any) error) error {
	type keys Profile
	*p = New("")
	return decode((*keys)(p))
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

// Knows reports whether the consumer knows a field of feed.Fields that has no key of its own.
func (p *Profile) Knows(field string) bool {
	return slices.Contains(p.Fields, AllFields) || slices.Contains(p.Fields, field)
}

// maxList is how many items a list may have.
const maxList = 200

// Validate checks lists, and settings that depend on each other.
func (p *Profile) Validate() error {
	for _, list := range []struct {
		key   string
		items []string
	}{
		{"forms", p.Forms}, {"namespaces", p.Namespaces}, {"channel_dates", p.ChannelDates},
		{"images", p.Images}, {"constants", p.Constants}, {"fields", p.Fields}, {"file_types", p.FileTypes},
		{"require", p.Require}, {"tags", p.Tags}, {"embeds", p.Embeds}, {"counted", p.Counted},
	} {
		if len(list.items) > maxList {
			return fmt.Errorf("%s has %d items; at most %d are allowed", list.key, len(list.items), maxList)
		}
		for i, s := range list.items {
			if slices.Contains(list.items[:i], s) {
				return fmt.Errorf("%s has %.40q twice", list.key, s)
			}
		}
	}
	var constants []string
	for _, c := range p.Constants {
		name, _, _ := strings.Cut(c, "=")
		constants = append(constants, name)
	}
	for _, e := range slices.Concat(constants, p.Images, p.ChannelDates, strings.Split(p.Advertisement, "/"), []string{
		p.Logo, p.DarkLogo, p.Author, p.Modified, p.ShortTitle, p.ImageText, p.ImageRights, p.Video, p.Analytics,
	}) {
		if prefix, _, prefixed := strings.Cut(e, ":"); prefixed && prefix != "atom" && p.Space(prefix) == "" {
			return fmt.Errorf("the namespace of %s is not declared; add %s=https://… to namespaces", e, prefix)
		}
	}
	for _, name := range p.Fields {
		if feed.FieldNamed(name) == nil && name != AllFields {
			return fmt.Errorf("fields has %.40q, which is no field of an entry; use all, or names of docs/reference/fields.md", name)
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
		return errors.New("forms is empty; use rss, atom, json, sitemap, apple-news or amp")
	case p.Body == BodyInstant && !slices.Equal(p.Forms, []string{formRSS}):
		return errors.New("body instant-articles requires RSS; set forms to [rss], or body to fragment")
	}
	return nil
}
