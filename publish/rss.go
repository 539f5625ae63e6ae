package publish

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"html"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/profile"
)

// The RSS 2.0 document. Which elements it has beside those that every consumer reads, and how they are called, the
// profile says; the whole article is in content:encoded.

// element is one element of XML, with a name that may have a prefix.
type element struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	CDATA   string     `xml:",cdata"` // written as it is; the encoder splits "]]>"
	Inner   []element  `xml:",any"`
}

func textElement(name, text string) element {
	return element{XMLName: xml.Name{Local: name}, Text: text}
}

// with is the element with attributes, given as pairs; those with an empty value are left out.
func (e element) with(pairs ...string) element {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			e.Attrs = append(e.Attrs, xml.Attr{Name: xml.Name{Local: pair[0]}, Value: pair[1]})
		}
	}
	return e
}

const (
	contentSpace = "http://purl.org/rss/1.0/modules/content/"
	atomSpace    = "http://www.w3.org/2005/Atom"
)

type rssDocument struct {
	XMLName xml.Name   `xml:"rss"`
	Attrs   []xml.Attr `xml:",any,attr"`
	Channel rssChannel `xml:"channel"`
}

type rssChannel struct {
	Elements []element
	Items    []byte `xml:",innerxml"` // each encoded when it last changed
}

func encodeRSS(c *channel, p *profile.Profile, items [][]byte) ([]byte, error) {
	root := element{}.with("version", "2.0", "xmlns:content", contentSpace, "xmlns:atom", atomSpace)
	for _, space := range p.Namespaces {
		prefix, uri, _ := strings.Cut(space, "=")
		root = root.with("xmlns:"+prefix, uri)
	}
	out, err := xml.Marshal(rssDocument{Attrs: root.Attrs, Channel: rssChannel{channelElements(c, p), bytes.Join(items, nil)}})
	return append([]byte(xml.Header), out...), err
}

func channelElements(c *channel, p *profile.Profile) []element {
	all := []element{
		textElement("title", c.title), textElement("link", c.link), textElement("description", c.description),
	}
	add := func(name, text string) {
		if name != "" && text != "" {
			all = append(all, textElement(name, text))
		}
	}
	add("language", c.language)
	add("copyright", c.copyright)
	for _, name := range p.ChannelDates {
		if !c.changed.IsZero() {
			add(name, rssDate(c.changed, p))
		}
	}
	if p.TTL > 0 {
		add("ttl", strconv.Itoa(p.TTL))
	}
	all = append(all, logo(p.Logo, c.logo, c)...)
	all = append(all, logo(p.DarkLogo, c.darkLogo, c)...)
	if c.self != "" {
		all = append(all, textElement("atom:link", "").with("href", c.self, "rel", "self", "type", "application/rss+xml"))
	}
	if c.hub != "" {
		all = append(all, textElement("atom:link", "").with("href", c.hub, "rel", "hub"))
	}
	return all
}

// logo is the element for a logo, with its URL in an element of its own. That of RSS names the feed as well.
func logo(name, url string, c *channel) []element {
	if name == "" || url == "" {
		return nil
	}
	e := textElement(name, "")
	e.Inner = []element{textElement("url", url)}
	if name == "image" {
		e.Inner = append(e.Inner, textElement("title", c.title), textElement("link", c.link))
	}
	return []element{e}
}

type rssElements struct {
	XMLName  xml.Name `xml:"item"`
	Elements []element
}

func rssItem(e *entry, p *profile.Profile) ([]byte, error) {
	var all []element
	add := func(name, text string) {
		if name != "" && text != "" {
			all = append(all, textElement(name, text))
		}
	}
	add("title", e.title)
	add("link", e.link)
	all = append(all, textElement("guid", e.ids.rss).with("isPermaLink", strconv.FormatBool(e.ids.rss == e.link)))
	if !e.published.IsZero() {
		add("pubDate", rssDate(e.published, p))
	}
	add(p.Modified, isoTime(e.modified))
	add(p.ShortTitle, e.shortTitle)
	for _, author := range e.authors {
		add(p.Author, author)
	}
	for _, c := range e.categories {
		all = append(all, textElement("category", c.Term).with("domain", c.Scheme))
	}
	description := cmp.Or(e.summary, e.description)
	if description == "" && e.title == "" { // an item has one of them
		description = html.EscapeString(cmp.Or(instant.PlainText(e.content, maxStart), e.headline))
	}
	add("description", description)
	all = append(all, rssFiles(e, p)...)
	if e.content != "" {
		content := textElement("content:encoded", "")
		content.CDATA = e.content
		all = append(all, content)
	}
	return xml.Marshal(rssElements{Elements: all})
}

// rssFiles are the elements for the image and the files. An item has one enclosure at most; a source's other files, for
// which RSS has no place, are media:content.
func rssFiles(e *entry, p *profile.Profile) (all []element) {
	enclosed := false
	enclose := func(url, mediaType string, length int64) {
		switch {
		case !enclosed: // length 0: it is not known
			enclosed = true
			all = append(all, textElement("enclosure", "").with("url", url, "length", strconv.FormatInt(length, 10), "type", mediaType))
		case e.allFiles:
			all = append(all, textElement(profile.MediaContent, "").with("url", url, "type", mediaType, "fileSize", positive(length)))
		}
	}
	for _, name := range p.Images {
		switch {
		case e.image.url == "":
		case name == profile.EnclosureImage:
			enclose(e.image.url, e.image.mediaType, e.image.length)
		default:
			image := textElement(name, "").with("url", e.image.url)
			if name == profile.MediaContent {
				image = image.with("type", e.image.mediaType, "medium", "image")
			}
			all = append(all, image.with("width", positive(int64(e.image.width)), "height", positive(int64(e.image.height))))
		}
	}
	for _, file := range e.files {
		enclose(file.URL, file.Type, file.Length)
	}
	return all
}

// positive writes a number above 0; empty: it is not known.
func positive(n int64) string {
	if n <= 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// rssDate writes a date as the consumer reads it; RFC 822 with the four digits of the year that RSS 2.0 prefers.
func rssDate(t time.Time, p *profile.Profile) string {
	if p.Dates == profile.DatesISO8601 {
		return isoTime(t)
	}
	return t.UTC().Format(time.RFC1123Z)
}
