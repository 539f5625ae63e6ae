package page

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// maxText bounds a document in UTF-8, in bytes.
const maxText = 256 << 20

// Check returns an error if a document is not HTML.
func Check(body []byte) error {
	kind, _, _ := strings.Cut(http.DetectContentType(body), ";")
	if !strings.HasPrefix(kind, "text/") && (kind != "application/octet-stream" || bytes.IndexByte(body, 0) >= 0) {
		return fmt.Errorf("this is %s; use an HTML page or fragment", kind)
	}
	for z := html.NewTokenizer(bytes.NewReader(body)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return nil
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, _ := z.TagName(); slices.Contains([]string{"rss", "feed", "rdf:rdf"}, string(name)) {
				return errors.New("this is a feed; run feedwire parse to list its entries, and use the URL of one")
			}
			return nil
		}
	}
}

// Decode converts a document to UTF-8.
func Decode(body []byte, contentType string) (string, error) {
	if utf8.Valid(body) {
		return string(body), nil
	}
	decoded, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(decoded, maxText))
	return string(text), err
}

// Override replaces values of a by those of given that are set, except the content.
func (a *Article) Override(given *Article) {
	a.Title = cmp.Or(given.Title, a.Title)
	a.Canonical = cmp.Or(given.Canonical, a.Canonical)
	a.Language = cmp.Or(given.Language, a.Language)
	if len(given.Authors) > 0 {
		a.Authors = given.Authors
	}
	if !given.Published.IsZero() {
		a.Published = given.Published
	}
}

// Resolve resolves the canonical URL against the URL that the page was fetched from; "" if it was not.
func (a *Article) Resolve(fetched string) {
	base, err := url.Parse(fetched)
	if err != nil || fetched == "" {
		return
	}
	if ref, err := base.Parse(a.Canonical); err == nil {
		ref.Fragment = ""
		a.Canonical = ref.String()
	}
}
