package feed

import (
	"cmp"
	"encoding/json"
	"mime"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Enclosure is a file that comes with an entry.
type Enclosure struct {
	URL    string `json:"url"`              // absolute
	Type   string `json:"type,omitempty"`   // media type, or only "image", "audio" or "video"
	Length int64  `json:"length,omitempty"` // bytes; 0: not known
}

// Is reports whether the file is of a kind, "image", "audio" or "video".
func (e Enclosure) Is(kind string) bool { return strings.HasPrefix(e.MediaType(), kind+"/") }

// MediaType is what the source says, where that is a media type that tells anything; else what the end of the name says.
// It is always well-formed.
func (e Enclosure) MediaType() string {
	if told, _, err := mime.ParseMediaType(e.Type); err == nil && strings.Contains(told, "/") && told != octets {
		return told
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

// Enclosures are the files of the field "enclosures", which is a JSON list; none where it is damaged.
func (e *Entry) Enclosures() []Enclosure {
	var list []struct{ URL, Type, Length string }
	if json.Unmarshal([]byte(e.Extra["enclosures"]), &list) != nil {
		return nil
	}
	var all []Enclosure
	for _, l := range list {
		length, _ := strconv.ParseInt(l.Length, 10, 64) // as the source wrote it: 0 where it is no number
		all = append(all, Enclosure{URL: l.URL, Type: l.Type, Length: max(0, length)})
	}
	return all
}

// Categories are what the entry is filed under, for people, each once: the label where there is one, else the term.
func (e *Entry) Categories() []string {
	var list []struct{ Term, Label string }
	text := e.Extra["categories"]
	if text != "" && json.Unmarshal([]byte(text), &list) != nil {
		return []string{text}
	}
	var all []string
	for _, c := range list {
		name := c.Label
		if name == "" {
			name = c.Term
		}
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// Image is the URL of the first image that came with the entry; empty: none did.
func (e *Entry) Image() string {
	for _, file := range e.Enclosures() {
		if file.Is("image") {
			return file.URL
		}
	}
	return ""
}
