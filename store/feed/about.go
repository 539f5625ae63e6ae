package feed

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// About is the metadata of a feed. A change of title, description, link or language causes a feed_modified signal.
type About struct {
	Title       string `json:"title,omitempty" redis:"title"`
	Description string `json:"description,omitempty" redis:"description"`
	Link        string `json:"link,omitempty" redis:"link"`
	Language    string `json:"language,omitempty" redis:"language"`

	Authors    []Person   `json:"authors,omitempty" redis:"feed_authors"`
	Categories []Category `json:"categories,omitempty" redis:"feed_categories"`
	Image      string     `json:"image,omitempty" redis:"feed_image"` // URL
	Icon       string     `json:"icon,omitempty" redis:"feed_icon"`   // URL of a small, square image
	Rights     string     `json:"rights,omitempty" redis:"feed_rights"`

	Podcast
}

// Podcast is what a feed says about a podcast as a whole, beyond authors, categories and image.
type Podcast struct {
	Owner      string   `json:"owner,omitempty" redis:"feed_owner"`
	OwnerEmail string   `json:"owner_email,omitempty" redis:"feed_owner_email"`
	Type       string   `json:"type,omitempty" redis:"feed_type"` // episodic or serial
	Explicit   Answer   `json:"explicit,omitempty" redis:"feed_explicit"`
	Persons    []Person `json:"persons,omitempty" redis:"feed_persons"`
}

// Answer is "true", "false" or, if it is unknown, empty. In JSON it is a boolean.
type Answer string

// MarshalJSON encodes the answer as a boolean.
func (a Answer) MarshalJSON() ([]byte, error) { return []byte(cmp.Or(a, "null")), nil }

// UnmarshalJSON decodes a boolean.
func (a *Answer) UnmarshalJSON(data []byte) error {
	var yes *bool
	err := json.Unmarshal(data, &yes)
	if *a = ""; yes != nil {
		*a = Answer(strconv.FormatBool(*yes))
	}
	return err
}

// SchemeITunes is the scheme of the categories of Apple's directory of podcasts.
const SchemeITunes = "http://www.itunes.com/"

// IsPodcast reports whether the feed says something about itself that only podcasts do.
func (a *About) IsPodcast() bool {
	p := &a.Podcast
	return p.Owner+p.OwnerEmail+p.Type+string(p.Explicit) != "" || len(p.Persons) > 0 ||
		slices.ContainsFunc(a.Categories, func(c Category) bool { return c.Scheme == SchemeITunes })
}

// Equal reports whether both are the same.
func (a *About) Equal(b *About) bool {
	signalled := func(a *About) [4]string { return [4]string{a.Title, a.Description, a.Link, a.Language} }
	return signalled(a) == signalled(b) && maps.Equal(a.Details(), b.Details())
}

// Details returns the fields of the source's hash whose change causes no signal.
func (a *About) Details() map[string]string {
	all := map[string]string{
		"feed_image": a.Image, "feed_icon": a.Icon, "feed_rights": a.Rights, "feed_authors": "", "feed_categories": "",
		"feed_owner": a.Owner, "feed_owner_email": a.OwnerEmail, "feed_type": a.Type, "feed_explicit": string(a.Explicit), "feed_persons": "",
	}
	if len(a.Authors) > 0 {
		all["feed_authors"] = EncodeList(a.Authors)
	}
	if len(a.Categories) > 0 {
		all["feed_categories"] = EncodeList(a.Categories)
	}
	if len(a.Persons) > 0 {
		all["feed_persons"] = EncodeList(a.Persons)
	}
	return all
}
