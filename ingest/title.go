package ingest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	titleTime  = 8 * time.Second
	titleBytes = 256 << 10 // of a page that are searched for its title
)

// errNoTitle means that a page has no title.
var errNoTitle = errors.New("the page has no title")

// Title fetches a page and returns its title in one line. Errors: feed.ErrInvalid if the URL cannot be used, otherwise those of Peek, or
// that there is no title.
func (in *Ingester) Title(ctx context.Context, rawURL string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, titleTime)
	defer cancel()
	_, got, err := in.get(ctx, rawURL)
	if err != nil {
		return "", explained(err)
	}
	title := pageTitle(got.Body[:min(titleBytes, len(got.Body))], got.Header.Get("Content-Type"))
	if title == "" {
		return "", errNoTitle
	}
	return strings.Join(strings.Fields(feed.ShortLine(title)), " "), nil
}

// pageTitle returns the title that a page has for links to it (Open Graph), or else the one of its window.
func pageTitle(body []byte, contentType string) (title string) {
	encoding, _, _ := charset.DetermineEncoding(body, contentType)
	z := html.NewTokenizer(encoding.NewDecoder().Reader(bytes.NewReader(body)))
	z.SetMaxBuf(titleBytes)
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		token := z.Token()
		switch {
		case token.DataAtom == atom.Title && kind == html.StartTagToken && title == "":
			if z.Next() == html.TextToken {
				title = strings.TrimSpace(z.Token().Data)
			}
		case token.DataAtom == atom.Meta:
			if name, content := metaOf(token); name == "og:title" && content != "" {
				return content
			}
		case token.DataAtom == atom.Body:
			return title
		}
	}
	return title
}

// metaOf returns property and content of a meta element.
func metaOf(token html.Token) (property, content string) {
	for _, a := range token.Attr {
		switch a.Key {
		case "property":
			property = strings.ToLower(a.Val)
		case "content":
			content = strings.TrimSpace(a.Val)
		}
	}
	return property, content
}
