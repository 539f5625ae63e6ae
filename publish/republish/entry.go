package republish

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/feedwire/feedwire/publish/body"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxExcerpt  = 1000 // bytes of plain text
	maxHeadline = 100  // bytes of a title made from the text
)

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,8}$`)

// channelOf returns the channel of the feed of a source.
func (s *Server) channelOf(source *feed.Source, of name, changed time.Time) *feedxml.Channel {
	about := &source.About
	c := &feedxml.Channel{
		Self: s.url(of), Link: cmp.Or(body.Address(about.Link, source.URL), s.page(of.id)),
		Title: line(about.Title), Description: line(hypertext.PlainText(about.Description, maxExcerpt)),
		Changed: cmp.Or(changed, feedxml.Date(source.Added), time.Unix(0, 0).UTC()),
	}
	if !source.Private() {
		c.Hub = s.opts.HubURL
	}
	if host, err := url.Parse(source.URL); err == nil {
		c.Title = cmp.Or(c.Title, host.Hostname())
	}
	c.Title = cmp.Or(c.Title, of.id)
	c.Description = cmp.Or(c.Description, c.Title)
	c.Language, c.Copyright = language(about.Language), line(about.Rights)
	clean := cleaner{source.URL}
	c.Authors, c.Categories = clean.persons(about.Authors), categories(about.Categories)
	c.Logo, c.Icon = clean.url(about.Image), clean.url(about.Icon)
	return c
}

// entryOf returns an entry with absolute addresses, clean texts and sanitised HTML.
func (s *Server) entryOf(e *feed.Entry, source *feed.Source, id string) *feedxml.Entry {
	out := feedxml.FromEntry(e, "")
	out.IDs = idsOf(cmp.Or(line(e.GUID), e.ID), s.page(id))
	out.Link = body.Address(e.Link, source.URL)
	out.Title = line(e.Title)
	base := cmp.Or(out.Link, body.Address(source.About.Link, source.URL), source.URL)
	out.Content, _ = s.cleaner.Clean(e.Content, base)
	out.Summary, _ = s.cleaner.Clean(e.Summary, base)
	out.Description = hypertext.PlainText(out.Summary, maxExcerpt)
	if out.Title == "" {
		out.Excerpt = hypertext.PlainText(out.Content, maxExcerpt)
		out.Headline = cmp.Or(hypertext.PlainText(cmp.Or(out.Content, out.Summary), maxHeadline), out.Link, out.IDs.RSS)
	}
	c := cleaner{base}
	out.Authors, out.Contributors, out.Persons = c.persons(out.Authors), c.persons(out.Contributors), c.persons(out.Persons)
	out.Categories, out.Files, out.Media = categories(out.Categories), c.files(out.Files), c.files(out.Media)
	for i, chapter := range out.Chapters {
		out.Chapters[i] = feed.Chapter{Start: chapter.Start, Title: line(chapter.Title), URL: c.url(chapter.URL), Image: c.url(chapter.Image)}
	}
	for i, t := range out.Transcripts {
		out.Transcripts[i] = feed.Transcript{URL: c.url(t.URL), Type: line(t.Type), Language: language(t.Language), Rel: line(t.Rel)}
	}
	out.Transcripts = slices.DeleteFunc(out.Transcripts, func(t feed.Transcript) bool { return t.URL == "" })
	for _, f := range feed.Scalars() {
		switch value := line(out.Fields[f.Name]); {
		case value == "":
		case f.Kind == feed.KindURL:
			out.Fields[f.Name] = c.url(value)
		case f.Kind == feed.KindLanguage:
			out.Fields[f.Name] = language(value)
		default:
			out.Fields[f.Name] = value
		}
	}
	return out
}

// cleaner cleans what an entry with a base URL says.
type cleaner struct{ base string }

func (c cleaner) url(ref string) string { return body.Address(ref, c.base) }

// persons returns those that have a name.
func (c cleaner) persons(all []feed.Person) (clean []feed.Person) {
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

// files returns those that have an address.
func (c cleaner) files(all []feed.Enclosure) (clean []feed.Enclosure) {
	for _, f := range all {
		f.URL, f.Type, f.Title, f.Description = c.url(f.URL), line(f.Type), line(f.Title), line(f.Description)
		f.Language, f.Credits = language(f.Language), c.persons(f.Credits)
		if f.URL != "" {
			clean = append(clean, f)
		}
	}
	return clean
}

// categories returns those that have a term.
func categories(all []feed.Category) (clean []feed.Category) {
	for _, c := range all {
		if c = (feed.Category{Term: line(c.Term), Scheme: line(c.Scheme), Label: line(c.Label)}); c.Term != "" {
			clean = append(clean, c)
		}
	}
	return clean
}

// language returns a well-formed tag, or "".
func language(tag string) string { return languageTag.FindString(line(tag)) }

// idsOf returns the ids of an entry with a guid in the feeds of the source with a page.
func idsOf(guid, page string) feedxml.IDs { return feedxml.NewIDs(line(guid), page) }

// line returns text on one line without characters that XML does not allow.
func line(s string) string { return hypertext.OneLine(hypertext.Clean(s)) }
