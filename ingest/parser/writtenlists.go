package parser

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// literal returns persons whose names are plain text, as HTML.
func literal(all []feed.Person) []feed.Person {
	for i := range all {
		all[i].Name = html.EscapeString(all[i].Name)
	}
	return all
}

// list reads a list. It checks its texts and its URLs.
func (w *writing) list(name, value string) {
	var all []any
	if len(value) > maxWrittenList || json.Unmarshal([]byte(value), &all) != nil {
		w.blame(name, "use a list of up to %d bytes", maxWrittenList)
		return
	}
	known := len(w.problems)
	if w.checkList(name, "", all); len(w.problems) > known {
		return
	}
	switch name {
	case feed.FieldCategories:
		for i, c := range decoded[feed.Category](w, name, value) {
			before := len(w.categories)
			c.Term, c.Label = html.EscapeString(c.Term), html.EscapeString(c.Label)
			if w.addCategory(c); len(w.categories) == before {
				w.blame(fmt.Sprintf("categories[%d]", i), "it is empty, repeated, longer than %d bytes or beyond %d categories", maxWord, maxCategories)
			}
		}
	case feed.FieldEnclosures:
		for i, f := range decoded[feed.Enclosure](w, name, value) {
			file := enclosure{URL: mend.Resolve(new(url.URL), f.URL), Type: f.Type, FileDetails: f.FileDetails}
			if f.Length > 0 {
				file.Length = strconv.FormatInt(int64(f.Length), 10)
			}
			before := len(w.enclosures)
			literal(file.Credits)
			if w.addEnclosure(file); len(w.enclosures) == before {
				w.blame(fmt.Sprintf("enclosures[%d]", i), "its url must be absolute, http or https, and not repeated; at most %d are allowed", maxEnclosures)
			}
		}
	case feed.FieldAuthorDetails:
		decoded[feed.Person](w, name, value) // the authors have them
	case feed.FieldContributors:
		w.contributors = literal(decoded[feed.Person](w, name, value))
	case feed.FieldPersons:
		w.persons = literal(decoded[feed.Person](w, name, value))
	case feed.FieldMedia:
		for _, file := range decoded[feed.Enclosure](w, name, value) {
			literal(file.Credits)
			w.addMedia(file)
		}
	case feed.FieldChapters:
		w.chapters = decoded[feed.Chapter](w, name, value)
		for i := range w.chapters {
			w.chapters[i].Title = html.EscapeString(w.chapters[i].Title)
		}
	case feed.FieldTranscripts:
		w.transcripts = decoded[feed.Transcript](w, name, value)
	}
}

// decoded returns the elements of a list.
func decoded[T any](w *writing, name, value string) (all []T) {
	err := json.Unmarshal([]byte(value), &all)
	if typed, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && typed.Field != "" {
		member := typed.Field[strings.LastIndexByte(typed.Field, '.')+1:]
		w.blame(name+"."+member, "got a JSON %s; use %s", typed.Value, memberTexts[member])
	} else if err != nil {
		w.blame(name, "use a list of objects")
	}
	return all
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
		if value != "" && (key == "url" || key == "image") {
			w.url(field, value)
		} else if value != mend.Plain(value) || len(value) > maxText {
			w.blame(field, "use a text without control characters")
		}
	}
}

// memberTexts describes the members of the elements of lists.
var memberTexts = map[string]string{
	"url": kindTexts[feed.KindURL], "image": kindTexts[feed.KindURL], "language": kindTexts[feed.KindLanguage], "email": "an address such as ann@example.org",
	"length": "a whole number of bytes", "duration": kindTexts[feed.KindSeconds], "width": "a whole number of pixels", "height": "a whole number of pixels",
	"start": "a number of seconds", "rel": "thumbnail, player or alternate in media, captions in transcripts", "credits": "up to 10 objects with name and role",
	"name": aText, "role": aText, "group": aText, "title": aText, "description": aText, "type": aText, "term": aText, "scheme": aText, "label": aText,
}

const aText = "a text of one line and up to 4096 bytes"

// checkKept blames what the stored entry lacks of the title and the lists.
func (w *writing) checkKept(e *feed.Entry) {
	if w.entry.Title != mend.Line(e.Title) {
		w.blame("title", "it has %d bytes; use at most %d", len(e.Title), maxTitle)
	}
	for name, value := range e.Extra {
		f := feed.FieldNamed(name)
		blamed := func(p feed.FieldError) bool { return strings.HasPrefix(p.Field, name) }
		if f == nil || f.Kind != feed.KindList || slices.ContainsFunc(w.problems, blamed) {
			continue
		}
		var given, stored []any
		_ = json.Unmarshal([]byte(value), &given) // list has read it
		if name == feed.FieldAuthorDetails {
			w.checkAuthors(given)
			continue
		}
		_ = json.Unmarshal(f.Value(&w.entry), &stored)
		if lost := len(given) - len(stored); lost > 0 {
			w.blame(name, "%d of its %d elements cannot be stored: they are malformed, repeated or too many", lost, len(given))
			continue
		}
		w.checkMembers(name, given, stored)
	}
}

// checkAuthors blames details that no author has.
func (w *writing) checkAuthors(given []any) {
	for i, details := range given {
		field := fmt.Sprintf("%s[%d]", feed.FieldAuthorDetails, i)
		members, _ := details.(map[string]any)
		at := slices.IndexFunc(w.entry.AuthorDetails(), func(p feed.Person) bool { return p.Name == members["name"] })
		if at < 0 {
			w.blame(field+".name", "%.80q is not among authors; add it there", fmt.Sprint(members["name"]))
			continue
		}
		var stored any
		_ = json.Unmarshal([]byte(feed.EncodeList(w.entry.AuthorDetails()[at])), &stored)
		w.checkMembers(field, details, stored)
	}
}

// checkMembers blames what a stored value in a list lacks of the given one.
func (w *writing) checkMembers(field string, given, stored any) {
	switch given := given.(type) {
	case []any:
		kept, _ := stored.([]any)
		for i, one := range given {
			var other any
			if i < len(kept) {
				other = kept[i]
			}
			w.checkMembers(fmt.Sprintf("%s[%d]", field, i), one, other)
		}
		return
	case map[string]any:
		kept, _ := stored.(map[string]any)
		for name, one := range given {
			if name != "label" || one != kept["term"] { // a label that repeats the term says nothing
				w.checkMembers(field+"."+name, one, kept[name])
			}
		}
		return
	}
	name := field[strings.LastIndexByte(field, '.')+1:]
	normalised := stored != nil && (name == "url" || name == "image" || name == "language")
	if text := textOf(given); text == "" || text == "0" || normalised || text == textOf(stored) {
		return
	}
	if want := memberTexts[name]; want != "" {
		w.blame(field, "%.80q cannot be stored; use %s", textOf(given), want)
		return
	}
	w.blame(field, "this member does not exist; omit it")
}

// textOf returns a scalar of JSON as text; null is empty.
func textOf(scalar any) string {
	switch scalar := scalar.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(scalar, 'f', -1, 64)
	case string:
		return mend.Line(scalar)
	}
	return fmt.Sprint(scalar)
}
