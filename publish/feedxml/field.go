package feedxml

import (
	"encoding/json"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	"github.com/gorilla/feeds"

	"github.com/feedwire/feedwire/store/feed"
)

// namespaces are the prefixes that feed.Fields may use. An element declares its own prefix.
var namespaces = map[string]string{
	"dc":      "http://purl.org/dc/elements/1.1/",
	"dcterms": "http://purl.org/dc/terms/",
	"georss":  "http://www.georss.org/georss",
	"itunes":  "http://www.itunes.com/dtds/podcast-1.0.dtd",
	"media":   "http://search.yahoo.com/mrss/",
	"podcast": "https://podcastindex.org/namespace/1.0",
	"slash":   "http://purl.org/rss/1.0/modules/slash/",
	"thr":     "http://purl.org/syndication/thread/1.0",
	"wfw":     "http://wellformedweb.org/CommentAPI/",
}

// scalars calls do with the location and the value of each scalar field that the entry has. It omits malformed numbers, which
// JSON cannot hold.
func (e *Entry) scalars(location func(*feed.Field) string, do func(f *feed.Field, at, value string)) {
	for _, f := range feed.Scalars() {
		value, at := e.Fields[f.Name], location(f)
		if n, err := strconv.ParseUint(value, 10, 64); f.Kind == feed.KindNumber && (err != nil || strconv.FormatUint(n, 10) != value) {
			continue
		}
		if value != "" && at != "" {
			do(f, at, value)
		}
	}
}

// fieldElement returns the element for a location, "element" or "element@attribute". It declares its prefix unless the
// root does.
func fieldElement(at, value string, declared []string) element {
	name, attribute, _ := strings.Cut(at, "@")
	el := textElement(name, value)
	if attribute != "" {
		el = textElement(name, "").with(attribute, value)
	}
	prefix, _, found := strings.Cut(name, ":")
	if !found || slices.ContainsFunc(declared, func(d string) bool { return strings.HasPrefix(d, prefix+"=") }) {
		return el
	}
	return el.with("xmlns:"+prefix, namespaces[prefix])
}

func (d rss) fields(e *Entry) (all elements) {
	e.scalars(func(f *feed.Field) string { return f.RSS }, func(_ *feed.Field, at, value string) {
		all = append(all, fieldElement(at, value, d.Namespaces))
	})
	return all
}

// addFields adds the scalar fields to an entry of Atom.
func (it *atomEntry) addFields(e *Entry) {
	e.scalars(func(f *feed.Field) string { return f.Atom }, func(_ *feed.Field, at, value string) {
		if name, ok := strings.CutPrefix(at, "@"); ok {
			it.Attrs = append(it.Attrs, xml.Attr{Name: xml.Name{Local: name}, Value: value})
		} else if rel, ok := strings.CutPrefix(at, "link["); ok {
			it.Links = append(it.Links, feeds.AtomLink{Href: value, Rel: strings.TrimSuffix(rel, "]")})
		} else {
			it.Fields = append(it.Fields, fieldElement(at, value, nil))
		}
	})
}

// withFields adds the scalar fields to an encoded item of JSON Feed.
func withFields(item []byte, e *Entry) ([]byte, error) {
	members := make(map[string]any)
	e.scalars(func(f *feed.Field) string { return f.JSON }, func(f *feed.Field, at, value string) {
		var v any = value
		if f.Kind == feed.KindNumber {
			v = json.Number(value)
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
	if len(members) == 0 {
		return item, nil
	}
	more, err := marshal(members)
	return slices.Concat(item[:len(item)-1], []byte{','}, more[1:]), err
}
