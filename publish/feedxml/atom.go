package feedxml

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"strconv"
	"time"

	"github.com/gorilla/feeds"
)

// Fields of the structs here hide fields of gorilla/feeds with the same XML name.

type atomFeed struct {
	feeds.AtomFeed
	Language string           `xml:"xml:lang,attr,omitempty"`
	Links    []feeds.AtomLink `xml:"link"`
	Entries  []byte           `xml:",innerxml"`
}

type atomEntry struct {
	feeds.AtomEntry
	Attrs      []xml.Attr `xml:",any,attr"`
	Authors    []feeds.AtomAuthor
	Categories []atomCategory
	Fields     elements
}

type atomCategory struct {
	XMLName xml.Name `xml:"category"`
	Term    string   `xml:"term,attr"`
	Scheme  string   `xml:"scheme,attr,omitempty"`
	Label   string   `xml:"label,attr,omitempty"`
}

func atomDocument(c *Channel, entries [][]byte) ([]byte, error) {
	f := atomFeed{AtomFeed: feeds.AtomFeed{
		Xmlns: atomSpace, Title: c.Title, Id: cmp.Or(c.Self, c.Link), Subtitle: c.Description, Logo: c.Logo, Rights: c.Copyright,
		Updated: isoTime(cmp.Or(c.Changed, time.Unix(0, 0))),
		Author:  atomAuthor(c.Title), // of entries without authors (section 4.1.1)
	}, Language: c.Language, Entries: bytes.Join(entries, nil)}
	for _, l := range []feeds.AtomLink{
		{Href: c.Self, Rel: "self", Type: "application/atom+xml"}, {Href: c.Hub, Rel: "hub"}, {Href: c.Link, Rel: "alternate", Type: "text/html"},
	} {
		if l.Href != "" {
			f.Links = append(f.Links, l)
		}
	}
	out, err := xml.Marshal(f)
	return append([]byte(xml.Header), out...), err
}

func atomItem(e *Entry) ([]byte, error) {
	it := atomEntry{AtomEntry: feeds.AtomEntry{
		Title: cmp.Or(e.Title, e.Headline), Id: e.IDs.Atom, Updated: isoTime(e.Modified), Published: isoTime(e.Published),
	}}
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
	for _, name := range e.Authors {
		it.Authors = append(it.Authors, *atomAuthor(name))
	}
	for _, c := range e.Categories {
		it.Categories = append(it.Categories, atomCategory{Term: c.Term, Scheme: iri(c.Scheme), Label: c.Label})
	}
	if e.Image.URL != "" {
		it.Links = append(it.Links, feeds.AtomLink{Href: e.Image.URL, Rel: "enclosure", Type: e.Image.MediaType})
	}
	for _, file := range e.Files {
		enclosure := feeds.AtomLink{Href: file.URL, Rel: "enclosure", Type: file.Type}
		if file.Length > 0 {
			enclosure.Length = strconv.FormatInt(file.Length, 10)
		}
		it.Links = append(it.Links, enclosure)
	}
	it.addFields(e)
	return xml.Marshal(it)
}

func atomAuthor(name string) *feeds.AtomAuthor {
	return &feeds.AtomAuthor{AtomPerson: feeds.AtomPerson{Name: name}}
}
