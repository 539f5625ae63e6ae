package feed

import (
	"encoding/json"
	"slices"
	"strings"
)

// Person is an author, a contributor, a voice in a podcast or the credit of a file. Only Name is required.
type Person struct {
	Name  string `json:"name"`
	Email string `json:"email,omitempty"`
	URL   string `json:"url,omitempty"`
	Image string `json:"image,omitempty"` // URL
	Role  string `json:"role,omitempty"`  // such as host, guest or photographer
	Group string `json:"group,omitempty"` // of roles, in podcasts
}

// Chapter is a part of a recording.
type Chapter struct {
	Start float64 `json:"start"` // seconds
	Title string  `json:"title"`
	URL   string  `json:"url,omitempty"`
	Image string  `json:"image,omitempty"` // URL
}

// Transcript is the text of a recording.
type Transcript struct {
	URL      string `json:"url"`
	Type     string `json:"type,omitempty"` // media type
	Language string `json:"language,omitempty"`
	Rel      string `json:"rel,omitempty"` // captions, if it has times
}

// Names of list fields, whose elements List returns.
const (
	FieldAuthorDetails = "author_details" // Person
	FieldContributors  = "contributors"   // Person
	FieldPersons       = "persons"        // Person
	FieldCategories    = "categories"     // Category
	FieldEnclosures    = "enclosures"     // Enclosure
	FieldMedia         = "media"          // Enclosure
	FieldChapters      = "chapters"       // Chapter
	FieldTranscripts   = "transcripts"    // Transcript
)

// Names of scalar fields.
const (
	FieldImage    = "image"
	FieldLanguage = "language"
)

// List returns the elements of a list field; none if it is malformed.
func List[T any](e *Entry, field string) (all []T) {
	if text := e.Extra[field]; text == "" || json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	return all
}

// AuthorDetails returns the authors with the details that are known.
func (e *Entry) AuthorDetails() (all []Person) {
	details := List[Person](e, FieldAuthorDetails)
	for _, name := range e.Authors {
		at := slices.IndexFunc(details, func(d Person) bool { return d.Name == name })
		if at < 0 {
			all = append(all, Person{Name: name})
			continue
		}
		all = append(all, details[at])
	}
	return all
}

// EncodeList returns the stored form of a list or of fields: JSON in which < and & are not escaped.
func EncodeList(list any) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(list); err != nil {
		return "" // the lists of entries always encode
	}
	return strings.TrimSuffix(out.String(), "\n")
}
