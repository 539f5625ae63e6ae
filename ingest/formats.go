package ingest

import (
	"html"
	"net/url"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"
	"github.com/mmcdole/gofeed/atom"
	"github.com/mmcdole/gofeed/json"
	"github.com/mmcdole/gofeed/rss"
)

// post is one item as its document wrote it, in the words that all formats share.
type post struct {
	guid, title, link  string
	content, summary   string // HTML
	authors            []string
	published, updated time.Time
	base, contentBase  *url.URL
}

// newReader returns what reads the items of a feed. Most fields are the same for every format; the others are taken
// from the original, where the parser's common form has lost them.
func newReader(parsed *gofeed.Feed) func(i int, item *gofeed.Item, o outlined) post {
	return func(i int, item *gofeed.Item, o outlined) post {
		p := post{
			guid: item.GUID, title: item.Title, link: item.Link, content: item.Content, summary: item.Description,
			published: date(item.Published, item.PublishedParsed), updated: date(item.Updated, item.UpdatedParsed),
			authors: persons(item.Authors), base: o.base, contentBase: o.contentBase,
		}
		switch original := parsed.OriginalFeed().(type) {
		case *atom.Feed:
			fromAtom(&p, original.Entries[i], o)
		case *rss.Feed:
			fromRSS(&p, original.Items[i], o)
		case *json.Feed:
			fromJSON(&p, original.Items[i])
		}
		if len(p.authors) == 0 && parsed.FeedType != "rss" { // RFC 4287 section 4.2.1, JSON Feed 1.1: the feed's are its entries'
			p.authors = persons(parsed.Authors)
		}
		return p
	}
}

// fromAtom takes the id as written, the link that a browser wants, and no publication date from atom:updated.
func fromAtom(p *post, e *atom.Entry, o outlined) {
	if o.id != "" {
		p.guid = o.id
	}
	best := 0
	for _, l := range e.Links {
		rank := 1
		if l.Type == "" || strings.HasPrefix(l.Type, "text/html") || strings.HasPrefix(l.Type, "application/xhtml") {
			rank = 2
		}
		if l.Rel == "alternate" && strings.TrimSpace(l.Href) != "" && rank > best {
			p.link, best = l.Href, rank
		}
	}
	if e.Published == "" {
		p.published = time.Time{}
	}
	if e.Content != nil && (e.Content.Type == "text" || e.Content.Type == "text/plain") {
		p.content = html.EscapeString(p.content)
	}
}

// fromRSS takes all authors, the name of an RDF item, and a guid that is a link for the link where there is none.
func fromRSS(p *post, item *rss.Item, o outlined) {
	if dc := item.DublinCoreExt; dc != nil {
		p.authors = append(p.authors, dc.Creator...)
		p.authors = append(p.authors, dc.Author...)
	}
	if p.guid == "" {
		p.guid = o.id
	}
	for _, l := range item.Extensions["atom"]["link"] {
		if rel := l.Attrs["rel"]; p.link == "" && (rel == "" || rel == "alternate") {
			p.link = l.Attrs["href"]
		}
	}
	if p.link == "" && item.GUID != nil && !strings.EqualFold(item.GUID.IsPermalink, "false") && isAbsolute(item.GUID.Value) {
		p.link = item.GUID.Value
	}
}

// fromJSON takes plain text for what it is, and a link to another site where the item has no page of its own.
func fromJSON(p *post, item *json.Item) {
	if p.link == "" {
		p.link = item.ExternalURL
	}
	if item.ContentHTML == "" {
		p.content = html.EscapeString(item.ContentText)
	}
	p.summary = html.EscapeString(item.Summary)
}

// persons are how people are called: by name, else by address.
func persons(people []*gofeed.Person) []string {
	var out []string
	for _, p := range people {
		if strings.TrimSpace(p.Name) != "" {
			out = append(out, p.Name)
		} else {
			out = append(out, p.Email)
		}
	}
	return out
}
