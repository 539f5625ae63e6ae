package feedxml

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"

	"github.com/feedwire/feedwire/store/feed"
)

// lists returns the elements for the lists that RSS and Atom hold in the same elements.
func (e *Entry) lists() (all elements) {
	image := e.Fields["image"]
	if isImage := func(file feed.Enclosure) bool { return file.URL == image }; image != "" &&
		!slices.ContainsFunc(e.Media, isImage) && !slices.ContainsFunc(e.withImage(), isImage) {
		all = append(all, textElement("media:thumbnail", "").with("url", image))
	}
	for _, m := range e.Media {
		all = append(all, mediaElement(m))
	}
	for _, t := range e.Transcripts {
		all = append(all, textElement("podcast:transcript", "").with("url", t.URL, "type", t.Type, "language", t.Language, "rel", t.Rel))
	}
	all = append(all, personElements(e.Persons)...)
	if len(e.Chapters) > 0 {
		list := textElement("psc:chapters", "").with("version", "1.2")
		for _, c := range e.Chapters {
			list.Inner = append(list.Inner,
				textElement("psc:chapter", "").with("start", playTime(c.Start), "title", c.Title, "href", c.URL, "image", c.Image))
		}
		all = append(all, list)
	}
	return all
}

// playTime formats seconds as "01:02:03.500".
func playTime(seconds float64) string {
	ms := int64(seconds*1000 + 0.5)
	return fmt.Sprintf("%02d:%02d:%02d.%03d", ms/3600_000, ms/60_000%60, ms/1000%60, ms%1000)
}

// mediaElement returns the element for a file that is no enclosure.
func mediaElement(m feed.Enclosure) element {
	width, height := positive(m.Width), positive(m.Height)
	switch m.Rel {
	case feed.RelPlayer:
		return textElement("media:player", "").with("url", m.URL, "width", width, "height", height)
	case feed.RelAlternate:
		el := textElement("podcast:alternateEnclosure", "").with("type", m.Type, "length", positive(int64(m.Length)), "title", m.Title,
			"lang", m.Language, "height", height)
		el.Inner = []element{textElement("podcast:source", "").with("uri", m.URL)}
		return el
	}
	thumbnail := textElement("media:thumbnail", "").with("url", m.URL, "width", width, "height", height)
	if texts := describe(m.FileDetails); len(texts) > 0 {
		return element{XMLName: xml.Name{Local: "media:group"}, Inner: append(elements{thumbnail}, texts...)}
	}
	return thumbnail
}

// fileElement returns media:content for a file.
func fileElement(file feed.Enclosure) element {
	el := textElement(mediaContent, "").with("url", file.URL, "type", file.Type, "fileSize", positive(int64(file.Length)),
		"width", positive(file.Width), "height", positive(file.Height), "duration", positive(file.Duration), "lang", file.Language)
	el.Inner = describe(file.FileDetails)
	return el
}

// describe returns the elements that describe a file of Media RSS.
func describe(d feed.FileDetails) (all elements) {
	all.addPlain("media:title", "plain", d.Title)
	all.addPlain("media:description", "plain", d.Description)
	for _, c := range d.Credits {
		all = append(all, textElement("media:credit", c.Name).with("role", c.Role))
	}
	return all
}

// ownLists sets the members of feed.JSONObject for the lists that JSON Feed cannot hold completely.
func (e *Entry) ownLists(members map[string]any) {
	for name, list := range map[string]struct {
		value any
		size  int
	}{
		feed.FieldContributors: {e.Contributors, len(e.Contributors)},
		feed.FieldPersons:      {e.Persons, len(e.Persons)},
		feed.FieldMedia:        {e.Media, len(e.Media)},
		feed.FieldChapters:     {e.Chapters, len(e.Chapters)},
		feed.FieldTranscripts:  {e.Transcripts, len(e.Transcripts)},
	} {
		if list.size > 0 {
			members[name] = list.value
		}
	}
	if slices.ContainsFunc(e.Categories, func(c feed.Category) bool { return c.Scheme+c.Label != "" }) {
		members[feed.FieldCategories] = e.Categories
	}
}

// positive formats a number above 0. It returns an empty string for any other, which means unknown.
func positive(n int64) string {
	if n <= 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// personElements returns the persons of a podcast or of an episode.
func personElements(persons []feed.Person) (all elements) {
	for _, p := range persons {
		all = append(all, textElement("podcast:person", p.Name).with("role", p.Role, "group", p.Group, "img", p.Image, "href", p.URL))
	}
	return all
}
