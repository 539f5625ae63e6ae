package feed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
)

// Kind is the type of a field's value. Redis stores every kind as text, which Normalise describes.
type Kind string

// The kinds.
const (
	KindText     Kind = "text"     // plain, on one line
	KindHTML     Kind = "html"     //
	KindURL      Kind = "url"      // absolute, http or https
	KindLanguage Kind = "language" // BCP 47
	KindNumber   Kind = "number"   // decimal digits, with a fraction if the source has one
	KindInteger  Kind = "integer"  // decimal digits
	KindSeconds  Kind = "seconds"  // a duration, in whole seconds
	KindBool     Kind = "bool"     // true or false
	KindPoint    Kind = "point"    // latitude and longitude in degrees (WGS 84), separated by a space
	KindPoints   Kind = "points"   // two or more points
	KindPolygon  Kind = "polygon"  // three or more points and the first of them again
	KindList     Kind = "list"     // JSON
)

// Field is a field of an entry beyond identity and dates.
type Field struct {
	Name   string // in Redis and in the API
	Kind   Kind
	Digest bool // Entry.Digest covers it

	// RSS, Atom and JSON say where an item holds the value: "element" or "element@attribute", "@attribute" of an Atom entry,
	// "link[rel]" or "link[rel|type]" of an Atom link, "member" or "object.member" of JSON Feed. Several locations are
	// separated by spaces; writers use the first. Lists, texts of Entry and sources have code in each format, and their
	// locations only document it.
	//
	// If Atom is empty, it is as RSS. If JSON is empty, it is the member of that name in the object JSONObject.
	RSS, Atom, JSON string

	text func(*Entry) *string // nil: Extra holds the value
	list func(*Entry) any     // what the API returns for a list; nil: the stored JSON
}

// JSONObject is the member of a JSON Feed item that holds the fields for which JSON Feed has no member.
const JSONObject = "_feedwire"

// Fields lists every field of an entry beyond identity and dates. The parser, the hash, the API, republishing and the
// writers of feeds follow this table: a new row with locations is read, stored, returned and written.
var Fields = withDefaults([]Field{
	{Name: "title", Kind: KindText, Digest: true, RSS: "title dc:title media:title itunes:title", Atom: "title media:title itunes:title", JSON: "title",
		text: func(e *Entry) *string { return &e.Title }},
	{Name: "link", Kind: KindURL, Digest: true, RSS: "link", Atom: "link[alternate]", JSON: "url", text: func(e *Entry) *string { return &e.Link }},
	{Name: "content", Kind: KindHTML, Digest: true, RSS: "content:encoded content:items", Atom: "content", JSON: "content_html",
		text: func(e *Entry) *string { return &e.Content }},
	{Name: "summary", Kind: KindHTML, Digest: true, RSS: "description dcterms:abstract", Atom: "summary", JSON: "summary",
		text: func(e *Entry) *string { return &e.Summary }},
	{Name: "authors", Kind: KindList, Digest: true, RSS: "dc:creator author dcterms:creator itunes:author", Atom: "author dc:creator dcterms:creator", JSON: "authors",
		list: func(e *Entry) any { return e.Authors }},
	{Name: "author_details", Kind: KindList, RSS: "atom:author author", Atom: "author", JSON: "authors"},
	{Name: "contributors", Kind: KindList, RSS: "atom:contributor dc:contributor", Atom: "contributor dc:contributor"},
	{Name: "language", Kind: KindLanguage, RSS: "dc:language", Atom: "@xml:lang", JSON: "language"},
	{Name: "categories", Kind: KindList, RSS: "category dc:subject media:category media:keywords itunes:keywords",
		Atom: "category dc:subject media:category media:keywords",
		JSON: "tags"},
	{Name: "enclosures", Kind: KindList, Digest: true, RSS: "enclosure media:content enc:enclosure", Atom: "link[enclosure] media:content",
		JSON: "attachments", list: func(e *Entry) any { return e.Enclosures() }}, // the digest covers their URLs
	{Name: "media", Kind: KindList, RSS: "media:thumbnail media:player podcast:alternateEnclosure",
		list: func(e *Entry) any { return e.Media() }},
	{Name: "image", Kind: KindURL, RSS: "itunes:image@href itunes:image@url itunes:image", JSON: "image"},
	{Name: "banner", Kind: KindURL, RSS: "webfeeds:cover@image", JSON: "banner_image"},
	{Name: "external_link", Kind: KindURL, RSS: "link[related]", JSON: "external_url"},
	{Name: "comments", Kind: KindURL, RSS: "comments", Atom: "link[replies|text/html]"},
	{Name: "comment_feed", Kind: KindURL, RSS: "wfw:commentRss wfw:commentRSS link[replies|application/atom+xml]",
		Atom: "link[replies|application/atom+xml] wfw:commentRss wfw:commentRSS"},
	{Name: "comment_count", Kind: KindInteger, RSS: "slash:comments thr:total atom:link@thr:count", Atom: "thr:total slash:comments link@thr:count"},
	{Name: "comment_api", Kind: KindURL, RSS: "wfw:comment"},
	{Name: "in_reply_to", Kind: KindURL, RSS: "thr:in-reply-to@href thr:in-reply-to@ref"},
	{Name: "in_reply_to_id", Kind: KindText, RSS: "thr:in-reply-to@ref"},
	{Name: "source_title", Kind: KindText, RSS: "source", Atom: "source/title"},
	{Name: "source_url", Kind: KindURL, RSS: "source@url", Atom: "source/link[self] source/link[alternate] source/id"},
	{Name: "source_link", Kind: KindURL, Atom: "source/link[alternate]"},
	{Name: "source_id", Kind: KindText, Atom: "source/id"},
	{Name: "rights", Kind: KindText, RSS: "dc:rights dcterms:rights media:copyright", Atom: "rights dc:rights dcterms:rights media:copyright"},
	{Name: "license", Kind: KindURL,
		RSS:  "creativeCommons:license cc:license@resource cc:license dcterms:license podcast:license@url media:license@href link[license]",
		Atom: "link[license] creativeCommons:license cc:license@resource cc:license dcterms:license media:license@href"},
	{Name: "geo_point", Kind: KindPoint, RSS: "georss:point"},
	{Name: "geo_box", Kind: KindPoints, RSS: "georss:box"},
	{Name: "geo_line", Kind: KindPoints, RSS: "georss:line"},
	{Name: "geo_polygon", Kind: KindPolygon, RSS: "georss:polygon"},
	{Name: "geo_name", Kind: KindText, RSS: "georss:featurename georss:featureName podcast:location media:location@description"},
	{Name: "duration", Kind: KindSeconds, RSS: "itunes:duration"},
	{Name: "episode", Kind: KindNumber, RSS: "itunes:episode podcast:episode"},
	{Name: "season", Kind: KindInteger, RSS: "itunes:season podcast:season"},
	{Name: "episode_type", Kind: KindText, RSS: "itunes:episodeType"},
	{Name: "explicit", Kind: KindBool, RSS: "itunes:explicit media:adult"},
	{Name: "chapters_url", Kind: KindURL, RSS: "podcast:chapters@url"},
	{Name: "chapters", Kind: KindList, RSS: "psc:chapters"},
	{Name: "transcripts", Kind: KindList, RSS: "podcast:transcript"},
	{Name: "persons", Kind: KindList, RSS: "podcast:person"},
	{Name: "youtube_video", Kind: KindText, RSS: "yt:videoId"},
	{Name: "youtube_channel", Kind: KindText, RSS: "yt:channelId"},
})

// withDefaults completes the locations.
func withDefaults(all []Field) []Field {
	for i := range all {
		f := &all[i]
		f.Atom = cmp.Or(f.Atom, f.RSS)
		f.JSON = cmp.Or(f.JSON, JSONObject+"."+f.Name)
	}
	return all
}

// Scalars returns the fields that are not lists and have no field of the struct Entry: all of them are in Extra.
func Scalars() []*Field { return scalars }

var scalars = func() (all []*Field) {
	for i := range Fields {
		if f := &Fields[i]; f.text == nil && f.Kind != KindList {
			all = append(all, f)
		}
	}
	return all
}()

// FieldNamed returns the field with a name in the hash; nil if the table has none.
func FieldNamed(name string) *Field { return byName[name] }

var byName = func() map[string]*Field {
	all := make(map[string]*Field, len(Fields))
	for i := range Fields {
		all[Fields[i].Name] = &Fields[i]
	}
	return all
}()

// inExtra reports whether Extra holds the value.
func (f *Field) inExtra() bool { return f != nil && f.text == nil && f.Name != fieldAuthors }

// Value returns the value that Extra holds as JSON; nil if it is empty or malformed.
func (f *Field) Value(e *Entry) json.RawMessage {
	value := e.Extra[f.Name]
	var raw []byte
	switch {
	case value == "":
	case f.Kind == KindList && strings.HasPrefix(value, "[") && json.Valid([]byte(value)):
		raw = []byte(value)
		if f.list != nil {
			raw, _ = json.Marshal(f.list(e)) // such lists always encode
		}
	case f.Kind == KindList:
	case !f.Bare():
		raw, _ = json.Marshal(value)
	case f.Normalise(value) == value:
		raw = []byte(value)
	}
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return raw
}

// fromJSON returns the stored form of what Value returned.
func (f *Field) fromJSON(raw json.RawMessage) (string, error) {
	if f.Kind == KindList || f.Bare() {
		var out bytes.Buffer
		err := json.Compact(&out, raw)
		return out.String(), err
	}
	var value string
	err := json.Unmarshal(raw, &value)
	return value, err
}
