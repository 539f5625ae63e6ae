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
	if languageTag.MatchString(about.Language) {
		c.Language = about.Language
	}
	return c
}

// entryOf returns an entry with absolute addresses, clean texts and sanitised HTML.
func (s *Server) entryOf(e *feed.Entry, source *feed.Source, id string) *feedxml.Entry {
	out := feedxml.FromEntry(e, "")
	out.IDs = feedxml.NewIDs(cmp.Or(line(e.GUID), e.ID), s.page(id))
	out.Link = body.Address(e.Link, source.URL)
	out.Title = line(e.Title)
	out.Authors = nil
	for _, author := range e.Authors {
		if author = line(author); author != "" {
			out.Authors = append(out.Authors, author)
		}
	}
	for i, c := range out.Categories {
		out.Categories[i] = feed.Category{Term: line(c.Term), Scheme: line(c.Scheme), Label: line(c.Label)}
	}
	out.Categories = slices.DeleteFunc(out.Categories, func(c feed.Category) bool { return c.Term == "" })
	base := cmp.Or(out.Link, body.Address(source.About.Link, source.URL), source.URL)
	out.Content, _ = s.cleaner.Clean(e.Content, base)
	out.Summary, _ = s.cleaner.Clean(e.Summary, base)
	out.Description = hypertext.PlainText(out.Summary, maxExcerpt)
	if out.Title == "" {
		out.Excerpt = hypertext.PlainText(out.Content, maxExcerpt)
		out.Headline = cmp.Or(hypertext.PlainText(cmp.Or(out.Content, out.Summary), maxHeadline), out.Link, out.IDs.RSS)
	}
	for _, f := range feed.Scalars() {
		value := line(out.Fields[f.Name])
		switch {
		case value == "":
		case f.Kind == feed.KindURL:
			out.Fields[f.Name] = body.Address(value, base)
		case f.Kind == feed.KindLanguage:
			out.Fields[f.Name] = languageTag.FindString(value)
		default:
			out.Fields[f.Name] = value
		}
	}
	for i := range out.Files {
		out.Files[i].URL = body.Address(out.Files[i].URL, base)
	}
	out.Files = slices.DeleteFunc(out.Files, func(f feed.Enclosure) bool { return f.URL == "" })
	return out
}

// line returns text on one line without characters that XML does not allow.
func line(s string) string { return hypertext.OneLine(hypertext.Clean(s)) }
