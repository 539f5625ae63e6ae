package parser

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of an entry that a person or a program writes, beyond those of every entry.
const (
	maxWrittenGUID = 2048    // bytes, as feed.Entry.Validate requires
	maxWrittenList = 1 << 20 // bytes
	maxExtra       = 50      // fields that feed.Fields does not list
)

// Written returns an entry of a local source, which a person or a program wrote, in its stored form: by the rules for the entries of
// documents. What these rules drop from a document is an error here: feed.FieldErrors with all invalid fields.
func Written(e feed.Entry, now time.Time) (feed.Entry, error) {
	w := writing{post: post{entry: feed.Entry{ID: e.ID, FeedURL: e.FeedURL, Hidden: e.Hidden}, base: new(url.URL), plainTitle: true}}
	w.guid(e.GUID)
	w.texts(&e)
	w.authors(&e)
	w.dates(&e, now)
	own := 0
	for name, value := range e.Extra {
		if feed.FieldNamed(name) == nil {
			own++
		}
		w.field(name, value)
	}
	if own > maxExtra {
		w.blame("extra", "it has %d fields; use at most %d", own, maxExtra)
	}
	w.complete("", now)
	w.checkKept(&e)
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
	switch {
	case guid == "":
		w.blame("guid", "required: a name that no other entry of the source has")
	case len(guid) > maxWrittenGUID:
		w.blame("guid", "it has %d bytes; use at most %d", len(guid), maxWrittenGUID)
	case guid != mend.Line(guid):
		w.blame("guid", "it must be one line without control characters and without surrounding or repeated blanks")
	case guid == "." || guid == "..":
		w.blame("guid", "%q cannot be part of the address of the entry; use another name", guid)
	}
	w.entry.GUID = guid
}

func (w *writing) texts(e *feed.Entry) {
	w.title, w.content, w.summary = e.Title, e.Content, e.Summary
	if e.Link != "" {
		w.link = w.url("link", e.Link)
		w.base, _ = url.Parse(w.link) // Resolve returned it
	}
	if mend.Line(e.Title+e.Content+e.Summary) == "" && w.link == "" && len(e.Enclosures()) == 0 {
		w.blame("title", "there is neither a title nor content, a link or an enclosure; set at least one")
	}
	for field, text := range map[string]string{"content": e.Content, "summary": e.Summary} {
		if len(text) > maxText {
			w.blame(field, "it has %d bytes; use at most %d", len(text), maxText)
		}
	}
}

// url returns an absolute URL in its stored form.
func (w *writing) url(field, text string) string {
	u := mend.Resolve(new(url.URL), text)
	if u == "" || len(u) > maxLink {
		w.blame(field, "%.80q must be an absolute http or https URL of up to %d bytes", text, maxLink)
	}
	return u
}

func (w *writing) authors(e *feed.Entry) {
	w.post.authors = literal(e.AuthorDetails())
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
func (w *writing) field(name, value string) {
	switch f := feed.FieldNamed(name); {
	case feed.IsReservedField(name) || f == nil && !extraName.MatchString(name):
		w.blame("extra."+name, "use a name of lower-case letters, digits and underscores that feedwire does not use itself")
	case f != nil && f.Kind == feed.KindList:
		w.list(name, value)
	case f != nil:
		text := value
		if f.Kind == feed.KindText {
			text = html.EscapeString(value)
		}
		w.setField(f, text)
		fraction := f.Kind == feed.KindSeconds && strings.Contains(value, ".")
		if value != "" && (w.entry.Extra[name] == "" || fraction) {
			w.blame(name, "%.80q cannot be stored; use %s of up to %d bytes", value, kindTexts[f.Kind], longestOf(f))
		}
	case len(value) > maxWord || value != mend.Plain(value):
		w.blame("extra."+name, "use a text of up to %d bytes without control characters", maxWord)
	default:
		w.note(name, value)
	}
}

// kindTexts describes the values of scalar fields.
var kindTexts = map[feed.Kind]string{
	feed.KindText: "a text", feed.KindHTML: "HTML", feed.KindURL: "an absolute http or https URL", feed.KindLanguage: "a language tag such as en-GB",
	feed.KindNumber: "a number", feed.KindInteger: "a whole number", feed.KindSeconds: "a whole number of seconds", feed.KindBool: "true or false",
	feed.KindPoint: "latitude and longitude in degrees", feed.KindPoints: "two or more pairs of latitude and longitude in degrees",
	feed.KindPolygon: "three or more pairs of latitude and longitude in degrees and the first of them again",
}
