package body

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// Clean returns a fragment for a feed: valid UTF-8 without characters that XML does not allow, absolute http and https
// addresses (relative ones are resolved against base, a URL), no scripts, styles, forms or frames of unlisted hosts. Parsing
// and rendering the result returns the same result, and so does cleaning it. Warnings name what was removed or
// replaced, see hypertext.Warnings. Time and memory are proportional to the length of any content.
func (c *Cleaner) Clean(content, base string) (cleaned string, warnings []hypertext.Warning) {
	defer func() {
		if r := recover(); r != nil { // a mistake here must only affect this content
			cleaned, warnings = "", []hypertext.Warning{{Message: fmt.Sprintf("left out: all of it, because it cannot be read: %.200v", r)}}
		}
	}()
	w := &writer{Cleaner: c, content: hypertext.Clean(content), base: parseBase(base), ends: make(map[string]int)}
	w.tokens = html.NewTokenizer(strings.NewReader(w.content))
	w.run()
	cleaned = strings.TrimSpace(w.out.String())
	if !c.settled(cleaned) {
		cleaned = c.check(cleaned)
	}
	return cleaned, w.warnings.All()
}

// check applies the allowlist again, and returns markup that an HTML parser reads as it is written.
func (c *Cleaner) check(markup string) string { return balance(c.checked.Sanitize(markup)) }

// writer reads tags and text, and writes what is allowed.
type writer struct {
	*Cleaner
	content  string
	base     *url.URL // nil: relative addresses are unusable
	out      strings.Builder
	warnings hypertext.Warnings

	open    []element // outermost first
	written int       // how many of them are in out; the others wait for visible content
	deep    int       // open elements beyond the depth
	inline  bool      // out ends within a line
	broken  bool      // a removed block began or ended since
	shown   image     // the image at the end of out

	noscript int               // open elements of that name
	lines    int               // open pre elements that are not allowed
	script   *hypertext.Script // of an open sup or sub that is not allowed; nil: none
	playing  []player          // outermost first

	tokens *html.Tokenizer // of content
	offset int             // in content, of the next token
	ends   map[string]int  // where in content the last end tag of each skipped element is; -1: nowhere
}

func (w *writer) run() {
	for t := w.next(); t.Type != html.ErrorToken; t = w.next() {
		switch t.Type {
		case html.TextToken:
			w.text(hypertext.Clean(t.Data))
		case html.SelfClosingTagToken:
			w.start(t)
		case html.StartTagToken:
			w.start(t)
			if rawText[t.Data] {
				w.skip(t.Data)
			}
		case html.EndTagToken:
			w.end(t.Data)
		}
	}
	for len(w.playing) > 0 {
		w.stop()
	}
	for len(w.open) > 0 {
		w.pop()
	}
}

// next reads a token. The start tag of a void element is self-closing, and so is every tag that is written so.
func (w *writer) next() html.Token {
	w.tokens.Next()
	w.offset += len(w.tokens.Raw())
	t := w.tokens.Token()
	if t.Type == html.StartTagToken && void[t.Data] {
		t.Type = html.SelfClosingTagToken
	}
	if t.Type == html.SelfClosingTagToken || !rawText[t.Data] {
		w.tokens.NextIsNotRawText()
	}
	return t
}

// skip reads the content of an element and its end tag. An element that is never closed has no content, except for raw text.
func (w *writer) skip(tag string) {
	end := len(w.content)
	if !rawText[tag] {
		end = w.lastEnd(tag)
	}
	for levels := 1; levels > 0 && w.offset < end; {
		switch t := w.next(); {
		case t.Type == html.ErrorToken:
			return
		case t.Type == html.StartTagToken && t.Data == tag:
			levels++
		case t.Type == html.EndTagToken && t.Data == tag:
			levels--
		}
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

// start handles a start tag.
func (w *writer) start(t html.Token) {
	tag, closed := named(t.Data), t.Type == html.SelfClosingTagToken
	if playerAddress(t) != "" {
		tag = "iframe"
	}
	switch {
	case tag == "noscript" && !closed:
		w.noscript++
		return
	case tag == "script" || tag == "style" || tag == "col" || tag == "colgroup":
		return // run skips raw text; columns only affect layout
	case len(w.playing) > 0 && (tag == "param" || tag == "source" && !hypertext.HasWord("audio picture video", w.top())):
		w.playSource(t)
		return
	case tag == "math" && !w.tags[tag] && !closed && hasText(t):
		w.warn("replaced by its alternative text: a formula is not allowed here", t)
		text, _ := attr(t, "alttext")
		w.text(text)
		w.skip(tag)
		return
	case hidden[tag], tag == "math" && !w.tags[tag]:
		w.warn("left out: "+t.Data+" is not part of an article", t)
		if !closed && !rawText[t.Data] {
			w.skip(t.Data)
		}
		return
	}
	if !w.tags[tag] && !closed {
		switch {
		case replaced[tag]:
			w.play(tag, t)
		case tag == "pre":
			w.lines++
		case scripts[tag] != nil:
			w.script = scripts[tag]
		}
	}
	if w.deep > 0 && !closed && !leaf(tag) {
		w.deep++
		w.broken = w.broken || block[tag]
		return
	}
	switch {
	case w.inMath() && w.startInMath(tag, t), mathPart[tag]:
		return
	case tablePart[tag] && w.tags["table"]:
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
	case "br", "wbr", "hr":
		w.breakLine(tag)
	case "a":
		w.link(t)
	case "math":
		w.math(t)
	default:
		w.element(tag, t)
	}
}

// element opens an allowed element. Of any other, only its content stays.
func (w *writer) element(tag string, t html.Token) {
	room := w.depth - 1 - len(w.open) // one level is for elements that are never open, such as images
	deep := room < 1 || tag == "table" && room < 4
	switch {
	case t.Type == html.SelfClosingTagToken || !w.tags[tag]:
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
	if len(w.playing) > 0 && tag == named(w.playing[len(w.playing)-1].start.Data) {
		w.stop()
	}
	if tag == "pre" {
		w.lines = max(w.lines-1, 0)
	}
	if scripts[tag] != nil || block[tag] {
		w.script = nil
	}
	switch {
	case tag == "noscript":
		w.noscript = max(w.noscript-1, 0)
		return
	case leaf(tag), w.inMath() && inline[tag]:
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
	switch {
	case w.inMath():
		w.mathText(s)
		return
	case hypertext.Blank(s):
		w.space(html.EscapeString(s))
		return
	}
	w.cell()
	if w.script != nil && w.follows() {
		before, after, character := w.script.Write(s)
		s = before + strings.Map(character, s) + after
	}
	if w.lines == 0 {
		w.put(html.EscapeString(s), true)
		return
	}
	for i, line := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		if i > 0 {
			w.breakLine("br")
		}
		text := strings.TrimLeft(line, " \t")
		indent := strings.ReplaceAll(line[:len(line)-len(text)], "\t", "    ")
		if i > 0 || !w.inline {
			text = strings.Repeat("\u00a0", len(indent)) + text
		}
		w.put(html.EscapeString(text), true)
	}
}

// follows reports whether the next text follows a visible character in its line.
func (w *writer) follows() bool {
	last, _ := utf8.DecodeLastRuneInString(w.out.String())
	return w.inline && !w.broken && last != utf8.RuneError && !unicode.IsSpace(last)
}

// warn adds a warning about an element.
func (w *writer) warn(message string, t html.Token) {
	w.warnings.Add("", func() hypertext.Warning {
		return hypertext.Warning{Message: message, Markup: hypertext.StartTag(t.Data, t.Attr)}
	})
}
