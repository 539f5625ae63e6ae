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

func (p *post) readRSSFields(item *rss.Item) {
	for _, f := range feed.Scalars() {
		if value := extensionAt(item.Extensions, f.RSS); value != "" {
			p.setField(f, value)
			continue
		}
		switch f.RSS {
		case "":
		case "comments":
			p.setField(f, item.Comments)
		default:
			p.setField(f, item.Custom[f.RSS])
		}
	}
}

func (p *post) readAtomFields(e *atom.Entry) {
	for _, f := range feed.Scalars() {
		rel, isLink := strings.CutPrefix(f.Atom, "link[")
		if !isLink {
			p.setField(f, extensionAt(e.Extensions, f.Atom))
			continue
		}
		for _, l := range e.Links {
			if strings.EqualFold(l.Rel, strings.TrimSuffix(rel, "]")) {
				p.setField(f, l.Href)
				break
			}
		}
	}
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

// extensionAt returns the first value at a location, "prefix:element" or "prefix:element@attribute".
func extensionAt(extensions ext.Extensions, location string) string {
	name, attribute, _ := strings.Cut(location, "@")
	prefix, element, found := strings.Cut(name, ":")
	if !found {
		return ""
	}
	for _, e := range extensions[prefix][element] {
		value := e.Value
		if attribute != "" {
			value = e.Attrs[attribute]
		}
		if strings.TrimSpace(value) != "" {
			return value
		}
	}
	return ""
}

// setField sets a field to a value as its kind requires. Malformed values are dropped.
func (p *post) setField(f *feed.Field, value string) {
	switch f.Kind {
	case feed.KindURL:
		value = mend.Resolve(p.base, value)
	case feed.KindNumber:
		if value = strings.TrimSpace(value); strings.Trim(value, "0123456789") != "" {
			return
		}
	case feed.KindText:
		value = plainText(value)
	default:
		value = mend.Line(value)
	}
	if len(value) > maxWord {
		p.exceeds(feed.FindingField)
		return
	}
	p.note(f.Name, value)
}

// note sets a field of Extra.
func (p *post) note(field, value string) {
	if value == "" {
		return
	}
	if p.entry.Extra == nil {
		p.entry.Extra = make(map[string]string)
	}
	p.entry.Extra[field] = value
}
