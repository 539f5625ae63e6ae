package consumer

import (
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/feedwire/feedwire/publish/xmltree"
)

const (
	maxNews    = 1000     // articles of a news sitemap
	maxSitemap = 50 << 20 // bytes
	maxAddress = 2048     // characters
	newsAge    = 48 * time.Hour
)

// newsLanguage matches codes of ISO 639 and the two exceptions for Chinese.
var newsLanguage = regexp.MustCompile("^([a-z]{2,3}|zh-cn|zh-tw)$")

// sitemap checks a news sitemap against the protocol of sitemaps.org and Google's extension.
func (c *checker) sitemap(root *xmltree.Element, size int) {
	urls := root.All("sitemap:url")
	if len(urls) > maxNews {
		c.fault("the sitemap has %d articles; at most %d are allowed", len(urls), maxNews)
	}
	if size > maxSitemap {
		c.fault("the sitemap has %d bytes; at most 50 MB are allowed", size)
	}
	seen := make(map[string]bool)
	for _, url := range urls {
		address := url.Value("sitemap:loc")
		switch {
		case hostOf(address) == "":
			c.fault("the address %q is not an absolute URL", address)
		case utf8.RuneCountInString(address) >= maxAddress:
			c.fault("the address %.60s… has more than %d characters", address, maxAddress-1)
		case seen[address]:
			c.fault("two articles have the address %s", address)
		}
		seen[address] = true
		if last := url.Value("sitemap:lastmod"); last != "" {
			c.isoDate(address, "lastmod", last)
		}
		c.news(url, address)
	}
}

// news checks the description of one article.
func (c *checker) news(url *xmltree.Element, address string) {
	news := url.Child("news:news")
	if news == nil || news.Child("news:publication") == nil {
		c.fault("%s has no news:news with a news:publication", address)
		return
	}
	publication := news.Child("news:publication")
	c.needs(news, address, "news:publication_date news:title")
	c.needs(publication, address, "news:name news:language")
	if language := publication.Value("news:language"); language != "" && !newsLanguage.MatchString(language) {
		c.fault("%s: the language %q is no code of ISO 639", address, language)
	}
	if date := news.Value("news:publication_date"); date != "" && c.now.Sub(c.isoDate(address, "publication_date", date)) > newsAge {
		c.fault("%s: it was published more than two days ago", address)
	}
}

// isoDate parses a date in the format of sitemaps.
func (c *checker) isoDate(address, name, value string) time.Time {
	t, err := time.Parse(time.RFC3339, value)
	if err != nil {
		c.fault("%s: %s %q is not a W3C date", address, name, value)
		return c.now
	}
	return t
}
