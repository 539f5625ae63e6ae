package instant

import (
	"errors"
	"fmt"
	"net/url"

	"golang.org/x/net/html"

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
	Rules       *Rules   // what becomes of the source's markup; nil: the built-in rules alone
	Language    string   // BCP 47, of the html element; empty: left out
	Style       string   // article style chosen at the consumer; empty: that of the rules, else "default"
	Copyright   string   // plain text for the footer, where the article brings none; empty: none
	Tags        []string // labels of the article; left out in development, where the consumer refuses them
	Cover       string   // address of the article's image; empty: an image at the beginning of the content
	Development bool     // the document is for the development feed
}

// Transform makes the Instant Articles document of an article from its Content, which may be any HTML up to 2 MiB, a
// whole page or a whole Instant Articles document too. The same article always gives the same document. Warnings, at
// most 100, name what was changed or left out.
//
// It returns feed.ErrInvalid where the canonical URL, the title or the publication date is missing, or a bound is
// exceeded, and ErrEmpty where nothing remains to show.
func Transform(a feed.Article, o Options) (document string, warnings []Warning, err error) {
	b, err := lay(a, o)
	if err != nil {
		return "", b.warnings, fmt.Errorf("transform article %s: %w", a.UUID, err)
	}
	return b.document(a, o), b.warnings, nil
}

// lay lays the article out. The builder it returns is never nil.
func lay(a feed.Article, o Options) (b *builder, err error) {
	b = &builder{rules: o.Rules, seen: make(map[string][]*rule), taken: make(map[*html.Node]bool), title: title(a)}
	if b.rules == nil {
		b.rules = builtin()
	}
	defer func() {
		if r := recover(); r != nil { // the content is foreign: a fault in here costs this article alone
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if b.base, err = checkCanonical(a); err != nil {
		return b, err
	}
	p, err := parse(a.Content)
	if err != nil {
		return b, err
	}
	if base := b.resolve(p.base, "http", "https"); base != "" {
		b.base, _ = url.Parse(base) // it was read a moment ago
	}
	b.maxSteps = maxStepsEach*p.nodes + minSteps
	b.flow(p.root, body())
	b.flush()
	for _, bl := range b.blocks {
		bl.figure.standAlone()
	}
	b.footer.credits, b.footer.copyright = tidy(b.footer.credits), tidy(b.footer.copyright)
	return b, b.check(a, o)
}

// The nodes that the properties of rules may look at, together: a number for each node of the document, and some more.
// A rule that looks at all within its element costs as many as elements lie around each other, so this is plenty.
const (
	maxStepsEach = 100
	minSteps     = 100_000
)

// check reports what the document cannot do without, and chooses the cover.
func (b *builder) check(a feed.Article, o Options) error {
	switch {
	case b.size > maxOutput:
		return fmt.Errorf("%w: its markup exceeds %d bytes", feed.ErrInvalid, maxOutput)
	case b.steps > b.maxSteps:
		return fmt.Errorf("%w: the rules look through its markup too often, or fragments of rules lie within each other",
			feed.ErrInvalid)
	case b.title == "":
		return fmt.Errorf("%w: it has no title", feed.ErrInvalid)
	case a.Published.IsZero() && b.header.published == "":
		return fmt.Errorf("%w: it has no publication date", feed.ErrInvalid)
	}
	seen := 0
	for i := range b.blocks {
		if b.blocks[i].figure == nil || b.blocks[i].figure.kind < adKind {
			seen++
		}
	}
	if seen == 0 && b.header.cover == nil {
		return ErrEmpty
	}
	b.chooseCover(o, seen)
	return nil
}

// chooseCover takes the image at the beginning of the content for the cover, unless nothing would remain or it is too
// small. seen is how many blocks a reader sees. The article's own image goes before; where it is the one at the beginning,
// its caption stays.
func (b *builder) chooseCover(o Options, seen int) {
	own := b.resolve(o.Cover, "http", "https")
	if b.header.cover != nil || own == "" && seen < 2 {
		return
	}
	if seen > 1 && b.blocks[0].tag == figureTag {
		first := b.blocks[0].figure
		fit := first.kind == videoKind || first.kind == slideshowKind || first.kind == imageKind && !first.small
		if fit && own == "" || own != "" && first.shows(own) {
			b.header.cover = first
			b.blocks = b.blocks[1:]
			return
		}
	}
	if own != "" {
		b.header.cover = &figure{src: own, markup: `<img src="` + escape(own) + `">`}
	}
}

// checkCanonical gives the URL that relative ones are resolved against.
func checkCanonical(a feed.Article) (*url.URL, error) {
	base, err := url.Parse(a.Canonical)
	switch {
	case err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" || len(a.Canonical) > maxURL:
		return nil, fmt.Errorf("%w: its canonical URL %.100q is not an absolute http or https URL", feed.ErrInvalid, a.Canonical)
	case len(a.Content) > maxInput:
		return nil, fmt.Errorf("%w: its content has %d bytes, at most %d are allowed", feed.ErrInvalid, len(a.Content), maxInput)
	}
	return base, nil
}
