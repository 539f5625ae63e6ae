package parser

import (
	"cmp"
	"html"
	"net/url"
	"slices"
	"strings"

	"github.com/mmcdole/gofeed/atom"
	ext "github.com/mmcdole/gofeed/extensions"

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// readAtom reads Atom 0.3 and 1.0. It takes ids and texts from the outline because the parser rewrites ids and drops the
// type of texts.
func readAtom(doc *mend.Document, f *atom.Feed) reading {
	head := &doc.Head
	settleRelations(f.Links)
	r := reading{Parsed: Parsed{Base: head.Base.String()}}
	r.Document.Format = strings.TrimSpace("Atom " + f.Version)
	r.Document.About = feed.About{
		Title:       titleOf(&head.Title, f.Title),
		Description: titleOf(&head.Summary, f.Subtitle),
		Link:        mend.Resolve(head.Base, firstOf(linked(head.Base, f.Links, "alternate"), linkText(head))),
		Language:    firstOf(head.Language, f.Language),
	}
	r.Hints.syndication(f.Extensions["sy"])
	authors := withAvatars(atomPersons(f.Authors), head.Avatars)
	channel := &post{base: head.Base, authors: authors}
	channel.readShow(&r.Document.About, f.Extensions)
	for _, c := range f.Categories {
		channel.addCategory(feed.Category{Term: c.Term, Scheme: c.Scheme, Label: c.Label})
	}
	image := firstOf(f.Logo, extensionAt(f.Extensions, locationOf("itunes:image@href")),
		extensionAt(f.Extensions, locationOf("media:thumbnail@url")))
	channel.describeFeed(&r.Document.About, image, f.Icon, f.Rights)
	for i, e := range f.Entries {
		p := readEntry(e, doc.Item(i))
		if len(p.authors) == 0 && e.Source != nil {
			p.authors = atomPersons(e.Source.Authors)
		}
		if len(p.authors) == 0 { // those of the feed apply (RFC 4287 section 4.2.1)
			p.authors = authors
		}
		r.posts = append(r.posts, p)
	}
	return r
}

// titleOf returns a text of the feed as plain text, or the fallback if it is empty.
func titleOf(t *mend.Text, fallback string) string {
	text := t.String()
	switch {
	case text == "":
		return plainText(fallback)
	case t.IsPlain():
		return mend.Line(text)
	}
	return plainText(text)
}

// htmlOf returns a text as HTML.
func htmlOf(t *mend.Text) string {
	text := t.String()
	if t.IsPlain() {
		return html.EscapeString(text)
	}
	return text
}

func readEntry(e *atom.Entry, o mend.Item) *post {
	p := &post{
		guid:    firstOf(o.ID.String(), e.ID),
		title:   firstOf(o.Title.String(), firstValue(e.Extensions["media"]["title"]), firstValue(e.Extensions["itunes"]["title"])),
		content: htmlOf(&o.Content), summary: htmlOf(&o.Summary), plainTitle: o.Title.IsPlain(),
		authors: withAvatars(atomPersons(e.Authors), o.Avatars), language: o.Language,
		base: o.Base, contentBase: o.Content.Base, sumBase: o.Summary.Base,
	}
	settleRelations(e.Links)
	if e.Source != nil {
		settleRelations(e.Source.Links)
	}
	for i, l := range e.Links { // each may have a base of its own
		if i < len(o.LinkBases) && o.LinkBases[i] != o.Base {
			l.Href = firstOf(mend.Resolve(o.LinkBases[i], l.Href), l.Href)
		}
		if l.Rel == "enclosure" {
			p.addEnclosure(enclosure{URL: l.Href, Type: l.Type, Length: l.Length, FileDetails: feed.FileDetails{Title: l.Title, Language: l.Hreflang}})
		}
	}
	if e.Content != nil && e.Content.Src != "" {
		p.content = "" // the content is at another URL
	}
	p.link = pageOf(e, &o, p)
	for _, c := range e.Categories {
		p.addCategory(feed.Category{Term: c.Term, Scheme: c.Scheme, Label: c.Label})
	}
	for _, c := range e.Extensions["dc"]["subject"] {
		p.addCategory(feed.Category{Term: c.Value})
	}
	p.authors = append(p.authors, personsIn(slices.Concat(e.Extensions["dc"]["creator"], e.Extensions["dcterms"]["creator"]))...)
	p.contributors = append(atomPersons(e.Contributors), personsIn(e.Extensions["dc"]["contributor"])...)
	p.readMedia(e.Extensions["media"])
	p.readPodcast(e.Extensions["podcast"], e.Extensions["psc"])
	p.readAtomFields(e)
	p.setMissing("comment_count", o.Replies)
	p.readGeo(e.Extensions)
	terms := e.Extensions["dcterms"]
	p.published = firstDate(e.Published, firstValue(terms["issued"]), firstValue(terms["created"]), firstValue(e.Extensions["dc"]["date"]))
	p.updated = firstDate(e.Updated, firstValue(terms["modified"]))
	return p
}

// pageOf returns the address of an entry: its alternate link or, if it has none, the next best one.
func pageOf(e *atom.Entry, o *mend.Item, p *post) string {
	page := firstOf(origLink(e.Extensions), linked(p.base, e.Links, "alternate"), linkText(o))
	if page == "" && e.Content != nil && mend.Resolve(p.base, e.Content.Src) != "" {
		page = e.Content.Src
	}
	if page == "" && isAbsolute(p.guid) {
		page = p.guid
	}
	page = firstOf(page, linked(p.base, e.Links, "self"), linked(p.base, e.Links, "via"))
	if page == "" && len(p.enclosures) > 0 {
		page = p.enclosures[0].URL
	}
	return page
}

// linkText returns the address in a link element without href, which some sites write as in RSS.
func linkText(o *mend.Item) string {
	text := o.Link.String()
	if text == "" {
		return ""
	}
	return mend.Resolve(o.Link.Base, text)
}

// linked returns the first link of a relation to an HTML page, or else the first one of another type.
func linked(base *url.URL, links []*atom.Link, rel string) (href string) {
	for _, l := range links {
		if l.Rel != rel || mend.Resolve(base, l.Href) == "" {
			continue
		}
		if l.Type == "" || strings.HasPrefix(l.Type, "text/html") || strings.HasPrefix(l.Type, "application/xhtml") {
			return l.Href
		}
		href = cmp.Or(href, l.Href)
	}
	return href
}

// settleRelations writes the relation of each link as its short name (RFC 4287 section 4.2.7.2).
func settleRelations(links []*atom.Link) {
	for _, l := range links {
		l.Rel = relation(l.Rel)
	}
}

// relation returns the short name of a relation.
func relation(rel string) string {
	return strings.TrimPrefix(strings.ToLower(mend.Line(rel)), "http://www.iana.org/assignments/relation/")
}

// origLink returns the original URL of an item whose link leads through a tracking service, or "".
func origLink(extensions ext.Extensions) string {
	link := firstValue(extensions["feedburner"]["origLink"])
	if !isAbsolute(link) {
		return ""
	}
	return link
}
