package feedxml

import (
	"bytes"
	"encoding/xml"
	"strings"
)

const (
	sitemapSpace = "http://www.sitemaps.org/schemas/sitemap/0.9"
	newsSpace    = "http://www.google.com/schemas/sitemap-news/0.9"
)

type urlSet struct {
	XMLName xml.Name `xml:"urlset"`
	Space   string   `xml:"xmlns,attr"`
	News    string   `xml:"xmlns:news,attr"`
	URLs    []byte   `xml:",innerxml"`
}

// sitemapDocument encodes a sitemap, which does not describe the feed: each entry does.
func sitemapDocument(_ *Channel, entries [][]byte) ([]byte, error) {
	out, err := xml.Marshal(urlSet{Space: sitemapSpace, News: newsSpace, URLs: bytes.Join(entries, nil)})
	return append([]byte(xml.Header), out...), err
}

func sitemapItem(e *Entry) ([]byte, error) {
	publication, news, url := textElement("news:publication", ""), textElement("news:news", ""), textElement("url", "")
	publication.Inner = elements{textElement("news:name", e.Feed.Title), textElement("news:language", newsLanguage(e.Feed.Language))}
	news.Inner = elements{publication, textElement("news:publication_date", isoTime(e.Published)), textElement("news:title", e.Title)}
	url.Inner = elements{textElement("loc", e.Link), textElement("lastmod", isoTime(e.Modified)), news}
	return xml.Marshal(url)
}

// newsLanguage returns the language of a news sitemap for a BCP 47 tag: a code of ISO 639, except for Chinese.
func newsLanguage(tag string) string {
	tag = strings.ToLower(tag)
	if tag == "zh-cn" || tag == "zh-tw" {
		return tag
	}
	language, _, _ := strings.Cut(tag, "-")
	return language
}
