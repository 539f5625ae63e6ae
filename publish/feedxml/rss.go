package feedxml

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	contentSpace = "http://purl.org/rss/1.0/modules/content/"
	atomSpace    = "http://www.w3.org/2005/Atom"
)

// rss writes RSS as a profile requires it.
type rss struct{ *profile.Profile }

type rssDocument struct {
	XMLName xml.Name   `xml:"rss"`
	Attrs   []xml.Attr `xml:",any,attr"`
	Channel rssChannel `xml:"channel"`
}

type rssChannel struct {
	Elements elements
	Items    []byte `xml:",innerxml"`
}

func (d rss) document(c *Channel, items [][]byte) ([]byte, error) {
	root := element{}.with("version", "2.0", "xmlns:content", contentSpace, "xmlns:atom", atomSpace)
	for _, space := range d.Namespaces {
		prefix, uri, _ := strings.Cut(space, "=")
		root = root.with("xmlns:"+prefix, uri)
	}
	out, err := xml.Marshal(rssDocument{Attrs: root.Attrs, Channel: rssChannel{d.channel(c), bytes.Join(items, nil)}})
	return append([]byte(xml.Header), out...), err
}

func (d rss) channel(c *Channel) elements {
	all := elements{textElement("title", asHTML(c.Title)), textElement("link", c.Link), textElement("description", asHTML(c.Description))}
	all.add("language", c.Language)
	all.add("copyright", c.Copyright)
	for _, name := range d.ChannelDates {
		all.add(name, d.date(c.Changed))
	}
	if d.TTL > 0 {
		all.add("ttl", strconv.Itoa(d.TTL))
	}
	for _, author := range c.Authors {
		all.add(d.Author, author.Name)
		if hasDetails(author) {
			all = append(all, personElement("atom:", "author", author))
		}
	}
	all = append(all, d.categories(c.Categories)...)
	all.addLogo(d.Logo, c.Logo, c)
	all.add("atom:icon", c.Icon)
	all.addLogo(d.DarkLogo, c.DarkLogo, c)
	all = append(all, podcast(c).declare(d.Namespaces)...)
	if c.Self != "" {
		all = append(all, textElement("atom:link", "").with("href", c.Self, "rel", "self", "type", "application/rss+xml"))
	}
	if c.Hub != "" {
		all = append(all, textElement("atom:link", "").with("href", c.Hub, "rel", "hub"))
	}
	return all
}

// categories returns the categories. RSS has no labels, so a category with a label is also one of Media RSS.
func (d rss) categories(categories []feed.Category) (all elements) {
	for _, c := range categories {
		all = append(all, textElement("category", c.Term).with("domain", c.Scheme))
	}
	for _, c := range categories {
		if c.Label != "" {
			all = append(all, textElement("media:category", c.Term).with("scheme", c.Scheme, "label", c.Label))
		}
	}
	return all.declare(d.Namespaces)
}

// podcast returns what directories of podcasts read of a channel.
func podcast(c *Channel) (all elements) {
	p := c.Podcast
	if p == nil {
		return nil
	}
	all.add("itunes:author", p.Author)
	all.add("itunes:explicit", string(p.Explicit))
	if c.Logo != "" {
		all = append(all, textElement("itunes:image", "").with("href", c.Logo))
	}
	for _, c := range p.Categories {
		if c.Parent == "" {
			all = append(all, appleCategory(c.Term, p.Categories))
		}
	}
	if p.Owner+p.OwnerEmail != "" {
		var owner elements
		owner.add("itunes:name", p.Owner)
		owner.add("itunes:email", p.OwnerEmail)
		all = append(all, element{XMLName: xml.Name{Local: "itunes:owner"}, Inner: owner})
	}
	all.add("itunes:type", p.Type)
	return append(all, personElements(p.Persons)...)
}

// appleCategory returns a category with its subcategories.
func appleCategory(term string, categories []feed.Category) element {
	e := textElement("itunes:category", "").with("text", term)
	for _, c := range categories {
		if c.Parent == term {
			e.Inner = append(e.Inner, textElement("itunes:category", "").with("text", c.Term))
		}
	}
	return e
}

// addLogo appends a logo, whose URL is an element of its own. RSS's image element names the feed as well.
func (all *elements) addLogo(name, url string, c *Channel) {
	if name == "" || url == "" {
		return
	}
	logo := textElement(name, "")
	logo.Inner = []element{textElement("url", url)}
	if name == "image" {
		logo.Inner = append(logo.Inner, textElement("title", asHTML(c.Title)), textElement("link", c.Link))
	}
	*all = append(*all, logo)
}

func (d rss) item(e *Entry) ([]byte, error) {
	var all elements
	all.add("title", asHTML(e.Title))
	all.add("link", e.Link)
	all = append(all, textElement("guid", e.IDs.RSS).with("isPermaLink", strconv.FormatBool(e.IDs.RSS == e.Link)))
	all.add("pubDate", d.date(e.Published))
	all.add(d.Modified, isoTime(e.Modified))
	all.add(d.ShortTitle, asHTML(e.ShortTitle))
	for _, author := range e.Authors {
		all.add(d.Author, author.Name)
	}
	all = append(all, d.categories(e.Categories)...)
	for _, c := range d.Constants {
		name, text, _ := strings.Cut(c, "=")
		all.add(name, text)
	}
	description := cmp.Or(e.Summary, asHTML(e.Description))
	if description == "" && e.Title == "" { // an item has one of them
		description = asHTML(cmp.Or(e.Excerpt, e.Headline))
	}
	all.add("description", description)
	all = append(all, d.files(e)...)
	all = append(all, d.fields(e)...)
	all.addHTML("content:encoded", e.Content)
	all.addHTML(d.Advertisement, e.Advertisement)
	all.addHTML(d.Analytics, e.Analytics)
	return xml.Marshal(element{XMLName: xml.Name{Local: "item"}, Inner: all})
}

// files returns the elements for the image and the files. An item has at most one enclosure; further files, and those with
// details, are media:content.
func (d rss) files(e *Entry) (all elements) {
	enclosed := false
	enclose := func(file feed.Enclosure) {
		alone := !enclosed
		if alone {
			enclosed = true // RSS requires a length; 0 means unknown
			all = append(all, textElement("enclosure", "").with("url", file.URL, "length", strconv.FormatInt(int64(file.Length), 10), "type", file.Type))
		}
		if e.AllFiles && (!alone || file.HasDetails()) {
			all = append(all, fileElement(file))
		}
	}
	for _, name := range d.Images {
		switch {
		case e.Image.URL == "":
		case name == enclosureImage:
			enclose(e.Image)
		case name == mediaContent:
			all = append(all, d.image(e))
		default:
			image := textElement(name, "").with("url", e.Image.URL)
			all = append(all, image.with("width", positive(e.Image.Width), "height", positive(e.Image.Height)))
		}
	}
	for _, file := range e.Files {
		if d.Video != "" && file.Is("video") {
			if !slices.ContainsFunc(all, func(el element) bool { return el.XMLName.Local == d.Video }) {
				all = append(all, textElement(d.Video, "").with("url", file.URL, "caption", cmp.Or(file.Title, file.Description)))
			}
			continue
		}
		if file.URL != e.Image.URL || !slices.Contains(d.Images, mediaContent) {
			enclose(file)
		}
	}
	return all
}

// image returns media:content for the main image, with what the consumer has elements of its own for.
func (d rss) image(e *Entry) element {
	el := fileElement(e.Image).with("medium", "image")
	texts := elements(el.Inner)
	if d.ImageText != "" {
		texts.addPlain(d.ImageText, "plain", e.ImageText)
	}
	if d.ImageRights != "" && e.Feed.SyndicationRights {
		texts.add(d.ImageRights, "1")
	}
	el.Inner = texts
	return el
}

// date formats a time as the consumer reads it, by default as RFC 822 with the four-digit year that RSS 2.0 prefers.
func (d rss) date(t time.Time) string {
	if t.IsZero() || d.Dates == profile.DatesISO8601 {
		return isoTime(t)
	}
	return t.UTC().Format(time.RFC1123Z)
}

// isoTime formats a time as RFC 3339; the zero time is empty.
func isoTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
