package feed

import (
	"cmp"
	"encoding/json"
	"mime"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Enclosure is a file of an entry.
type Enclosure struct {
	URL    string `json:"url"`              // absolute
	Type   string `json:"type,omitempty"`   // media type, or only "image", "audio" or "video"
	Length Bytes  `json:"length,omitempty"` // 0: unknown
	FileDetails
}

// FileDetails is what a source says about a file besides its place. Zero values mean unknown.
type FileDetails struct {
	Rel         string   `json:"rel,omitempty"` // in the field "media": one of the constants Rel…
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"` // plain text
	Language    string   `json:"language,omitempty"`
	Duration    int64    `json:"duration,omitempty"` // seconds
	Width       int64    `json:"width,omitempty"`    // pixels
	Height      int64    `json:"height,omitempty"`   // pixels
	Credits     []Person `json:"credits,omitempty"`
}

// Relations of files in the field "media", which are no enclosures.
const (
	RelThumbnail = "thumbnail"
	RelPlayer    = "player"    // a page that plays the enclosure
	RelAlternate = "alternate" // another encoding of the enclosure
)

// HasDetails reports whether anything is known.
func (d *FileDetails) HasDetails() bool { return !reflect.ValueOf(d).Elem().IsZero() }

// Bytes is a number of bytes. In JSON it may be the text that a source had; a text that is no number is 0.
type Bytes int64

// UnmarshalJSON decodes a number or a text.
func (n *Bytes) UnmarshalJSON(b []byte) error {
	parsed, _ := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	*n = Bytes(max(0, parsed))
	return nil
}

// Is reports whether the file is an "image", "audio" or "video".
func (e Enclosure) Is(kind string) bool { return strings.HasPrefix(e.MediaType(), kind+"/") }

// MediaType returns the media type that the source declares, or, if that is missing or generic, the type that the file
// name suggests. It is always well-formed.
func (e Enclosure) MediaType() string {
	if declared, _, err := mime.ParseMediaType(e.Type); err == nil && strings.Contains(declared, "/") && declared != octets {
		return declared
	}
	types := map[string]string{
		".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".gif": "image/gif", ".webp": "image/webp",
		".avif": "image/avif", ".svg": "image/svg+xml", ".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".ogg": "audio/ogg",
		".opus": "audio/ogg", ".mp4": "video/mp4", ".m4v": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime",
		".pdf": "application/pdf", "image": "image/jpeg", "audio": "audio/mpeg", "video": "video/mp4",
	}
	name, _, _ := strings.Cut(strings.ToLower(e.URL), "?")
	return cmp.Or(types[path.Ext(name)], types[strings.ToLower(e.Type)], octets)
}

const octets = "application/octet-stream"

// Enclosures returns the files of the entry. It returns none if the field "enclosures" is malformed.
func (e *Entry) Enclosures() []Enclosure { return List[Enclosure](e, FieldEnclosures) }

// Media returns the files about the entry. It omits those with a relation that is none of the constants Rel….
func (e *Entry) Media() []Enclosure {
	return slices.DeleteFunc(List[Enclosure](e, FieldMedia), func(m Enclosure) bool {
		return m.Rel != RelThumbnail && m.Rel != RelPlayer && m.Rel != RelAlternate
	})
}

// MainImage returns the URL of the image of an entry that names none: the first image among its files, or else the widest
// thumbnail.
func MainImage(files, media []Enclosure) (url string) {
	for _, file := range files {
		if file.Is("image") {
			return file.URL
		}
	}
	widest := int64(-1)
	for _, m := range media {
		if m.Rel == RelThumbnail && m.Width > widest {
			url, widest = m.URL, m.Width
		}
	}
	return url
}

// Category is a subject of an entry. Only Term is required.
type Category struct {
	Term   string `json:"term"`
	Scheme string `json:"scheme,omitempty"` // a URI, or the domain in RSS
	Label  string `json:"label,omitempty"`  // for people
	Parent string `json:"parent,omitempty"` // term of the category of which it is a part, in Apple's directory of podcasts
}

// categories decodes the field "categories": a JSON list, or the text of a single category.
func (e *Entry) categories() (list []Category) {
	text := e.Extra[FieldCategories]
	if text != "" && json.Unmarshal([]byte(text), &list) != nil {
		return []Category{{Term: text}}
	}
	return list
}

// Categories returns the distinct names of the entry's categories: the label or, without a label, the term.
func (e *Entry) Categories() (all []string) {
	for _, c := range e.categories() {
		if name := cmp.Or(c.Label, c.Term); !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// Image returns the URL of the main image of the entry, or "". A thumbnail is none.
func (e *Entry) Image() string {
	image := e.Extra[FieldImage]
	for _, m := range e.Media() {
		if m.Rel == RelThumbnail && m.URL == image {
			image = ""
		}
	}
	return cmp.Or(image, MainImage(e.Enclosures(), nil))
}
