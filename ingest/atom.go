package ingest

import (
	"html"
	"net/url"
	"strings"

	"github.com/mmcdole/gofeed/atom"
	ext "github.com/mmcdole/gofeed/extensions"

	"github.com/feedwire/feedwire/store/feed"
)

// readAtom reads Atom 0.3 and 1.0. Ids and texts are taken from the document itself: the parser rewrites ids, and
// forgets what type a text is of.
func (n *normalised) readAtom(f *atom.Feed) reading {
	head := &n.shape.head
	r := reading{
		format: strings.TrimSpace("Atom " + f.Version),
		base:   head.base,
		about: feed.About{
			Title:       n.titleOf(&head.title, f.Title),
			Description: n.titleOf(&head.summary, f.Subtitle),
			Link:        resolve(head.base, alternate(f.Links)),
			Language:    firstOf(head.language, f.Language),
		},
	}
	for _, l := range f.Links {
		r.hints.link(l.Rel, resolve(head.base, l.Href))
	}
	r.hints.syndication(f.Extensions["sy"])
	authors := atomNames(f.Authors)
	for i, e := range f.Entries {
		p := n.readEntry(e, n.shape.at(i, head.base))
		if len(p.authors) == 0 && e.Source != nil {
			p.authors = atomNames(e.Source.Authors)
		}
		if len(p.authors) == 0 { // the feed's are its entries' (RFC 4287 section 4.2.1)
			p.authors = authors
		}
		r.posts = append(r.posts, p)
	}
	return r
}

// titleOf is a text of the feed's own as plain text.
func (n *normalised) titleOf(c *construct, otherwise string) string {
	text := c.text(n.text)
	switch {
	case text == "":
		return plainText(otherwise)
	case c.isPlain():
		return cleanLine(text)
	}
	return plainText(text)
}

// htmlOf is a text as HTML.
func (n *normalised) htmlOf(c *construct) string {
	text := c.text(n.text)
	if c.isPlain() {
		return html.EscapeString(text)
	}
	return text
}

func (n *normalised) readEntry(e *atom.Entry, o outlined) post {
	p := post{
		guid:    firstOf(o.id.text(n.text), e.ID),
		title:   firstOf(o.title.text(n.text), firstValue(e.Extensions["media"]["title"])),
		content: n.htmlOf(&o.content), summary: n.htmlOf(&o.summary), plainTitle: o.title.isPlain(),
		authors: atomNames(e.Authors), language: o.language,
		base: o.base, contentBase: o.content.base, sumBase: o.summary.base,
	}
	for i, l := range e.Links { // each may have a base of its own
		if i < len(o.linkBases) && o.linkBases[i] != o.base {
			l.Href = firstOf(resolve(o.linkBases[i], l.Href), l.Href)
		}
		if strings.EqualFold(l.Rel, "enclosure") {
			p.attach(Enclosure{URL: l.Href, Type: l.Type, Length: l.Length})
		}
	}
	if e.Content != nil && e.Content.Src != "" {
		p.content = "" // the content is elsewhere; what stands here is none
	}
	p.link = firstOf(origLink(e.Extensions), alternate(e.Links))
	if p.link == "" && e.Content != nil {
		p.link = e.Content.Src
	}
	if p.link == "" && len(p.enclosures) > 0 {
		p.link = p.enclosures[0].URL
	}
	for _, c := range e.Categories {
		p.file(Category{Term: c.Term, Scheme: c.Scheme, Label: c.Label})
	}
	for _, c := range e.Extensions["dc"]["subject"] {
		p.file(Category{Term: c.Value})
	}
	p.authors = append(p.authors, values(e.Extensions["dc"]["creator"])...)
	fromMedia(&p, e.Extensions["media"])
	terms := e.Extensions["dcterms"]
	p.published = firstDate(e.Published, firstValue(terms["issued"]), firstValue(terms["created"]), firstValue(e.Extensions["dc"]["date"]))
	p.updated = firstDate(e.Updated, firstValue(terms["modified"]))
	return p
}

// alternate is the link that a browser wants: HTML before other types, the first before later ones.
func alternate(links []*atom.Link) string {
	best, href := 0, ""
	for _, l := range links {
		rank := 0
		switch {
		case strings.TrimSpace(l.Href) == "" || !strings.EqualFold(l.Rel, "alternate"):
			continue
		case l.Type == "" || strings.HasPrefix(l.Type, "text/html") || strings.HasPrefix(l.Type, "application/xhtml"):
			rank = 2
		default:
			rank = 1
		}
		if rank > best {
			best, href = rank, l.Href
		}
	}
	return href
}

// origLink is where an item really is when its link leads through a service that counts.
func origLink(extensions ext.Extensions) string {
	link := firstValue(extensions["feedburner"]["origLink"])
	if !isAbsolute(link) {
		return ""
	}
	return link
}

// mediaScheme is the scheme of categories that name none (Media RSS 1.5.1).
const mediaScheme = "http://search.yahoo.com/mrss/category_schema"

// fromMedia takes from Media RSS what the item does not say otherwise: text, categories, files.
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
			p.file(Category{Term: c.Value, Scheme: firstOf(c.Attrs["scheme"], mediaScheme), Label: c.Attrs["label"]})
		}
		for _, c := range group["content"] {
			p.attach(Enclosure{URL: c.Attrs["url"], Type: firstOf(c.Attrs["type"], c.Attrs["medium"]), Length: c.Attrs["fileSize"]})
		}
	}
}

// values are the texts of elements.
func values(extensions []ext.Extension) []string {
	var out []string
	for _, e := range extensions {
		out = append(out, personName(e.Value))
	}
	return out
}

// baseOr is a base, or the other one where there is none.
func baseOr(base, otherwise *url.URL) *url.URL {
	if base != nil {
		return base
	}
	return otherwise
}
