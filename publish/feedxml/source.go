package feedxml

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// FromEntry returns an entry as its source has it. It neither resolves addresses nor cleans HTML. The
// Atom ID of an entry whose guid is not an IRI is made of base and the guid.
func FromEntry(e *feed.Entry, base string) *Entry {
	out := &Entry{
		IDs: NewIDs(cmp.Or(e.GUID, e.ID), base), Title: e.Title, Link: e.Link, Published: Date(e.Published),
		Modified: cmp.Or(Date(e.Updated), Date(e.Timestamp), Date(e.Published), time.Unix(0, 0).UTC()),
		Authors:  e.AuthorDetails(), Summary: e.Summary, Content: e.Content, Files: e.Enclosures(), AllFiles: true,
		Categories:   feed.List[feed.Category](e, feed.FieldCategories),
		Contributors: feed.List[feed.Person](e, feed.FieldContributors), Persons: feed.List[feed.Person](e, feed.FieldPersons),
		Media: e.Media(), Chapters: feed.List[feed.Chapter](e, feed.FieldChapters),
		Transcripts: feed.List[feed.Transcript](e, feed.FieldTranscripts), Fields: maps.Clone(e.Extra),
	}
	out.Categories = slices.DeleteFunc(out.Categories, func(c feed.Category) bool { return c.Term == "" })
	for i := range out.Files {
		out.Files[i].Type = out.Files[i].MediaType()
	}
	out.Headline = cmp.Or(e.Title, e.Link, out.IDs.RSS)
	return out
}

// SourceProfile returns the profile of feeds of entries that FromEntry returned. It has an element for each of their fields.
func SourceProfile() *profile.Profile {
	return &profile.Profile{
		Namespaces:   []string{"dc=http://purl.org/dc/elements/1.1/", "media=http://search.yahoo.com/mrss/"},
		ChannelDates: []string{"lastBuildDate"}, Author: "dc:creator", Modified: "atom:updated", Logo: "image",
	}
}

// NewIDs returns the IDs of an entry with a guid. EntryGUID reverses it.
func NewIDs(guid, base string) IDs {
	return IDs{RSS: guid, Atom: cmp.Or(iri(guid), base+"#"+url.QueryEscape(guid)), JSON: guid}
}

// EntryGUID returns the guid for an ID that NewIDs made with the same base, in any format.
func EntryGUID(id, base string) string {
	if escaped, ok := strings.CutPrefix(id, base+"#"); ok {
		if guid, err := url.QueryUnescape(escaped); err == nil && NewIDs(guid, base).Atom == id {
			return guid
		}
	}
	return id
}

// iri returns s if it is an absolute IRI (RFC 3987), otherwise an empty string.
func iri(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Opaque+u.Host+u.Path == "" || strings.ContainsAny(s, " \"<>\\^`{|}\t\n") {
		return ""
	}
	return s
}

// Date returns t in UTC if feeds can represent it, otherwise the zero time.
func Date(t time.Time) time.Time {
	if t = t.UTC(); t.Year() <= 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}
