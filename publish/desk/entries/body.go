package entries

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

// entryBody is an entry in a request, with the members of an entry in a response. Those that feedwire assigns may be there, and must be
// right: a program can change a response and send it back.
type entryBody map[string]json.RawMessage

// entry returns the entry of a body for a source, in its stored form. stored is the entry that it replaces, without an ID if there is
// none. The error is about all members that are invalid.
func (b entryBody) entry(source *feed.Source, stored *feed.Entry, now time.Time) (feed.Entry, error) {
	e, problems := b.decode()
	for _, given := range []struct{ field, value, right string }{
		{"id", e.ID, stored.ID}, {"feed_url", e.FeedURL, source.URL}, {"guid", e.GUID, cmp.Or(stored.GUID, e.GUID)},
	} {
		if given.value != "" && given.value != given.right {
			problems = append(problems, feed.FieldError{Field: given.field, Reason: fmt.Sprintf("it is %q here; omit it, or send it unchanged", given.right)})
		}
	}
	e.ID, e.FeedURL, e.GUID = stored.ID, source.URL, cmp.Or(stored.GUID, e.GUID, rand.Text())
	e.Published = cmp.Or(e.Published, stored.Published)
	written, err := parser.Written(e, now)
	invalid, _ := errors.AsType[feed.FieldErrors](err)
	for _, one := range invalid {
		if !slices.ContainsFunc(problems, func(p feed.FieldError) bool { return p.Field == one.Field }) {
			problems = append(problems, one)
		}
	}
	if problems != nil {
		slices.SortFunc(problems, func(a, b feed.FieldError) int { return cmp.Compare(a.Field, b.Field) })
		return e, problems
	}
	return written, err
}

// guid returns the guid in a body; "" if there is none. entry reports what is wrong with it.
func (b entryBody) guid() string {
	e, _ := entryBody{"guid": b["guid"]}.decode()
	return e.GUID
}

// decode returns the members that can be read, and what is wrong with the others.
func (b entryBody) decode() (e feed.Entry, problems feed.FieldErrors) {
	for name, raw := range b {
		want, known := wanted(name)
		object, _ := json.Marshal(entryBody{name: raw}) // it was decoded from JSON
		switch {
		case !known:
			problems = append(problems, feed.FieldError{Field: name, Reason: "this field does not exist; put fields of your own into extra"})
		case json.Unmarshal(object, &e) != nil || want == aTime && isZeroTime(raw):
			problems = append(problems, feed.FieldError{Field: name, Reason: fmt.Sprintf("got %.40s, want %s", raw, want)})
		case name == "extra":
			problems = append(problems, b.ambiguous()...)
		}
	}
	return e, problems
}

// isZeroTime reports whether a time is the one that stands for none.
func isZeroTime(raw json.RawMessage) bool {
	t := time.Unix(0, 0)
	_ = json.Unmarshal(raw, &t) // null leaves it unchanged
	return t.IsZero()
}

// ambiguous blames members of extra that the entry has itself.
func (b entryBody) ambiguous() (problems feed.FieldErrors) {
	var extra map[string]json.RawMessage
	_ = json.Unmarshal(b["extra"], &extra) // an object of strings
	for name := range extra {
		if feed.FieldNamed(name) != nil {
			problems = append(problems, feed.FieldError{Field: "extra." + name, Reason: name + " is a field of the entry itself; put it there"})
		}
	}
	return problems
}

const aTime = "a time such as 2026-11-20T12:00:00Z"

// wanted describes the value of a member of an entry, and reports whether there is such a member.
func wanted(name string) (text string, known bool) {
	switch name {
	case "id", "feed_url", "guid":
		return "a string", true
	case "timestamp", "date_published", "date_updated":
		return aTime, true
	case "authors":
		return "a list of strings", true
	case "extra":
		return "an object of strings", true
	}
	switch f := feed.FieldNamed(name); {
	case f == nil:
		return "", false
	case f.Kind == feed.KindList:
		return "a list of objects", true
	case f.Kind == feed.KindBool:
		return "true or false", true
	case f.Bare():
		return "a number", true
	}
	return "a string", true
}
