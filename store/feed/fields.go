package feed

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Kind is the type of a field's value. Redis stores every kind as text.
type Kind string

// The kinds.
const (
	KindText     Kind = "text"     // plain, on one line
	KindHTML     Kind = "html"     //
	KindURL      Kind = "url"      // absolute, http or https
	KindLanguage Kind = "language" // BCP 47
	KindNumber   Kind = "number"   // decimal digits
	KindList     Kind = "list"     // JSON
)

// Field is a field of an entry beyond identity and dates.
type Field struct {
	Name   string // in Redis and in the API
	Kind   Kind
	Digest bool // Entry.Digest covers it

	// RSS, Atom and JSON say where an item holds the value: "element" or "element@attribute", "@attribute" of an Atom entry,
	// "link[rel]" of an Atom link, "member" or "object.member" of JSON Feed. If a location is empty, the format has code of
	// its own for the field or cannot hold it.
	RSS, Atom, JSON string

	text func(*Entry) *string // nil: Extra holds the value
	list func(*Entry) any     // what the API returns for a list; nil: the stored JSON
}

// Fields lists every field of an entry beyond identity and dates. The parser, the hash, the API, republishing and the
// writers of feeds follow this table: a new row with locations is read, stored, returned and written.
var Fields = []Field{
	{Name: "title", Kind: KindText, Digest: true, text: func(e *Entry) *string { return &e.Title }},
	{Name: "link", Kind: KindURL, Digest: true, text: func(e *Entry) *string { return &e.Link }},
	{Name: "content", Kind: KindHTML, Digest: true, text: func(e *Entry) *string { return &e.Content }},
	{Name: "summary", Kind: KindHTML, Digest: true, text: func(e *Entry) *string { return &e.Summary }},
	{Name: "authors", Kind: KindList, Digest: true, list: func(e *Entry) any { return e.Authors }},
	{Name: "language", Kind: KindLanguage, RSS: "dc:language", Atom: "@xml:lang", JSON: "language"},
	{Name: "categories", Kind: KindList},
	{Name: "enclosures", Kind: KindList, Digest: true, list: func(e *Entry) any { return e.Enclosures() }}, // their URLs
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

// fieldNamed returns the field with a name in the hash; nil if the table has none.
func fieldNamed(name string) *Field {
	for i := range Fields {
		if Fields[i].Name == name {
			return &Fields[i]
		}
	}
	return nil
}

// inExtra reports whether Extra holds the value.
func (f *Field) inExtra() bool { return f != nil && f.text == nil && f.Name != fieldAuthors }

// json returns the value of an entry as JSON; nil if it is empty or malformed.
func (f *Field) json(e *Entry) json.RawMessage {
	value := e.Extra[f.Name]
	var raw []byte
	switch {
	case value == "":
	case f.Kind == KindList && strings.HasPrefix(value, "[") && json.Valid([]byte(value)):
		raw = []byte(value)
		if f.list != nil {
			raw, _ = json.Marshal(f.list(e)) // such lists always encode
		}
	case f.Kind == KindNumber && strings.Trim(value, "0123456789") == "" && (value[0] != '0' || value == "0"):
		raw = []byte(value)
	case f.Kind != KindList && f.Kind != KindNumber:
		raw, _ = json.Marshal(value)
	}
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return raw
}

// fromJSON returns the stored form of what json returned.
func (f *Field) fromJSON(raw json.RawMessage) (string, error) {
	if f.Kind == KindList || f.Kind == KindNumber {
		var out bytes.Buffer
		err := json.Compact(&out, raw)
		return out.String(), err
	}
	var value string
	err := json.Unmarshal(raw, &value)
	return value, err
}
