package ingest

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// maxPageLinks bounds the links of a page. Pages in many languages link to all of them.
const maxPageLinks = 200

// pageCandidates returns the feeds that a page links to.
func pageCandidates(body []byte, contentType string, page *url.URL) []feed.Candidate {
	links, base := pageLinks(body, contentType, page)
	return candidates(base, links, feed.FoundPage)
}

// pageLinks returns the <link> elements of a page that name an alternate form or a feed, and the base of their references:
// the href of the first <base>, or the URL of the page. It reads only tokens, because a tree of a hostile page could be huge.
func pageLinks(body []byte, contentType string, page *url.URL) ([]websub.Link, *url.URL) {
	base, based := page, false
	encoding, _, _ := charset.DetermineEncoding(body, contentType)
	var links []websub.Link
	z := html.NewTokenizer(encoding.NewDecoder().Reader(bytes.NewReader(body)))
	z.SetMaxBuf(2 << 20)
	for len(links) < maxPageLinks {
		switch z.Next() {
		case html.ErrorToken:
			return links, base
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			attributes := make(map[string]string, len(token.Attr))
			for _, a := range token.Attr {
				if _, twice := attributes[a.Key]; !twice {
					attributes[a.Key] = a.Val
				}
			}
			switch href := strings.TrimSpace(attributes["href"]); {
			case href == "":
			case token.DataAtom == atom.Link:
				rels := strings.Fields(strings.ToLower(attributes["rel"]))
				if slices.Contains(rels, "alternate") || slices.Contains(rels, "feed") {
					links = append(links, websub.Link{Target: href, Rels: rels, Type: attributes["type"], Title: attributes["title"]})
				}
			case token.DataAtom == atom.Base && !based:
				if u, err := page.Parse(href); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
					base, based = u, true
				}
			}
		}
	}
	return links, base
}
