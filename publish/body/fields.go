package body

import (
	"slices"

	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/store/feed"
)

// Language returns a well-formed language tag, or "".
func Language(tag string) string { return feed.Language(line(tag)) }

// Fields cleans the fields of an entry besides its texts: one line, no characters that XML does not allow, absolute addresses. It
// omits persons without a name, files without an address and categories without a term.
func Fields(e *feedxml.Entry, base string) {
	c := fieldCleaner{base}
	e.Authors, e.Contributors, e.Persons = Persons(e.Authors, base), Persons(e.Contributors, base), Persons(e.Persons, base)
	e.Categories, e.Files, e.Media = Categories(e.Categories), c.files(e.Files), c.files(e.Media)
	for i, chapter := range e.Chapters {
		e.Chapters[i] = feed.Chapter{Start: chapter.Start, Title: line(chapter.Title), URL: c.url(chapter.URL), Image: c.url(chapter.Image)}
	}
	for i, t := range e.Transcripts {
		e.Transcripts[i] = feed.Transcript{URL: c.url(t.URL), Type: line(t.Type), Language: Language(t.Language), Rel: line(t.Rel)}
	}
	e.Transcripts = slices.DeleteFunc(e.Transcripts, func(t feed.Transcript) bool { return t.URL == "" })
	for _, f := range feed.Scalars() {
		switch value := line(e.Fields[f.Name]); {
		case value == "":
			delete(e.Fields, f.Name)
		case f.Kind == feed.KindURL:
			e.Fields[f.Name] = c.url(value)
		case f.Kind == feed.KindLanguage:
			e.Fields[f.Name] = Language(value)
		default:
			e.Fields[f.Name] = value
		}
	}
}

// Persons returns clean persons, those that have a name.
func Persons(all []feed.Person, base string) (clean []feed.Person) {
	c := fieldCleaner{base}
	for _, p := range all {
		p = feed.Person{
			Name: line(p.Name), Email: line(p.Email), URL: c.url(p.URL), Image: c.url(p.Image), Role: line(p.Role), Group: line(p.Group),
		}
		if p.Name != "" {
			clean = append(clean, p)
		}
	}
	return clean
}

// Categories returns clean categories, those that have a term.
func Categories(all []feed.Category) (clean []feed.Category) {
	for _, c := range all {
		if c = (feed.Category{Term: line(c.Term), Scheme: line(c.Scheme), Label: line(c.Label), Parent: line(c.Parent)}); c.Term != "" {
			clean = append(clean, c)
		}
	}
	return clean
}

// fieldCleaner cleans addresses and files of an entry with a base URL.
type fieldCleaner struct{ base string }

func (c fieldCleaner) url(ref string) string { return Address(ref, c.base) }

func (c fieldCleaner) files(all []feed.Enclosure) (clean []feed.Enclosure) {
	for _, f := range all {
		f.URL, f.Type, f.Title, f.Description = c.url(f.URL), line(f.Type), line(f.Title), line(f.Description)
		f.Language, f.Credits = Language(f.Language), Persons(f.Credits, c.base)
		if f.URL != "" {
			clean = append(clean, f)
		}
	}
	return clean
}

func line(s string) string { return hypertext.OneLine(hypertext.Clean(s)) }
