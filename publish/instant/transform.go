// Package instant transforms the HTML of an article into an Instant Articles document.
//
// The content is parsed into a tree (hypertext.Parse). The builder (blocks.go) walks the tree once, finds the rule for each
// element (package rulesfile, class.go) and lays the content out as a flat list of blocks, because the format does not nest blocks.
// document.go writes the blocks into the skeleton. No text or medium is dropped silently: a Warning names everything that is left
// out.
package instant

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/inline"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
	"github.com/feedwire/feedwire/store/feed"
)

// The limits of an article. Transform returns feed.ErrInvalid beyond them.
const (
	maxInput  = 2 << 20 // bytes of HTML
	maxOutput = 8 << 20 // bytes of markup
)

// ErrEmpty means that an article has no content to show.
var ErrEmpty = errors.New("the article has no content to show")

// Options are the settings of the feed. The zero value works.
type Options struct {
	Rules       *rulesfile.Rules // nil means the built-in rules
	Language    string           // BCP 47; empty leaves the attribute out
	Copyright   string           // plain text for the footer of articles without a copyright notice
	TimeZone    string           // of dates in the content that name none; empty or unknown means UTC
	Development bool             // the document is for a development feed
}

// Document is the Instant Articles document of an article, and what its header shows. The article or its content has it, or rules
// find it there.
type Document struct {
	Markup    string
	Title     string
	Authors   []string // names
	Published time.Time
}

// Transform returns the document of an article, whose Content may be a fragment, a page or an Instant Articles document. The
// result depends only on the arguments. Warnings, see hypertext.Warnings, describe what was changed or left out.
//
// Errors: feed.ErrInvalid if the canonical URL, the title or the publication date is missing or a limit is exceeded, and
// ErrEmpty if there is nothing to show.
func Transform(a feed.Article, o Options) (d Document, warnings []hypertext.Warning, err error) {
	b, err := layOut(a, o)
	if err != nil {
		return d, b.warnings.All(), fmt.Errorf("transform article %s: %w", a.UUID, err)
	}
	d = Document{Markup: b.document(), Title: b.title, Published: b.published()}
	for _, author := range b.bylines() {
		d.Authors = append(d.Authors, author.name)
	}
	return d, b.warnings.All(), nil
}

// layOut lays out the content of an article. The builder that it returns is never nil.
func layOut(a feed.Article, o Options) (b *builder, err error) {
	b = &builder{article: a, opts: o, rules: o.Rules, classes: classes, cache: make(map[string][]*rule), shown: make(map[*html.Node]bool), title: line(a.Title)}
	if b.rules == nil {
		b.rules = rulesfile.Builtin()
	}
	defer func() {
		if r := recover(); r != nil { // foreign content must not stop the daemon
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if b.base, err = checkCanonical(a); err != nil {
		return b, err
	}
	p, err := hypertext.Parse(a.Content)
	if err != nil {
		return b, err
	}
	if base := b.resolve(p.Base, "http", "https"); base != "" {
		b.base, _ = url.Parse(base) // Resolve returns valid addresses
	}
	b.maxSteps = maxStepsEach*p.Nodes + minSteps
	b.flowBlock(p.Root, body())
	b.footer.credits, b.footer.copyright = inline.Tidy(b.footer.credits), inline.Tidy(b.footer.copyright)
	return b, b.check()
}

// The number of nodes that properties may look at, for each node of the page and in addition. A property that searches
// all of its element costs one step for each level of nesting, so this is plenty.
const (
	maxStepsEach = 100
	minSteps     = 100_000
)

// check refuses an article that exceeds a limit or lacks a required part, and chooses the cover.
func (b *builder) check() error {
	switch {
	case b.size > maxOutput:
		return fmt.Errorf("%w: its markup exceeds %d bytes", feed.ErrInvalid, maxOutput)
	case b.steps > b.maxSteps:
		return fmt.Errorf("%w: rules search its markup too often; simplify the selectors of properties and nested fragments",
			feed.ErrInvalid)
	case b.title == "":
		return fmt.Errorf("%w: it has no title", feed.ErrInvalid)
	case b.published().IsZero():
		return fmt.Errorf("%w: it has no publication date", feed.ErrInvalid)
	}
	visible := 0
	for _, bl := range b.blocks {
		if bl.figure == nil || bl.figure.kind < adKind {
			visible++
		}
	}
	if visible == 0 {
		if b.header.cover == nil {
			return ErrEmpty
		}
		b.blocks, b.header.cover = append(b.blocks, &block{tag: figureTag, figure: b.header.cover}), nil
	}
	b.chooseCover(visible)
	return nil
}

// chooseCover makes the first block the cover if it shows an image that is large enough and other blocks remain. The
// image of the article takes precedence; if it is also the first block, its caption is kept. visible is the number of
// visible blocks.
func (b *builder) chooseCover(visible int) {
	own := b.resolve(b.article.Image, "http", "https")
	if b.header.cover != nil || own == "" && visible < 2 {
		return
	}
	if visible > 1 && b.blocks[0].tag == figureTag {
		first := b.blocks[0].figure
		fit := first.kind == videoKind || first.kind == slideshowKind || first.kind == imageKind && !first.small
		if fit && own == "" || own != "" && (first.src == own || first.own == own) {
			b.header.cover = first
			b.blocks = b.blocks[1:]
			return
		}
	}
	if own != "" {
		b.header.cover = &figure{src: own, markup: image(own)}
	}
}

// checkCanonical returns the canonical URL, against which relative addresses are resolved.
func checkCanonical(a feed.Article) (*url.URL, error) {
	base, err := url.Parse(a.Canonical)
	switch {
	case err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" || len(a.Canonical) > hypertext.MaxURL:
		return nil, fmt.Errorf("%w: its canonical URL %.100q is not an absolute http or https URL", feed.ErrInvalid, a.Canonical)
	case len(a.Content) > maxInput:
		return nil, fmt.Errorf("%w: its content has %d bytes; at most %d are allowed", feed.ErrInvalid, len(a.Content), maxInput)
	}
	return base, nil
}

// The codes of warnings.
const (
	codeLeftOut   = "left-out"  // text or a medium is missing from the article
	codeIgnored   = "ignored"   // as left-out, because a rule of the publisher says so
	codeUnwrapped = "unwrapped" // an element or a link was removed and its content kept
	codeFlattened = "flattened" // content was kept in a simpler structure
	codeRepaired  = "repaired"  // something that the format requires was added
	codeRule      = "rule"      // a rule of the publisher did not apply
)

// warnUnusable warns about a medium without what it needs. kept reports whether its content is in the article.
func (b *builder) warnUnusable(n *html.Node, reason string, kept bool) {
	if kept {
		b.warn(codeUnwrapped, "unwrapped: "+reason+"; its content is kept", n)
	} else {
		b.warn(codeLeftOut, "left out: "+reason, n)
	}
}

// warnRest warns about an element of which a rule shows words only, if the element has anything else.
func (b *builder) warnRest(r *rule, n *html.Node, words, reason string) {
	if b.find(visuals, n) == nil && strings.Contains(hypertext.OneLine(words), hypertext.OneLine(b.textOf(n))) {
		return
	}
	code := codeIgnored
	if r.Builtin {
		code = codeLeftOut
	}
	b.warn(code, "left out: "+reason, n)
}

// warnReplaced warns about a medium n that a rule replaces by markup that it has found at from.
func (b *builder) warnReplaced(r *rule, n, from *html.Node, markup string) {
	src, own := b.source(n), from == n || isWithin(from, n) && !b.isMedium(from)
	if !own && !r.Builtin && b.isMedium(n) && (src == "" || !strings.Contains(markup, src)) {
		b.warn(codeIgnored, "left out: the "+r.Class+" for "+r.Selector+" shows something else instead", n)
	}
}

// warn adds a warning about n.
func (b *builder) warn(code, message string, n *html.Node) {
	b.warnings.Add(code, func() hypertext.Warning {
		return hypertext.Warning{Code: code, Message: message, Markup: hypertext.StartTag(n.Data, n.Attr), Place: hypertext.Place(n)}
	})
}
