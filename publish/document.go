package publish

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// The RSS 2.0 document in the form that the consumer of Instant Articles reads: dates in ISO 8601, authors by name and
// one element each, the whole article in content:encoded.

type rss struct {
	XMLName xml.Name `xml:"rss"`
	Version string   `xml:"version,attr"`
	Content string   `xml:"xmlns:content,attr"`
	Atom    string   `xml:"xmlns:atom,attr"`
	Channel channel  `xml:"channel"`
}

type channel struct {
	Title         string `xml:"title"`
	Link          string `xml:"link"`
	Description   string `xml:"description"`
	Language      string `xml:"language,omitempty"`
	LastBuildDate string `xml:"lastBuildDate,omitempty"`
	Links         []link `xml:"atom:link"`
	Items         []byte `xml:",innerxml"` // each encoded when it last changed
}

type link struct {
	Href string `xml:"href,attr"`
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr,omitempty"`
}

type rssItem struct {
	XMLName     xml.Name `xml:"item"`
	Title       string   `xml:"title"`
	Link        string   `xml:"link"`
	GUID        guid     `xml:"guid"`
	PubDate     string   `xml:"pubDate"`
	Authors     []string `xml:"author"`
	Description string   `xml:"description,omitempty"`
	Content     cdata    `xml:"content:encoded"`
}

type guid struct {
	IsPermaLink bool   `xml:"isPermaLink,attr"`
	Value       string `xml:",chardata"`
}

// cdata is written as it is; the encoder splits "]]>", and nothing but XML characters may be in it.
type cdata struct {
	Text string `xml:",cdata"`
}

const (
	contentSpace = "http://purl.org/rss/1.0/modules/content/"
	atomSpace    = "http://www.w3.org/2005/Atom"
	mediaType    = "application/rss+xml"
)

func (c channel) encode() ([]byte, error) {
	out, err := xml.Marshal(rss{Version: "2.0", Content: contentSpace, Atom: atomSpace, Channel: c})
	return append([]byte(xml.Header), out...), err
}

// checkItems reads a document as a strict consumer would. It returns an error where that fails or gives another number
// of items: no consumer should see such a document.
func checkItems(document []byte, want int) error {
	d := xml.NewDecoder(bytes.NewReader(document))
	depth, items := 0, 0
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && items != want:
			return fmt.Errorf("the rendered feed reads as %d items, not %d", items, want)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read the rendered feed again: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth == 3 && t.Name.Local == "item" {
				items++
			}
		case xml.EndElement:
			depth--
		}
	}
}
