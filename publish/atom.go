package publish

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"strconv"
	"time"

	"github.com/gorilla/feeds"

	"github.com/feedwire/feedwire/publish/profile"
)

// The Atom document (RFC 4287). gorilla/feeds has its elements but one link of the feed, and one author and category of
// an entry; where ours have the same name they stand for its own.

type atomFeed struct {
	feeds.AtomFeed
	Language string           `xml:"xml:lang,attr,omitempty"`
	Links    []feeds.AtomLink `xml:"link"`
	Entries  []byte           `xml:",innerxml"` // each encoded when it last changed
}

type atomEntry struct {
	feeds.AtomEntry
	Authors    []feeds.AtomAuthor
	Categories []atomCategory
}

type atomCategory struct {
	XMLName xml.Name `xml:"category"`
	Term    string   `xml:"term,attr"`
	Scheme  string   `xml:"scheme,attr,omitempty"`
	Label   string   `xml:"label,attr,omitempty"`
}

func encodeAtom(c *channel, _ *profile.Profile, items [][]byte) ([]byte, error) {
	f := atomFeed{AtomFeed: feeds.AtomFeed{
		Xmlns: atomSpace, Title: c.title, Id: cmp.Or(c.self, c.link), Subtitle: c.description, Logo: c.logo, Rights: c.copyright,
		Updated: isoTime(later(c.changed, time.Unix(0, 0))),
		Author:  &feeds.AtomAuthor{AtomPerson: feeds.AtomPerson{Name: c.title}}, // of entries that name none
	}, Language: c.atomLanguage, Entries: bytes.Join(items, nil)}
	for _, l := range []feeds.AtomLink{
		{Href: c.self, Rel: "self", Type: "application/atom+xml"}, {Href: c.hub, Rel: "hub"}, {Href: c.link, Rel: "alternate", Type: "text/html"},
	} {
		if l.Href != "" {
			f.Links = append(f.Links, l)
		}
	}
	out, err := xml.Marshal(f)
	return append([]byte(xml.Header), out...), err
}

func atomItem(e *entry, _ *profile.Profile) ([]byte, error) {
	it := atomEntry{AtomEntry: feeds.AtomEntry{
		Title: cmp.Or(e.title, e.headline), Id: e.ids.atom, Updated: isoTime(e.modified),
	}}
	if !e.published.IsZero() {
		it.Published = isoTime(e.published)
	}
	if e.link != "" {
		it.Links = []feeds.AtomLink{{Href: e.link, Rel: "alternate", Type: "text/html"}}
	}
	if e.content != "" || e.summary == "" || e.link == "" { // else the summary is all there is (section 4.1.2)
		it.Content = &feeds.AtomContent{Type: "html", Content: e.content}
	}
	switch {
	case e.summary != "":
		it.Summary = &feeds.AtomSummary{Type: "html", Content: e.summary}
	case e.description != "":
		it.Summary = &feeds.AtomSummary{Type: "text", Content: e.description}
	}
	for _, name := range e.authors {
		it.Authors = append(it.Authors, feeds.AtomAuthor{AtomPerson: feeds.AtomPerson{Name: name}})
	}
	for _, c := range e.categories {
		it.Categories = append(it.Categories, atomCategory{Term: c.Term, Scheme: iri(c.Scheme), Label: c.Label})
	}
	if e.image.url != "" {
		it.Links = append(it.Links, feeds.AtomLink{Href: e.image.url, Rel: "enclosure", Type: e.image.mediaType})
	}
	for _, file := range e.files {
		enclosure := feeds.AtomLink{Href: file.URL, Rel: "enclosure", Type: file.Type}
		if file.Length > 0 {
			enclosure.Length = strconv.FormatInt(file.Length, 10)
		}
		it.Links = append(it.Links, enclosure)
	}
	return xml.Marshal(it)
}
