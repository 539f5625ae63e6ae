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

// pageCandidates returns the feeds that the <link> elements of a page name. The base of their references is the href of the
// first <base>, or the URL of the page. It reads only tokens, because a tree of a hostile page could be huge.
func pageCandidates(body []byte, contentType string, page *url.URL) []feed.Candidate {
	base, based := page, false
	encoding, _, _ := charset.DetermineEncoding(body, contentType)
	var links []websub.Link
	z := html.NewTokenizer(encoding.NewDecoder().Reader(bytes.NewReader(body)))
	z.SetMaxBuf(2 << 20)
	for len(links) < maxPageLinks && z.Next() != html.ErrorToken {
		token := z.Token()
		attributes := make(map[string]string, len(token.Attr))
		for _, a := range token.Attr {
			if _, twice := attributes[a.Key]; !twice {
				attributes[a.Key] = a.Val
			}
		}
		switch href := strings.TrimSpace(attributes["href"]); {
		case href == "" || token.Type == html.EndTagToken:
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
	return candidates(base, links, feed.FoundPage)
}
