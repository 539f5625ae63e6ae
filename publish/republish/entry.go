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

// channelOf returns the channel of the feed of a source.
func (s *Server) channelOf(source *feed.Source, of name, changed time.Time) *feedxml.Channel {
	about := &source.About
	c := &feedxml.Channel{
		Self: s.url(of), Link: cmp.Or(body.Address(about.Link, source.URL), s.page(of.id)),
		Title: line(about.Title), Description: hypertext.Cut(line(about.Description), maxExcerpt),
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
	body.Fields(out, base)
	return out
}

// idsOf returns the ids of an entry with a guid in the feeds of the source with a page.
func idsOf(guid, page string) feedxml.IDs { return feedxml.NewIDs(line(guid), page) }

// line returns text on one line without characters that XML does not allow.
func line(s string) string { return hypertext.OneLine(hypertext.Clean(s)) }
