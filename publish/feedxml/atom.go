package feedxml

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"strconv"
	"time"

	"github.com/gorilla/feeds"

	"github.com/feedwire/feedwire/store/feed"
)

// Fields of the structs here hide fields of gorilla/feeds with the same XML name.

type atomFeed struct {
	Title element `xml:"title"`
	feeds.AtomFeed
	Language string `xml:"xml:lang,attr,omitempty"`
	Elements elements
	Links    []feeds.AtomLink `xml:"link"`
	Entries  []byte           `xml:",innerxml"`
}

type atomEntry struct {
	Title element `xml:"title"`
	feeds.AtomEntry
	Attrs      []xml.Attr `xml:",any,attr"`
	People     elements
	Categories elements
	Fields     elements
}

const tombstoneSpace = "http://purl.org/atompub/tombstones/1.0"

func atomDocument(c *Channel, entries [][]byte) ([]byte, error) {
	f := atomFeed{AtomFeed: feeds.AtomFeed{
		Xmlns: atomSpace, Id: cmp.Or(c.Self, c.Link), Logo: c.Logo, Rights: c.Copyright,
		Updated: isoTime(cmp.Or(c.Changed, time.Unix(0, 0))), Icon: c.Icon,
	}, Language: c.Language, Title: plainElement("title", "text", c.Title), Entries: bytes.Join(entries, nil)}
	f.Elements.addPlain("subtitle", "text", c.Description)
	for _, l := range []feeds.AtomLink{
		{Href: c.Self, Rel: "self", Type: "application/atom+xml"}, {Href: c.Hub, Rel: "hub"}, {Href: c.Link, Rel: "alternate", Type: "text/html"},
	} {
		if l.Href != "" {
			f.Links = append(f.Links, l)
		}
	}
	authors := c.Authors
	if len(authors) == 0 {
		authors = []feed.Person{{Name: c.Title}} // of entries without authors (section 4.1.1)
	}
	for _, author := range authors {
		f.Elements = append(f.Elements, personElement("", "author", author))
	}
	f.Elements = append(f.Elements, atomCategories(c.Categories)...)
	f.Elements = append(f.Elements, podcast(c).declare(nil)...)
	for _, d := range c.Deleted {
		f.Elements = append(f.Elements, textElement("at:deleted-entry", "").with("xmlns:at", tombstoneSpace, "ref", d.IDs.Atom, "when", isoTime(d.Time)))
	}
	out, err := xml.Marshal(f)
	return append([]byte(xml.Header), out...), err
}

func atomItem(e *Entry) ([]byte, error) {
	it := atomEntry{AtomEntry: feeds.AtomEntry{
		Id: e.IDs.Atom, Updated: isoTime(e.Modified), Published: isoTime(e.Published),
	}, Title: plainElement("title", "text", cmp.Or(e.Title, e.Headline))}
	if e.Link != "" {
		it.Links = []feeds.AtomLink{{Href: e.Link, Rel: "alternate", Type: "text/html"}}
	}
	if e.Content != "" || e.Summary == "" || e.Link == "" { // required unless there is a summary and a link (section 4.1.2)
		it.Content = &feeds.AtomContent{Type: "html", Content: e.Content}
	}
	switch {
	case e.Summary != "":
		it.Summary = &feeds.AtomSummary{Type: "html", Content: e.Summary}
	case e.Description != "":
		it.Summary = &feeds.AtomSummary{Type: "text", Content: e.Description}
	}
	for _, author := range e.Authors {
		it.People = append(it.People, personElement("", "author", author))
	}
	it.Categories = atomCategories(e.Categories)
	for _, file := range e.withImage() {
		enclosure := feeds.AtomLink{Href: file.URL, Rel: "enclosure", Type: file.Type}
		if file.Length > 0 {
			enclosure.Length = strconv.FormatInt(int64(file.Length), 10)
		}
		it.Links = append(it.Links, enclosure)
	}
	it.addFields(e)
	return xml.Marshal(it)
}

func atomCategories(categories []feed.Category) (all elements) {
	for _, c := range categories {
		all = append(all, textElement("category", "").with("term", c.Term, "scheme", iri(c.Scheme), "label", c.Label))
	}
	return all
}
