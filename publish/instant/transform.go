package instant

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/feedwire/feedwire/store/feed"
)

// The bounds of one article. What exceeds them is refused with feed.ErrInvalid.
const (
	maxInput  = 2 << 20 // bytes of HTML
	maxTokens = 200_000 // tags and texts in it
	maxOutput = 8 << 20 // bytes of markup made from it
	maxURL    = 2048    // bytes; a longer one is treated as one that cannot be read
)

// ErrEmpty says that nothing in the article's HTML can be shown as an Instant Article.
var ErrEmpty = errors.New("article has no content that can be shown")

// Options are the parts of the document that the feed decides, not the article. The zero value works.
type Options struct {
	Language  string // BCP 47, of the html element; empty: left out
	Style     string // article style chosen at the consumer; empty: "default"
	Copyright string // plain text for the footer; empty: no footer
}

// Transform makes the Instant Articles document of an article from its Content, which may be any HTML up to 2 MiB. The
// same article always gives the same document. Warnings, at most 100, name what was changed or left out.
//
// It returns feed.ErrInvalid where the canonical URL, the title or the publication date is missing, or a bound is
// exceeded, and ErrEmpty where nothing remains to show.
func Transform(a feed.Article, o Options) (document string, warnings []Warning, err error) {
	defer func() {
		if r := recover(); r != nil { // the content is foreign: a fault in here costs this article alone
			document, err = "", fmt.Errorf("transform article %s: panic: %v", a.UUID, r)
		}
	}()
	base, err := check(a)
	if err != nil {
		return "", nil, fmt.Errorf("transform article %s: %w", a.UUID, err)
	}
	root, err := parse(a.Content)
	if err != nil {
		return "", nil, fmt.Errorf("transform article %s: %w", a.UUID, err)
	}
	b := builder{base: base}
	b.flow(root, style{tag: paragraph})
	b.flush()
	switch {
	case b.size > maxOutput:
		return "", b.warnings, fmt.Errorf("transform article %s: %w: its markup exceeds %d bytes",
			a.UUID, feed.ErrInvalid, maxOutput)
	case len(b.blocks) == 0:
		return "", b.warnings, fmt.Errorf("transform article %s: %w", a.UUID, ErrEmpty)
	}
	return render(a, b.blocks, o), b.warnings, nil
}

// check reports what the document cannot do without, and gives the URL that relative ones are resolved against.
func check(a feed.Article) (*url.URL, error) {
	base, err := url.Parse(a.Canonical)
	switch {
	case err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" || len(a.Canonical) > maxURL:
		return nil, fmt.Errorf("%w: its canonical URL %.100q is not an absolute http or https URL", feed.ErrInvalid, a.Canonical)
	case blank(Clean(a.Title)):
		return nil, fmt.Errorf("%w: it has no title", feed.ErrInvalid)
	case a.Published.IsZero():
		return nil, fmt.Errorf("%w: it has no publication date", feed.ErrInvalid)
	case len(a.Content) > maxInput:
		return nil, fmt.Errorf("%w: its content has %d bytes, at most %d are allowed", feed.ErrInvalid, len(a.Content), maxInput)
	}
	return base, nil
}
