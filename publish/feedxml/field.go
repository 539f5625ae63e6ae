package feedxml

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"

	"github.com/gorilla/feeds"

	"github.com/feedwire/feedwire/store/feed"
)

// namespaces are the prefixes that feed.Fields may use. An element declares its own prefix.
var namespaces = map[string]string{
	"atom":            atomSpace,
	"creativeCommons": "http://backend.userland.com/creativeCommonsRssModule",
	"dc":              "http://purl.org/dc/elements/1.1/",
	"dcterms":         "http://purl.org/dc/terms/",
	"georss":          "http://www.georss.org/georss",
	"itunes":          "http://www.itunes.com/dtds/podcast-1.0.dtd",
	"media":           "http://search.yahoo.com/mrss/",
	"podcast":         "https://podcastindex.org/namespace/1.0",
	"psc":             "http://podlove.org/simple-chapters",
	"slash":           "http://purl.org/rss/1.0/modules/slash/",
	"thr":             "http://purl.org/syndication/thread/1.0",
	"webfeeds":        "http://webfeeds.org/rss/1.0",
	"wfw":             "http://wellformedweb.org/CommentAPI/",
	"yt":              "http://www.youtube.com/xml/schemas/2015",
}

const googleSpace = "http://schemas.google.com/g/2005"

// scalars calls do with the first location that can hold it, and the value, of each scalar field that the entry has. It omits malformed
// values.
func (e *Entry) scalars(location func(*feed.Field) string, do func(f *feed.Field, at, value string)) {
	for _, f := range feed.Scalars() {
		value := e.Fields[f.Name]
		at, _, _ := strings.Cut(location(f), " ")
		if f.Name == "image" && strings.HasPrefix(at, "itunes:") && !e.namesImage() {
			continue
		}
		if f.Name == "in_reply_to_id" && strings.HasPrefix(at, "thr:") {
			value = cmp.Or(value, e.Fields["in_reply_to"]) // RFC 4685 section 3 requires it
		}
		if f.Name == "episode" && strings.HasPrefix(at, "itunes:") && strings.Contains(value, ".") {
			at = "podcast:episode" // that of Apple is a whole number
		}
		if value != "" && at != "" && f.Normalise(value) == strings.TrimSpace(value) {
			do(f, at, value)
		}
	}
}

// namesImage reports whether RSS and Atom name the main image in the element of podcasts: in a podcast, and if readers would
// otherwise take another image of the entry for it. All other main images are media:thumbnail or media:content.
func (e *Entry) namesImage() bool {
	for _, file := range e.Files {
		if file.Is("audio") {
			return true
		}
	}
	derived := feed.MainImage(e.withImage(), e.Media)
	return e.Fields["duration"]+e.Fields["episode"]+e.Fields["season"] != "" || derived != "" && derived != e.Fields["image"]
}

// fieldElement returns the element for a location, "element" or "element@attribute".
func fieldElement(at, value string) element {
	name, attribute, _ := strings.Cut(at, "@")
	if attribute == "" {
		return textElement(name, value)
	}
	el := textElement(name, "").with(attribute, value)
	if name == "podcast:chapters" {
		el = el.with("type", "application/json+chapters")
	}
	return el
}

// addField appends the element for a location, or adds its attribute to the last element if that has the same name.
func (all *elements) addField(at, value string) {
	el := fieldElement(at, value)
	if last := len(*all) - 1; last >= 0 && el.Text == "" && (*all)[last].XMLName == el.XMLName {
		(*all)[last].Attrs = append((*all)[last].Attrs, el.Attrs...)
		return
	}
	*all = append(*all, el)
}

// declare makes elements declare their prefixes unless the root does, as "prefix=URI".
func (all elements) declare(declared []string) elements {
	for i, el := range all {
		prefix, _, found := strings.Cut(el.XMLName.Local, ":")
		if found && !slices.ContainsFunc(declared, func(d string) bool { return strings.HasPrefix(d, prefix+"=") }) {
			all[i] = el.with("xmlns:"+prefix, namespaces[prefix])
		}
	}
	return all
}

// linkAt returns the relation and the type of a location "link[rel]" or "link[rel|type]".
func linkAt(at string) (rel, mediaType string, ok bool) {
	at, ok = strings.CutPrefix(at, "link[")
	rel, mediaType, _ = strings.Cut(strings.TrimSuffix(at, "]"), "|")
	return rel, mediaType, ok
}

func (d rss) fields(e *Entry) (all elements) {
	e.scalars(func(f *feed.Field) string { return f.RSS }, func(_ *feed.Field, at, value string) {
		switch rel, mediaType, isLink := linkAt(at); {
		case isLink:
			all = append(all, textElement("atom:link", "").with("href", value, "rel", rel, "type", mediaType))
		case !strings.HasPrefix(at, "source"):
			all.addField(at, value)
		}
	})
	title, url := e.Fields["source_title"], e.Fields["source_url"]
	switch {
	case url != "":
		all = append(all, textElement("source", title).with("url", url))
	case title != "":
		all = append(all, textElement("dc:source", title))
	}
	for _, c := range e.Contributors {
		all = append(all, personElement("atom:", "contributor", c))
	}
	for _, a := range e.Authors {
		if hasDetails(a) {
			all = append(all, personElement("atom:", "author", a))
		}
	}
	return append(all, e.lists()...).declare(append(d.Namespaces, "atom="))
}

// hasDetails reports whether an author needs more than the element for a name.
func hasDetails(author feed.Person) bool { return author.Email+author.URL+author.Image != "" }

// personElement returns a person of Atom. The image is an extension of the Google Data API, which Blogger writes.
func personElement(prefix, name string, p feed.Person) element {
	var inner elements
	inner.add(prefix+"name", p.Name)
	inner.add(prefix+"email", p.Email)
	inner.add(prefix+"uri", p.URL)
	if p.Image != "" {
		inner = append(inner, textElement("gd:image", "").with("xmlns:gd", googleSpace, "rel", googleSpace+"#thumbnail", "src", p.Image))
	}
	return element{XMLName: xml.Name{Local: prefix + name}, Inner: inner}
}

// addFields adds the fields beyond those of the struct to an entry of Atom.
func (it *atomEntry) addFields(e *Entry) {
	var fields elements
	e.scalars(func(f *feed.Field) string { return f.Atom }, func(_ *feed.Field, at, value string) {
		name, isAttribute := strings.CutPrefix(at, "@")
		switch rel, mediaType, isLink := linkAt(at); {
		case isAttribute:
			it.Attrs = append(it.Attrs, xml.Attr{Name: xml.Name{Local: name}, Value: value})
		case isLink:
			it.Links = append(it.Links, feeds.AtomLink{Href: value, Rel: rel, Type: mediaType})
		case !strings.HasPrefix(at, "source/"):
			fields.addField(at, value)
		}
	})
	if source := e.atomSource(); len(source) > 0 {
		fields = append(fields, element{XMLName: xml.Name{Local: "source"}, Inner: source})
	}
	for _, c := range e.Contributors {
		fields = append(fields, personElement("", "contributor", c))
	}
	for _, file := range e.withImage() {
		if file.HasDetails() {
			fields = append(fields, fileElement(file))
		}
	}
	it.Fields = append(fields, e.lists()...).declare(nil)
}

// atomSource returns what is known of the feed that the entry was taken from.
func (e *Entry) atomSource() (inner elements) {
	self, page := e.Fields["source_url"], e.Fields["source_link"]
	inner.add("id", cmp.Or(e.Fields["source_id"], self, page))
	inner.add("title", e.Fields["source_title"])
	if self != "" && self != page {
		inner = append(inner, textElement("link", "").with("rel", "self", "href", self))
	}
	if page != "" {
		inner = append(inner, textElement("link", "").with("rel", "alternate", "href", page))
	}
	return inner
}

// withFields adds the scalar fields to an encoded item of JSON Feed.
func withFields(item []byte, e *Entry) ([]byte, error) {
	members := make(map[string]any)
	e.scalars(func(f *feed.Field) string { return f.JSON }, func(f *feed.Field, at, value string) {
		var v any = value
		if f.Bare() {
			v = json.RawMessage(value)
		}
		into := members
		if object, member, nested := strings.Cut(at, "."); nested {
			if members[object] == nil {
				members[object] = make(map[string]any)
			}
			into, at = members[object].(map[string]any), member
		}
		into[at] = v
	})
	own, _ := members[feed.JSONObject].(map[string]any)
	if own == nil {
		own = make(map[string]any)
	}
	e.ownLists(own)
	if len(own) > 0 {
		members[feed.JSONObject] = own
	}
	if len(members) == 0 {
		return item, nil
	}
	more, err := marshal(members)
	return slices.Concat(item[:len(item)-1], []byte{','}, more[1:]), err
}
