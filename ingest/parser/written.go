package parser

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of an entry that a person or a program writes, beyond those of every entry.
const (
	maxWrittenList = 64 << 10 // bytes
	maxExtra       = 50       // fields that feed.Fields does not list
)

// Written returns an entry of a local source, which a person or a program wrote, in its stored form: by the rules for the entries of
// documents. What these rules drop from a document is an error here: feed.FieldErrors with all invalid fields.
func Written(e feed.Entry, now time.Time) (feed.Entry, error) {
	w := writing{post: post{entry: feed.Entry{ID: e.ID, FeedURL: e.FeedURL}, base: new(url.URL), plainTitle: true}}
	w.guid(e.GUID)
	w.texts(&e)
	w.authors(&e)
	w.dates(&e, now)
	for name, value := range e.Extra {
		w.field(name, value, &e)
	}
	w.complete("", now)
	if w.problems != nil {
		slices.SortFunc(w.problems, func(a, b feed.FieldError) int { return strings.Compare(a.Field, b.Field) })
		return e, w.problems
	}
	return w.entry, nil
}

// writing is an entry that is checked.
type writing struct {
	post
	problems feed.FieldErrors
}

func (w *writing) blame(field, reason string, args ...any) {
	w.problems = append(w.problems, feed.FieldError{Field: field, Reason: fmt.Sprintf(reason, args...)})
}

func (w *writing) guid(guid string) {
	const most = 2048 // as feed.Entry.Validate requires
	switch {
	case guid == "":
		w.blame("guid", "required: a name that no other entry of the source has")
	case len(guid) > most:
		w.blame("guid", "it has %d bytes; use at most %d", len(guid), most)
	case guid != mend.Line(guid):
		w.blame("guid", "it must be one line without control characters and without surrounding or repeated blanks")
	case guid == "." || guid == "..":
		w.blame("guid", "%q cannot be part of the address of the entry; use another name", guid)
	}
	w.entry.GUID = guid
}

func (w *writing) texts(e *feed.Entry) {
	w.title, w.content, w.summary = e.Title, e.Content, e.Summary
	if mend.Line(e.Title+e.Content+e.Summary) == "" {
		w.blame("title", "title and content are empty; set at least one")
	}
	if len(e.Title) > maxWord {
		w.blame("title", "it has %d bytes; use at most %d", len(e.Title), maxWord)
	}
	for field, text := range map[string]string{"content": e.Content, "summary": e.Summary} {
		if len(text) > maxText {
			w.blame(field, "it has %d bytes; use at most %d", len(text), maxText)
		}
	}
	if e.Link != "" {
		w.link = w.url("link", e.Link)
		w.base, _ = url.Parse(w.link) // Resolve returned it
	}
}

// url returns an absolute URL in its stored form.
func (w *writing) url(field, text string) string {
	u := mend.Resolve(new(url.URL), text)
	if u == "" || len(u) > 2*maxWord {
		w.blame(field, "%.80q must be an absolute http or https URL of up to %d bytes", text, 2*maxWord)
	}
	return u
}

func (w *writing) authors(e *feed.Entry) {
	w.post.authors = e.AuthorDetails()
	if stored := w.cleanPersons(w.post.authors, maxAuthors, feed.FindingAuthors); len(stored) < len(e.Authors) {
		w.blame("authors", "use up to %d different names, and no empty ones", maxAuthors)
	}
}

// dates completes the dates: a new entry without a date was published now.
func (w *writing) dates(e *feed.Entry, now time.Time) {
	w.published, w.updated = e.Published, e.Updated
	if w.published.IsZero() && w.updated.IsZero() {
		w.published = e.Timestamp
	}
	if w.published.IsZero() && w.updated.IsZero() {
		w.published = now
	}
	for field, t := range map[string]time.Time{"date_published": w.published, "date_updated": w.updated} {
		if !t.IsZero() && plausible(t, now).IsZero() {
			w.blame(field, "%s is in the future or the start of an unset clock; use a time up to now", t.Format(time.RFC3339))
		}
	}
}

// extraName matches the names of fields that feed.Fields does not list.
var extraName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// field checks a field of feed.Entry.Extra.
func (w *writing) field(name, value string, e *feed.Entry) {
	switch f := feed.FieldNamed(name); {
	case name == "categories":
		w.readCategories(value)
	case name == "enclosures":
		w.readEnclosures(value, e)
	case f != nil && f.Kind == feed.KindList:
		w.list(name, value, e)
	case f != nil:
		w.setField(f, value)
		if value != "" && w.entry.Extra[name] == "" {
			w.blame(name, "%.80q cannot be stored; use %s of up to %d bytes", value, kindTexts[f.Kind], longestOf(f))
		}
	case !extraName.MatchString(name) || feed.IsReservedField(name):
		w.blame("extra."+name, "use a name of lower-case letters, digits and underscores that feedwire does not use itself")
	case len(value) > maxWord || value != mend.Plain(value):
		w.blame("extra."+name, "use a text of up to %d bytes without control characters", maxWord)
	case len(e.Extra) > maxExtra+len(feed.Fields):
		w.blame("extra", "use at most %d fields", maxExtra)
	default:
		w.note(name, value)
	}
}

// kindTexts describes the values of scalar fields.
var kindTexts = map[feed.Kind]string{
	feed.KindText: "a text", feed.KindHTML: "HTML", feed.KindURL: "an absolute http or https URL", feed.KindLanguage: "a language tag such as en-GB",
	feed.KindNumber: "a number", feed.KindInteger: "a whole number", feed.KindSeconds: "a number of seconds", feed.KindBool: "true or false",
	feed.KindPoint: "latitude and longitude in degrees", feed.KindPoints: "two or more pairs of latitude and longitude in degrees",
	feed.KindPolygon: "three or more pairs of latitude and longitude in degrees and the first of them again",
}

func (w *writing) readCategories(value string) {
	var all []feed.Category
	if json.Unmarshal([]byte(value), &all) != nil {
		w.blame("categories", "use a list of objects with term, scheme and label")
	}
	for i, c := range all {
		before := len(w.categories)
		if w.addCategory(c); len(w.categories) == before {
			w.blame(fmt.Sprintf("categories[%d]", i), "it is empty, repeated, longer than %d bytes or beyond %d categories", maxWord, maxCategories)
		}
	}
}

func (w *writing) readEnclosures(value string, e *feed.Entry) {
	all := e.Enclosures()
	if len(all) == 0 && value != "[]" {
		w.blame("enclosures", "use a list of objects with url, type and length")
	}
	for i, f := range all {
		before, length := len(w.enclosures), ""
		if f.Length > 0 {
			length = strconv.FormatInt(int64(f.Length), 10)
		}
		file := enclosure{URL: mend.Resolve(new(url.URL), f.URL), Type: f.Type, Length: length, FileDetails: f.FileDetails}
		if w.addEnclosure(file); len(w.enclosures) == before {
			w.blame(fmt.Sprintf("enclosures[%d]", i), "its url must be absolute, http or https, and not repeated; at most %d are allowed", maxEnclosures)
		}
	}
}

// list reads a list of another kind. It checks its texts and its URLs.
func (w *writing) list(name, value string, e *feed.Entry) {
	var all []any
	if len(value) > maxWrittenList || json.Unmarshal([]byte(value), &all) != nil {
		w.blame(name, "use a list of up to %d bytes", maxWrittenList)
		return
	}
	known := len(w.problems)
	if w.checkList(name, "", all); len(w.problems) > known {
		return
	}
	stored := 0
	switch name {
	case feed.FieldAuthorDetails:
		stored = len(feed.List[feed.Person](e, name)) // the authors have them
	case feed.FieldContributors:
		w.contributors = feed.List[feed.Person](e, name)
		stored = len(w.cleanPersons(w.contributors, maxAuthors, feed.FindingField))
	case feed.FieldPersons:
		w.persons = feed.List[feed.Person](e, name)
		stored = len(w.cleanPersons(w.persons, maxAuthors, feed.FindingField))
	case feed.FieldMedia:
		for _, file := range feed.List[feed.Enclosure](e, name) {
			w.addMedia(file)
		}
		stored = len(w.media)
	case feed.FieldChapters:
		w.chapters = feed.List[feed.Chapter](e, name)
		stored = len(w.cleanChapters())
	case feed.FieldTranscripts:
		w.transcripts = feed.List[feed.Transcript](e, name)
		stored = len(w.cleanTranscripts())
	}
	if stored < len(all) {
		w.blame(name, "%d of its %d elements cannot be stored: they are malformed, repeated or too many", len(all)-stored, len(all))
	}
}

// checkList checks a value in a list. key is the name of the member that it has.
func (w *writing) checkList(field, key string, value any) {
	switch value := value.(type) {
	case []any:
		for i, one := range value {
			w.checkList(fmt.Sprintf("%s[%d]", field, i), key, one)
		}
	case map[string]any:
		for name, one := range value {
			w.checkList(field+"."+name, name, one)
		}
	case string:
		if key == "url" || key == "image" {
			w.url(field, value)
		} else if value != mend.Plain(value) || len(value) > maxText {
			w.blame(field, "use a text without control characters")
		}
	}
}
