package parser

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mmcdole/gofeed/atom"
	ext "github.com/mmcdole/gofeed/extensions"
	"github.com/mmcdole/gofeed/rss"

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// readRSS reads RSS 0.9 to 2.0, including RDF.
func readRSS(doc *mend.Document, f *rss.Feed) reading {
	base, dc := doc.Head.Base, f.Extensions["dc"]
	r := reading{Parsed: Parsed{Base: base.String()}}
	r.Document.Format = strings.TrimSpace("RSS " + f.Version)
	r.Document.About = feed.About{
		Title:       plainText(firstOf(f.Title, firstValue(dc["title"]))),
		Description: plainText(firstOf(f.Description, subtitle(f.Extensions))),
		Link:        firstLink(base, slices.Concat(f.Links, pageLinks(f.Extensions))),
		Language:    firstOf(f.Language, firstValue(dc["language"]), doc.Head.Language),
	}
	channel := &post{base: base, authors: append(personsOf(f.ManagingEditor), personsIn(slices.Concat(dc["creator"], dc["author"]))...)}
	channel.authors = append(channel.authors, atomPersonsIn(atomElements(f.Extensions, "author"))...)
	if len(channel.authors) == 0 {
		channel.authors = personsIn(f.Extensions["itunes"]["author"])
	}
	channel.readShow(&r.Document.About, f.Extensions)
	for _, c := range f.Categories {
		channel.addCategory(feed.Category{Term: c.Value, Scheme: c.Domain})
	}
	for _, c := range dc["subject"] {
		channel.addCategory(feed.Category{Term: c.Value})
	}
	channel.addMediaCategories(f.Extensions["media"])
	image := extensionAt(f.Extensions, locationOf("itunes:image@href"))
	if f.Image != nil {
		image = firstOf(f.Image.URL, image)
	}
	channel.describeFeed(&r.Document.About, image, extensionAt(f.Extensions, locationOf("atom:icon")), firstOf(f.Copyright, firstValue(dc["rights"])))
	r.Hints.TTL = spanOf(f.TTL, time.Minute)
	r.Hints.skip(f.SkipHours, f.SkipDays)
	r.Hints.syndication(f.Extensions["sy"])
	for i, item := range f.Items {
		r.posts = append(r.posts, readItem(item, doc.Item(i)))
	}
	return r
}

// readItem takes texts from the outline and the rest from the item and the many modules of RSS.
func readItem(item *rss.Item, o mend.Item) *post {
	dc := item.Extensions["dc"]
	p := &post{
		title: firstOf(o.Title.String(), item.Title, firstValue(dc["title"]), firstValue(item.Extensions["media"]["title"]),
			firstValue(item.Extensions["itunes"]["title"])),
		content: firstOf(o.Content.String(), item.Content, firstValue(atomElements(item.Extensions, "content")), item.Custom["fullitem"],
			contentItem(item.Extensions["content"])),
		summary: firstOf(o.Description.String(), item.Description, firstValue(dc["description"]), firstValue(item.Extensions["dcterms"]["abstract"]),
			subtitle(item.Extensions), firstValue(atomElements(item.Extensions, "summary"))),
		base: o.Base, contentBase: o.Content.Base, sumBase: o.Description.Base,
		language: o.Language,
	}
	if summary := o.Summary.String(); summary != "" {
		if p.content == "" { // the description is the longer text
			p.content, p.contentBase = p.summary, p.sumBase
		}
		p.summary, p.sumBase = summary, o.Summary.Base
	}
	if item.GUID != nil {
		p.guid = strings.TrimSpace(item.GUID.Value)
		p.opaque = strings.EqualFold(strings.TrimSpace(item.GUID.IsPermalink), "false")
	}
	p.guid = firstOf(p.guid, o.About)
	for _, e := range item.Enclosures {
		p.addEnclosure(enclosure{URL: e.URL, Type: e.Type, Length: e.Length})
	}
	for _, e := range item.Extensions["enc"]["enclosure"] { // of RSS 1.0
		p.addEnclosure(enclosure{URL: firstOf(e.Attrs["resource"], e.Attrs["url"]), Type: e.Attrs["type"], Length: e.Attrs["length"]})
	}
	for _, l := range atomLinks(item.Extensions) {
		if l.Rel == "enclosure" {
			p.addEnclosure(enclosure{URL: l.Href, Type: l.Type, Length: l.Length})
		}
	}
	p.link = linkOf(item, o)
	p.authors = itemAuthors(item, o)
	for _, c := range item.Categories {
		p.addCategory(feed.Category{Term: c.Value, Scheme: c.Domain})
	}
	for _, c := range dc["subject"] {
		p.addCategory(feed.Category{Term: c.Value})
	}
	for _, c := range atomElements(item.Extensions, "category") {
		p.addCategory(feed.Category{Term: c.Attrs["term"], Scheme: c.Attrs["scheme"], Label: c.Attrs["label"]})
	}
	p.readITunes(item.Extensions["itunes"])
	for word := range strings.FieldsSeq(item.Custom["tags"]) {
		p.addCategory(feed.Category{Term: word})
	}
	p.readMedia(item.Extensions["media"])
	p.readPodcast(item.Extensions["podcast"], item.Extensions["psc"])
	if p.link == "" && len(p.enclosures) > 0 {
		p.link = p.enclosures[0].URL
	}
	p.contributors = append(atomPersonsIn(atomElements(item.Extensions, "contributor")), personsIn(dc["contributor"])...)
	p.readRSSFields(item)
	if image := firstOf(between(item.Custom["image"], "<url>", "</url>"), item.Custom["image"]); isAbsolute(image) {
		p.setMissing("image", image)
	}
	p.readSource(item.Extensions)
	p.readGeo(item.Extensions)
	p.readDates(item)
	return p
}

// readDates reads the dates of publication and of the last change. Without a pubDate, dc:date is the former.
func (p *post) readDates(item *rss.Item) {
	dc, terms := item.Extensions["dc"], item.Extensions["dcterms"]
	inAtom := func(name string) string { return firstValue(atomElements(item.Extensions, name)) }
	p.published = firstDate(item.PubDate, firstValue(terms["issued"]), inAtom("published"), inAtom("issued"),
		firstValue(dc["date"]), firstValue(terms["created"]), firstValue(terms["available"]), item.Custom["published"],
		item.Custom["date"], item.Custom["pubdate"])
	p.updated = firstDate(inAtom("updated"), inAtom("modified"), firstValue(terms["modified"]), firstValue(dc["date"]),
		item.Custom["updated"], item.Custom["lastBuildDate"])
}

// linkOf returns the page of an item: its link, an Atom link, a guid that is a URL, or rdf:about.
func linkOf(item *rss.Item, o mend.Item) string {
	link := firstOf(origLink(item.Extensions), firstLink(o.Base, slices.Concat(item.Links, pageLinks(item.Extensions))))
	switch {
	case link != "":
		return link
	case item.GUID != nil && !strings.EqualFold(strings.TrimSpace(item.GUID.IsPermalink), "false") && isAbsolute(item.GUID.Value):
		return item.GUID.Value
	case isAbsolute(o.About):
		return o.About
	}
	return ""
}

// pageLinks returns the addresses of the Atom links to a page.
func pageLinks(extensions ext.Extensions) (all []string) {
	for _, l := range atomLinks(extensions) {
		if l.Rel == "alternate" {
			all = append(all, l.Href)
		}
	}
	return all
}

// atomLinks returns the Atom links within RSS.
func atomLinks(extensions ext.Extensions) (all []*atom.Link) {
	for _, l := range atomElements(extensions, "link") {
		all = append(all, &atom.Link{
			Href: l.Attrs["href"], Rel: relation(firstOf(l.Attrs["rel"], "alternate")), Type: l.Attrs["type"], Length: l.Attrs["length"],
		})
	}
	return all
}

// firstLink returns the first http or https URL, or "".
func firstLink(base *url.URL, links []string) string {
	for _, link := range links {
		if resolved := mend.Resolve(base, link); resolved != "" {
			return resolved
		}
	}
	return ""
}

// itemAuthors returns all authors of an item.
func itemAuthors(item *rss.Item, o mend.Item) (all []feed.Person) {
	for _, author := range o.Authors {
		all = append(all, personsOf(author.String())...)
	}
	for _, name := range []string{"creator", "author"} {
		all = append(all, personsIn(item.Extensions["dc"][name])...)
	}
	all = append(all, personsIn(item.Extensions["dcterms"]["creator"])...)
	all = append(all, atomPersonsIn(atomElements(item.Extensions, "author"))...)
	if len(all) == 0 {
		all = personsIn(item.Extensions["itunes"]["author"])
	}
	return all
}

// readSource reads the feed or the work that an item was taken from, which RSS's own element did not name.
func (p *post) readSource(extensions ext.Extensions) {
	for _, source := range atomElements(extensions, "source") {
		p.setMissing("source_title", firstValue(source.Children["title"]))
		for _, l := range source.Children["link"] {
			p.setMissing("source_url", l.Attrs["href"])
		}
	}
	if source := firstValue(extensions["dc"]["source"]); isAbsolute(source) {
		p.setMissing("source_url", source)
	} else {
		p.setMissing("source_title", source)
	}
}

// readITunes adds the categories and keywords of a podcast.
func (p *post) readITunes(itunes elements) {
	for _, l := range itunes["link"] { // the element of old podcasts
		if l.Attrs["rel"] == "image" {
			p.setMissing("image", l.Attrs["href"])
		}
	}
	p.addITunesCategories(itunes["category"])
	p.addKeywords(itunes["keywords"], feed.SchemeITunes)
}

// addKeywords adds words that are separated by commas or, without any comma, by blanks.
func (p *post) addKeywords(keywords []ext.Extension, scheme string) {
	text, separator := firstValue(keywords), ","
	if !strings.Contains(text, separator) {
		separator = " "
	}
	for word := range strings.SplitSeq(text, separator) {
		p.addCategory(feed.Category{Term: word, Scheme: scheme})
	}
}

func (p *post) addITunesCategories(categories []ext.Extension) {
	for _, c := range categories {
		p.addCategory(feed.Category{Term: c.Attrs["text"], Scheme: feed.SchemeITunes})
		for _, sub := range c.Children["category"] {
			p.addCategory(feed.Category{Term: sub.Attrs["text"], Scheme: feed.SchemeITunes, Parent: c.Attrs["text"]})
		}
	}
}

// readShow reads what a feed says about a podcast as a whole. Its keywords are not categories of Apple's directory.
func (p *post) readShow(about *feed.About, extensions ext.Extensions) {
	itunes := extensions["itunes"]
	p.addITunesCategories(itunes["category"])
	p.addKeywords(itunes["keywords"], "")
	for _, owner := range itunes["owner"][:min(len(itunes["owner"]), 1)] {
		about.Owner = p.bounded(plainText(firstValue(owner.Children["name"])))
		about.OwnerEmail = addressIn(firstValue(owner.Children["email"]))
	}
	about.Type = p.bounded(mend.Line(firstValue(itunes["type"])))
	about.Explicit = feed.Answer(feed.FieldNamed("explicit").Normalise(mend.Line(firstValue(itunes["explicit"]))))
	p.readPodcast(extensions["podcast"], nil)
	about.Persons = p.cleanPersons(p.persons, maxAuthors, feed.FindingField)
}

// contentItem returns the first text of content:items, the older form of the content module of RSS 1.0.
func contentItem(content elements) string {
	for _, items := range content["items"] {
		for _, bag := range items.Children["Bag"] {
			for _, li := range bag.Children["li"] {
				for _, item := range li.Children["item"] {
					if text := firstValue(item.Children["value"]); text != "" {
						return text
					}
				}
			}
		}
	}
	return ""
}

// subtitle returns the summary or the subtitle of a podcast.
func subtitle(extensions ext.Extensions) string {
	return firstOf(firstValue(extensions["itunes"]["summary"]), firstValue(extensions["itunes"]["subtitle"]))
}

// atomElements returns elements of Atom 1.0 or 0.3 within RSS.
func atomElements(extensions ext.Extensions, name string) []ext.Extension {
	for _, prefix := range []string{"atom", "atom10", "atom03"} { // atom10 is an undeclared prefix
		if elements := extensions[prefix][name]; len(elements) > 0 {
			return elements
		}
	}
	return nil
}
