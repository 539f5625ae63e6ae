package republish

import (
	"cmp"
	"net/url"
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

// channelOf returns the channel of a feed.
func (s *Server) channelOf(contents *contents, of name, changed time.Time) *feedxml.Channel {
	c := s.aboutList(contents.list, of)
	if contents.source != nil {
		c = s.aboutSource(contents.source, of)
	}
	c.Self, c.Changed = s.url(of), cmp.Or(changed, c.Changed, time.Unix(0, 0).UTC())
	if !contents.private {
		c.Hub = s.opts.HubURL
	}
	return c
}

// aboutList describes a list.
func (s *Server) aboutList(list feed.EntryList, of name) *feedxml.Channel {
	return &feedxml.Channel{Link: s.page(of), Title: list.Title, Description: cmp.Or(list.Description, list.Title)}
}

// aboutSource describes a source. Changed is when it was added.
func (s *Server) aboutSource(source *feed.Source, of name) *feedxml.Channel {
	about := &source.About
	c := &feedxml.Channel{
		Link:  cmp.Or(body.Address(about.Link, source.URL), s.page(of)),
		Title: line(about.Title), Description: hypertext.Cut(line(about.Description), maxExcerpt),
		Changed: feedxml.Date(source.Added),
	}
	if host, err := url.Parse(source.URL); err == nil {
		c.Title = cmp.Or(c.Title, host.Hostname())
	}
	c.Title = cmp.Or(c.Title, of.id)
	c.Description = cmp.Or(c.Description, c.Title)
	c.Language, c.Copyright = body.Language(about.Language), line(about.Rights)
	c.Authors, c.Categories = body.Persons(about.Authors, source.URL), body.Categories(about.Categories)
	clean := feed.About{Authors: c.Authors, Categories: c.Categories, Podcast: feed.Podcast{
		Owner: line(about.Owner), OwnerEmail: line(about.OwnerEmail), Type: line(about.Type), Explicit: about.Explicit,
		Persons: body.Persons(about.Persons, source.URL),
	}}
	c.Podcast = feedxml.PodcastOf(&clean)
	c.Logo, c.Icon = body.Address(about.Image, source.URL), body.Address(about.Icon, source.URL)
	return c
}

// entryOf returns an entry with absolute addresses, clean texts and sanitised HTML.
func (s *Server) entryOf(e *feed.Entry, source *feed.Source) *feedxml.Entry {
	out := feedxml.FromEntry(e, "")
	out.IDs = idsOf(cmp.Or(line(e.GUID), e.ID), s.page(name{id: source.ID}))
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
	body.Fields(out, base)
	return out
}

// nameSource adds the source to an entry of a list, unless the entry names another one. Entries of several sources can have the same guid,
// so that each has an id that is unique everywhere.
func (s *Server) nameSource(out *feedxml.Entry, source *feed.Source) {
	out.IDs.RSS, out.IDs.JSON = out.IDs.Atom, out.IDs.Atom
	if out.Fields["source_title"] != "" || out.Fields["source_url"] != "" {
		return
	}
	if out.Fields == nil {
		out.Fields = make(map[string]string)
	}
	of := name{id: source.ID, format: feedxml.Atom}
	out.Fields["source_title"], out.Fields["source_url"] = cmp.Or(line(source.About.Title), s.page(of)), s.url(of)
	if link := body.Address(source.About.Link, source.URL); link != "" {
		out.Fields["source_link"] = link
	}
}

// idsOf returns the ids of an entry with a guid in the feeds of the source with a page.
func idsOf(guid, page string) feedxml.IDs { return feedxml.NewIDs(line(guid), page) }

// line returns text on one line without characters that XML does not allow.
func line(s string) string { return hypertext.OneLine(hypertext.Clean(s)) }
