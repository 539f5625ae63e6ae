package ingest

import (
	"net/url"
	"strings"

	"github.com/mmcdole/gofeed"
	ext "github.com/mmcdole/gofeed/extensions"
	"github.com/mmcdole/gofeed/rss"

	"github.com/feedwire/feedwire/store/feed"
)

// readRSS reads RSS 0.9 to 2.0, RDF among them. parsed is what the parser's common form makes of it.
func (n *normalised) readRSS(parsed *gofeed.Feed, f *rss.Feed) reading {
	base := n.shape.head.base
	r := reading{
		format: strings.TrimSpace("RSS " + f.Version),
		base:   base,
		about: feed.About{
			Title:       plainText(parsed.Title),
			Description: plainText(firstOf(parsed.Description, subtitle(f.Extensions))),
			Link:        firstLink(base, append(f.Links, parsed.Link)),
			Language:    firstOf(parsed.Language, n.shape.head.language),
		},
	}
	for _, l := range atomElements(f.Extensions, "link") {
		r.hints.link(l.Attrs["rel"], resolve(base, l.Attrs["href"]))
	}
	r.hints.ttl(f.TTL)
	r.hints.skip(f.SkipHours, f.SkipDays)
	r.hints.syndication(f.Extensions["sy"])
	for i, item := range f.Items {
		r.posts = append(r.posts, n.readItem(parsed.Items[i], item, n.shape.at(i, base)))
	}
	return r
}

// readItem takes texts from the document itself, and the rest from wherever the many modules of RSS put it.
func (n *normalised) readItem(parsed *gofeed.Item, item *rss.Item, o outlined) post {
	p := post{
		title:   firstOf(o.title.text(n.text), parsed.Title, firstValue(item.Extensions["media"]["title"])),
		content: firstOf(o.content.text(n.text), parsed.Content, item.Custom["fullitem"]),
		summary: firstOf(o.description.text(n.text), parsed.Description, subtitle(item.Extensions)),
		base:    o.base, contentBase: o.content.base, sumBase: o.description.base,
		language: firstOf(o.language, firstValue(item.Extensions["dc"]["language"])),
	}
	if summary := o.summary.text(n.text); summary != "" {
		if p.content == "" { // what is shorter is the summary
			p.content, p.contentBase = p.summary, p.sumBase
		}
		p.summary, p.sumBase = summary, o.summary.base
	}
	if item.GUID != nil {
		p.guid = strings.TrimSpace(item.GUID.Value)
		p.opaque = strings.EqualFold(strings.TrimSpace(item.GUID.IsPermalink), "false")
	}
	p.guid = firstOf(p.guid, o.about)
	for _, e := range item.Enclosures {
		p.attach(Enclosure{URL: e.URL, Type: e.Type, Length: e.Length})
	}
	for _, l := range atomElements(item.Extensions, "link") {
		if l.Attrs["rel"] == "enclosure" {
			p.attach(Enclosure{URL: l.Attrs["href"], Type: l.Attrs["type"], Length: l.Attrs["length"]})
		}
	}
	p.link = linkOf(item, o)
	p.authors = itemAuthors(item)
	for _, c := range item.Categories {
		p.file(Category{Term: c.Value, Scheme: c.Domain})
	}
	for _, c := range item.Extensions["dc"]["subject"] {
		p.file(Category{Term: c.Value})
	}
	for _, c := range atomElements(item.Extensions, "category") {
		p.file(Category{Term: c.Attrs["term"], Scheme: c.Attrs["scheme"], Label: c.Attrs["label"]})
	}
	fromITunes(&p, item.Extensions["itunes"])
	for word := range strings.FieldsSeq(item.Custom["tags"]) {
		p.file(Category{Term: word})
	}
	fromMedia(&p, item.Extensions["media"])
	if p.link == "" && len(p.enclosures) > 0 {
		p.link = p.enclosures[0].URL
	}
	p.readDates(item)
	return p
}

// readDates reads when an item came out and when it changed. dc:date is the one where there is no pubDate.
func (p *post) readDates(item *rss.Item) {
	dc, terms := item.Extensions["dc"], item.Extensions["dcterms"]
	atom := func(name string) string { return firstValue(atomElements(item.Extensions, name)) }
	p.published = firstDate(item.PubDate, firstValue(terms["issued"]), atom("published"), atom("issued"),
		firstValue(dc["date"]), firstValue(terms["created"]), firstValue(terms["available"]), item.Custom["published"],
		item.Custom["date"], item.Custom["pubdate"])
	p.updated = firstDate(atom("updated"), atom("modified"), firstValue(terms["modified"]), firstValue(dc["date"]),
		item.Custom["updated"], item.Custom["lastBuildDate"])
}

// linkOf is the page of an item: its link, that of the Atom module, a guid that is one, the name of an RDF item.
func linkOf(item *rss.Item, o outlined) string {
	if link := firstOf(origLink(item.Extensions), firstLink(o.base, item.Links)); link != "" {
		return link
	}
	for _, l := range atomElements(item.Extensions, "link") {
		if rel := l.Attrs["rel"]; (rel == "" || rel == "alternate") && l.Attrs["href"] != "" {
			return l.Attrs["href"]
		}
	}
	if item.GUID != nil && !strings.EqualFold(strings.TrimSpace(item.GUID.IsPermalink), "false") && isAbsolute(item.GUID.Value) {
		return item.GUID.Value
	}
	if isAbsolute(o.about) {
		return o.about
	}
	return ""
}

// firstLink is the first of several that leads to the web.
func firstLink(base *url.URL, links []string) string {
	for _, link := range links {
		if resolved := resolve(base, link); resolved != "" {
			return resolved
		}
	}
	return ""
}

// itemAuthors are all people that an item names.
func itemAuthors(item *rss.Item) []string {
	var out []string
	if item.Author != "" {
		out = append(out, personName(item.Author))
	}
	for _, name := range []string{"creator", "author"} {
		out = append(out, values(item.Extensions["dc"][name])...)
	}
	for _, a := range atomElements(item.Extensions, "author") {
		out = append(out, firstOf(firstValue(a.Children["name"]), firstValue(a.Children["email"]), a.Value))
	}
	if len(out) == 0 {
		out = values(item.Extensions["itunes"]["author"])
	}
	return out
}

// fromITunes files the words that a podcast gives.
func fromITunes(p *post, itunes map[string][]ext.Extension) {
	for _, c := range itunes["category"] {
		p.file(Category{Term: c.Attrs["text"], Scheme: "http://www.itunes.com/"})
		for _, sub := range c.Children["category"] {
			p.file(Category{Term: sub.Attrs["text"], Scheme: "http://www.itunes.com/"})
		}
	}
	keywords := firstValue(itunes["keywords"])
	separator := ","
	if !strings.Contains(keywords, separator) {
		separator = " "
	}
	for word := range strings.SplitSeq(keywords, separator) {
		p.file(Category{Term: word, Scheme: "http://www.itunes.com/"})
	}
}

// subtitle is what a podcast says of itself in few words.
func subtitle(extensions ext.Extensions) string {
	return firstOf(firstValue(extensions["itunes"]["summary"]), firstValue(extensions["itunes"]["subtitle"]))
}

// atomElements are elements of Atom within RSS, of either version.
func atomElements(extensions ext.Extensions, name string) []ext.Extension {
	if elements := extensions["atom"][name]; len(elements) > 0 {
		return elements
	}
	if elements := extensions["atom10"][name]; len(elements) > 0 { // a prefix that nobody declared
		return elements
	}
	return extensions["atom03"][name]
}
