package parser

import (
	"cmp"
	"html"
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
	r := reading{Parsed: Parsed{Base: head.Base.String()}}
	r.Document.Format = strings.TrimSpace("Atom " + f.Version)
	r.Document.About = feed.About{
		Title:       titleOf(&head.Title, f.Title),
		Description: titleOf(&head.Summary, f.Subtitle),
		Link:        mend.Resolve(head.Base, firstOf(linked(f.Links, "alternate"), linkText(head))),
		Language:    firstOf(head.Language, f.Language),
	}
	r.Hints.syndication(f.Extensions["sy"])
	authors := atomNames(f.Authors)
	for i, e := range f.Entries {
		p := readEntry(e, doc.Item(i))
		if len(p.authors) == 0 && e.Source != nil {
			p.authors = atomNames(e.Source.Authors)
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
		title:   firstOf(o.Title.String(), firstValue(e.Extensions["media"]["title"])),
		content: htmlOf(&o.Content), summary: htmlOf(&o.Summary), plainTitle: o.Title.IsPlain(),
		authors: atomNames(e.Authors), language: o.Language,
		base: o.Base, contentBase: o.Content.Base, sumBase: o.Summary.Base,
	}
	for i, l := range e.Links { // each may have a base of its own
		if i < len(o.LinkBases) && o.LinkBases[i] != o.Base {
			l.Href = firstOf(mend.Resolve(o.LinkBases[i], l.Href), l.Href)
		}
		if strings.EqualFold(l.Rel, "enclosure") {
			p.addEnclosure(enclosure{URL: l.Href, Type: l.Type, Length: l.Length})
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
	p.authors = append(p.authors, values(e.Extensions["dc"]["creator"])...)
	fromMedia(p, e.Extensions["media"])
	p.readAtomFields(e)
	terms := e.Extensions["dcterms"]
	p.published = firstDate(e.Published, firstValue(terms["issued"]), firstValue(terms["created"]), firstValue(e.Extensions["dc"]["date"]))
	p.updated = firstDate(e.Updated, firstValue(terms["modified"]))
	return p
}

// pageOf returns the address of an entry: its alternate link or, if it has none, the next best one.
func pageOf(e *atom.Entry, o *mend.Item, p *post) string {
	page := firstOf(origLink(e.Extensions), linked(e.Links, "alternate"), linkText(o))
	if page == "" && e.Content != nil {
		page = e.Content.Src
	}
	if page == "" && isAbsolute(p.guid) {
		page = p.guid
	}
	page = firstOf(page, linked(e.Links, "self"), linked(e.Links, "via"))
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
func linked(links []*atom.Link, rel string) (href string) {
	for _, l := range links {
		if strings.TrimSpace(l.Href) == "" || !strings.EqualFold(l.Rel, rel) {
			continue
		}
		if l.Type == "" || strings.HasPrefix(l.Type, "text/html") || strings.HasPrefix(l.Type, "application/xhtml") {
			return l.Href
		}
		href = cmp.Or(href, l.Href)
	}
	return href
}

// origLink returns the original URL of an item whose link leads through a tracking service, or "".
func origLink(extensions ext.Extensions) string {
	link := firstValue(extensions["feedburner"]["origLink"])
	if !isAbsolute(link) {
		return ""
	}
	return link
}

// mediaScheme is the default scheme of categories in Media RSS 1.5.1.
const mediaScheme = "http://search.yahoo.com/mrss/category_schema"

// fromMedia adds categories and files from Media RSS, and a summary if the item has no text.
func fromMedia(p *post, media map[string][]ext.Extension) {
	if len(media) == 0 {
		return
	}
	groups := []map[string][]ext.Extension{media}
	for _, group := range media["group"] {
		groups = append(groups, group.Children)
	}
	for _, group := range groups {
		if p.content == "" && p.summary == "" && len(group["description"]) > 0 {
			description := group["description"][0]
			if p.summary = strings.TrimSpace(description.Value); description.Attrs["type"] != "html" {
				p.summary = html.EscapeString(p.summary)
			}
		}
		for _, c := range group["category"] {
			p.addCategory(feed.Category{Term: c.Value, Scheme: firstOf(c.Attrs["scheme"], mediaScheme), Label: c.Attrs["label"]})
		}
		for _, c := range group["content"] {
			p.addEnclosure(enclosure{URL: c.Attrs["url"], Type: firstOf(c.Attrs["type"], c.Attrs["medium"]), Length: c.Attrs["fileSize"]})
		}
	}
}

// values returns the names of the persons in elements.
func values(extensions []ext.Extension) []string {
	var out []string
	for _, e := range extensions {
		out = append(out, personName(e.Value))
	}
	return out
}
