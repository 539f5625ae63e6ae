package body

import (
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// Clean returns a fragment for a feed: valid UTF-8 without characters that XML does not allow, absolute http and https
// addresses (relative ones are resolved against base, a URL), no scripts, styles, forms or frames of unlisted hosts. Parsing
// and rendering the result returns the same result, and so does cleaning it. Warnings, at most 100, name what was removed or
// replaced. Time and memory are proportional to the length of any content.
func (c *Cleaner) Clean(content, base string) (cleaned string, warnings []hypertext.Warning) {
	defer func() {
		if r := recover(); r != nil { // a mistake here must only affect this content
			cleaned, warnings = "", []hypertext.Warning{{Message: fmt.Sprintf("left out: all of it, because it cannot be read: %.200v", r)}}
		}
	}()
	w := &writer{Cleaner: c, content: hypertext.Clean(content), base: parseBase(base), ends: make(map[string]int)}
	w.run()
	return balance(c.checked.Sanitize(strings.TrimSpace(w.out.String()))), w.warnings
}

// writer reads tags and text, and writes what is allowed.
type writer struct {
	*Cleaner
	content  string
	base     *url.URL // nil: relative addresses are unusable
	out      strings.Builder
	warnings []hypertext.Warning

	open    []element // outermost first
	written int       // how many of them are in out; the others wait for visible content
	deep    int       // open elements beyond the depth
	inline  bool      // out ends within a line
	broken  bool      // a removed block began or ended since
	shown   image     // the image at the end of out

	noscript int // open elements of that name

	offset  int            // in content, of the next token
	skipped string         // the element whose content is skipped; empty: none
	levels  int            // open elements of that name
	ends    map[string]int // where in content the last end tag of each skipped element is; -1: nowhere
}

func (w *writer) run() {
	z := html.NewTokenizer(strings.NewReader(w.content))
	for {
		kind := z.Next()
		if kind == html.ErrorToken { // the reader is a string: this is its end
			break
		}
		w.offset += len(z.Raw())
		token := z.Token()
		switch {
		case kind == html.CommentToken || kind == html.DoctypeToken:
		case kind == html.TextToken && w.skipped == "":
			w.text(hypertext.Clean(token.Data))
		case kind == html.StartTagToken || kind == html.SelfClosingTagToken:
			closed := kind == html.SelfClosingTagToken || void[token.Data]
			raw := !closed && rawText[token.Data]
			if !raw {
				z.NextIsNotRawText()
			}
			if !w.skip(token.Data, closed) {
				w.start(token, closed)
			}
			if raw && w.skipped == "" {
				w.skipped, w.levels = token.Data, 1
			}
		case kind == html.EndTagToken && !w.skipEnd(token.Data):
			w.end(token.Data)
		}
	}
	w.closeAll()
}

// skip reports whether a start tag is in skipped content.
func (w *writer) skip(tag string, closed bool) bool {
	if w.skipped != "" && !rawText[w.skipped] && w.offset > w.lastEnd(w.skipped) {
		w.skipped = "" // it is never closed: this is content again
	}
	if tag == w.skipped && !closed {
		w.levels++
	}
	return w.skipped != ""
}

func (w *writer) skipEnd(tag string) bool {
	if w.skipped == "" {
		return false
	}
	if tag == w.skipped {
		w.levels--
	}
	if w.levels == 0 || w.offset >= w.lastEnd(w.skipped) {
		w.skipped = ""
	}
	return true
}

// skipElement skips the content of an element up to its end tag. An element that is never closed has no content.
func (w *writer) skipElement(tag string, closed bool) {
	if !closed && w.lastEnd(tag) >= w.offset {
		w.skipped, w.levels = tag, 1
	}
}

// lastEnd returns the approximate end of the last end tag of an element, or -1. It searches once per name.
func (w *writer) lastEnd(tag string) int {
	if at, known := w.ends[tag]; known {
		return at
	}
	w.ends[tag] = -1
	for before := strings.LastIndex(w.content, "</"); before >= 0; before = strings.LastIndex(w.content[:before], "</") {
		if name := w.content[before+2:]; len(name) >= len(tag) && strings.EqualFold(name[:len(tag)], tag) {
			w.ends[tag] = before + 2 + len(tag)
			break
		}
	}
	return w.ends[tag]
}

// start handles a start tag. closed says that the element has no content.
func (w *writer) start(t html.Token, closed bool) {
	tag := named(t.Data)
	switch {
	case tag == "noscript" && !closed:
		w.noscript++
		return
	case tag == "script" || tag == "style" || tag == "col" || tag == "colgroup":
		return // run skips raw content; columns only affect layout
	case hidden[tag]:
		w.warn("left out: "+t.Data+" is not part of an article", t)
		w.skipElement(t.Data, closed || void[tag] || rawText[t.Data])
		return
	}
	if w.deep > 0 && !closed && !leaf(tag) {
		w.deep++
		w.broken = w.broken || block[tag]
		return
	}
	if tablePart[tag] && w.tags["table"] {
		w.tablePart(tag, t)
		return
	}
	if w.tags[tag] {
		w.cell()
	}
	w.imply(tag)
	switch tag {
	case "img":
		w.image(t)
	case "iframe":
		w.frame(t)
	case "source", "track":
		w.source(t)
	case "br", "wbr":
		w.breakLine(tag)
	case "hr":
		w.rule()
	case "a":
		w.link(t, closed)
	default:
		w.element(tag, t, closed)
	}
}

// element opens an allowed element. Of any other, only its content stays.
func (w *writer) element(tag string, t html.Token, closed bool) {
	room := w.depth - 1 - len(w.open) // one level is for elements that are never open, such as images
	deep := room < 1 || tag == "table" && room < 4
	switch {
	case closed || !w.tags[tag]:
		w.broken = w.broken || block[tag]
	case deep:
		w.deep++
		w.broken = w.broken || block[tag]
	default:
		w.push(tag, w.tag(tag, t))
		if (tag == "video" || tag == "audio") && strings.Contains(w.open[len(w.open)-1].markup, ` src="`) {
			w.put("", true)
		}
	}
}

func (w *writer) end(tag string) {
	tag = named(tag)
	switch {
	case tag == "noscript":
		w.noscript = max(w.noscript-1, 0)
		return
	case leaf(tag):
		return
	case w.deep > 0:
		w.deep--
		w.broken = w.broken || block[tag]
		return
	}
	if !w.closeTo(same(tag), scope(tag)) && block[tag] {
		w.broken = true
	}
}

// text writes text. White space waits with the element around it until visible content follows.
func (w *writer) text(s string) {
	if hypertext.Blank(s) {
		w.space(html.EscapeString(s))
		return
	}
	w.cell()
	w.put(html.EscapeString(s), true)
}

const maxWarnings = 100

// warn adds a warning about an element. The number is bounded, because generated pages can repeat an error thousands of times.
func (w *writer) warn(message string, t html.Token) {
	if len(w.warnings) < maxWarnings {
		w.warnings = append(w.warnings, hypertext.Warning{Message: message, Markup: hypertext.StartTag(t.Data, t.Attr)})
	}
}
