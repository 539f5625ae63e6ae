package parser

import (
	"bytes"
	"encoding/json"
	"strings"

	ext "github.com/mmcdole/gofeed/extensions"

	"github.com/mmcdole/gofeed/atom"
	"github.com/mmcdole/gofeed/rss"

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// The scalar fields of feed.Fields are read here, at the locations that the table gives.

// located is a field with its locations in a format.
type located struct {
	*feed.Field
	at []location
}

var (
	inRSS  = locate(func(f *feed.Field) string { return f.RSS })
	inAtom = locate(func(f *feed.Field) string { return f.Atom })
)

// locate splits the locations of the scalar fields once, because each entry is searched for all of them.
func locate(locations func(*feed.Field) string) (all []located) {
	for _, f := range feed.Scalars() {
		field := located{Field: f}
		for text := range strings.FieldsSeq(locations(f)) {
			field.at = append(field.at, locationOf(text))
		}
		all = append(all, field)
	}
	return all
}

// location is a location of feed.Fields.
type location struct {
	text                       string
	prefix, element, attribute string // of an extension, "prefix:element" or "prefix:element@attribute"; otherwise empty
}

func locationOf(text string) location {
	name, attribute, _ := strings.Cut(text, "@")
	prefix, element, found := strings.Cut(name, ":")
	if !found {
		return location{text: text}
	}
	return location{text, prefix, element, attribute[strings.LastIndexByte(attribute, ':')+1:]}
}

func (p *post) readRSSFields(item *rss.Item) {
	links := atomLinks(item.Extensions)
	for _, f := range inRSS {
		for _, at := range f.at {
			value := extensionAt(item.Extensions, at)
			switch {
			case value != "":
			case strings.HasPrefix(at.text, "link["):
				value = atomLinkAt(links, at.text)
			case at.text == "comments":
				value = item.Comments
			case at.text == "source" && item.Source != nil:
				value = item.Source.Title
			case at.text == "source@url" && item.Source != nil:
				value = item.Source.URL
			default:
				value = item.Custom[at.text]
			}
			if p.setField(f.Field, value) {
				break
			}
		}
	}
}

func (p *post) readAtomFields(e *atom.Entry) {
	for _, f := range inAtom {
		for _, at := range f.at {
			value := extensionAt(e.Extensions, at)
			switch {
			case strings.HasPrefix(at.text, "link["):
				value = atomLinkAt(e.Links, at.text)
			case at.text == "rights":
				value = e.Rights
			case at.text == "source/title" && e.Source != nil:
				value = e.Source.Title
			case at.text == "source/id" && e.Source != nil:
				value = e.Source.ID
			case strings.HasPrefix(at.text, "source/link[") && e.Source != nil:
				value = atomLinkAt(e.Source.Links, strings.TrimPrefix(at.text, "source/"))
			}
			if p.setField(f.Field, value) {
				break
			}
		}
	}
}

// atomLinkAt returns the first link at a location, "link[rel]" or "link[rel|type]". A link without a type is HTML.
func atomLinkAt(links []*atom.Link, at string) string {
	rel, mediaType, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(at, "link["), "]"), "|")
	for _, l := range links {
		isFeed := strings.HasSuffix(l.Type, "+xml") && l.Type != "application/xhtml+xml"
		if l.Rel == rel && (mediaType == "" || isFeed == (mediaType != "text/html")) {
			return l.Href
		}
	}
	return ""
}

// readJSONFields decodes an item again only if it seems to have such a field.
func (p *post) readJSONFields(item json.RawMessage) {
	var members map[string]json.RawMessage
	for _, f := range feed.Scalars() {
		name, inner, nested := strings.Cut(f.JSON, ".")
		if name == "" || !bytes.Contains(item, []byte(`"`+name+`"`)) {
			continue
		}
		if members == nil && json.Unmarshal(item, &members) != nil {
			return
		}
		value := members[name]
		if nested {
			var object map[string]json.RawMessage
			if json.Unmarshal(value, &object) != nil {
				continue
			}
			value = object[inner]
		}
		var text jsonText
		if len(value) > 0 && json.Unmarshal(value, &text) == nil {
			p.setField(f, string(text))
		}
	}
}

// extensionAt returns the first value at the location of an extension, also within a group or a file of Media RSS.
func extensionAt(extensions ext.Extensions, at location) string {
	all := extensions[at.prefix][at.element]
	if media := extensions["media"]; at.prefix == "media" && len(media) > 0 {
		all = nil
		for _, group := range groupsOf(media) {
			all = append(all, group[at.element]...)
			for _, file := range group["content"] {
				all = append(all, file.Children[at.element]...)
			}
		}
	}
	for _, e := range all {
		value := e.Value
		if at.attribute != "" {
			value = e.Attrs[at.attribute]
		}
		if strings.TrimSpace(value) != "" {
			return value
		}
	}
	return ""
}

// setField sets a field to a value as its kind requires, and reports whether it did. Malformed values are dropped.
func (p *post) setField(f *feed.Field, value string) bool {
	if value == "" {
		return false // of most fields in most entries
	}
	switch f.Kind {
	case feed.KindURL:
		value = mend.Resolve(p.base, value)
	case feed.KindText:
		value = plainText(value)
	default:
		if value = mend.Line(value); len(value) <= longestOf(f) {
			value = f.Normalise(value)
		}
	}
	if len(value) > longestOf(f) {
		p.exceeds(feed.FindingField)
		return false
	}
	return p.note(f.Name, value)
}

// longestOf returns the maximum length of the value of a scalar field in bytes.
func longestOf(f *feed.Field) int {
	switch f.Kind {
	case feed.KindLanguage:
		return maxWord
	case feed.KindURL:
		return maxLink
	}
	return maxValue
}

// setMissing sets a field that has no value yet.
func (p *post) setMissing(name, value string) {
	if p.entry.Extra[name] == "" {
		p.setField(feed.FieldNamed(name), value)
	}
}

// note sets a field of Extra unless the value is empty or all fields together become too large.
func (p *post) note(field, value string) bool {
	if value == "" {
		return false
	}
	if p.noted+len(value) > maxFields {
		p.exceeds(feed.FindingField)
		return false
	}
	p.entry.Set(field, value)
	p.noted += len(value)
	return true
}

// setLists sets the fields that are lists.
func (p *post) setLists() {
	if len(p.categories) > 0 {
		p.entry.Set(feed.FieldCategories, feed.EncodeList(p.categories))
	}
	if len(p.enclosures) > 0 {
		list := feed.EncodeList(p.enclosures)
		if len(list) > maxFields {
			for i := range p.enclosures {
				p.enclosures[i].FileDetails = feed.FileDetails{}
			}
			list = feed.EncodeList(p.enclosures)
		}
		p.entry.Set(feed.FieldEnclosures, list)
	}
	setList(p, feed.FieldMedia, p.media)
	setList(p, feed.FieldContributors, p.cleanPersons(p.contributors, maxAuthors, feed.FindingField))
	setList(p, feed.FieldPersons, p.cleanPersons(p.persons, maxAuthors, feed.FindingField))
	setList(p, feed.FieldChapters, p.cleanChapters())
	setList(p, feed.FieldTranscripts, p.cleanTranscripts())
	p.setMissing("image", p.mainImage())
}

func setList[T any](p *post, field string, list []T) {
	if len(list) > 0 {
		p.note(field, feed.EncodeList(list))
	}
}

func (p *post) cleanChapters() (all []feed.Chapter) {
	for _, c := range head(p, p.chapters, maxChapters) {
		c = feed.Chapter{Start: c.Start, Title: p.bounded(plainText(c.Title)), URL: p.address(c.URL), Image: p.address(c.Image)}
		if c.Title != "" && c.Start >= 0 && c.Start < maxStart {
			all = append(all, c)
		}
	}
	return all
}

func (p *post) cleanTranscripts() (all []feed.Transcript) {
	for _, t := range head(p, p.transcripts, maxEnclosures) {
		t = feed.Transcript{
			URL: p.address(t.URL), Type: p.bounded(mend.Line(t.Type)),
			Language: feed.Language(mend.Line(t.Language)), Rel: p.bounded(mend.Line(t.Rel)),
		}
		if t.URL != "" {
			all = append(all, t)
		}
	}
	return all
}

// head returns the first elements of a list.
func head[T any](p *post, list []T, most int) []T {
	if len(list) > most {
		p.exceeds(feed.FindingField)
		return list[:most]
	}
	return list
}

// address returns an absolute URL, or "" if it is too long.
func (p *post) address(ref string) string {
	if ref = mend.Resolve(p.base, ref); len(ref) > maxLink {
		p.exceeds(feed.FindingField)
		return ""
	}
	return ref
}
