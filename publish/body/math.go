package body

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// Formulas are MathML Core and what older formulas need. An HTML parser reads some elements in a formula as HTML and others as
// MathML, and which may change when markup is parsed again. So cleaned formulas have no such place: tokens contain only text,
// all other elements only elements of this list.

var (
	// mathToken elements contain text.
	mathToken = hypertext.WordSet("annotation mi mn mo ms mtext")
	// mathPart elements are the parts of a formula.
	mathPart = hypertext.WordSet(mathParts)
	// mathScope bounds what the end tag of a part closes.
	mathScope = hypertext.WordSet("math")
)

const (
	mathParts = "annotation menclose merror mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms " +
		"mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics"
	// mathAttributes are those of all these elements. None of them is an address.
	mathAttributes = "accent accentunder alttext close columnalign columnlines columnspacing columnspan depth display displaystyle " +
		"encoding fence form frame height largeop linethickness lquote lspace mathbackground mathcolor mathsize mathvariant maxsize " +
		"minsize movablelimits notation numalign denomalign open rowalign rowlines rowspacing rowspan rquote rspace scriptlevel " +
		"separator separators stretchy symmetric voffset width"
)

// mathValue is the form of all values but texts: keywords, numbers, lengths, colours, and the operators of fences.
var mathValue = regexp.MustCompile(`^[^<>&"'` + "`" + `\\\x00-\x1f]{1,100}$`)

// hasText reports whether a formula has a text to replace it.
func hasText(t html.Token) bool {
	text, _ := attr(t, "alttext")
	return text != ""
}

// inMath reports whether the innermost open element is a formula or a part of it.
func (w *writer) inMath() bool { return w.top() == "math" || mathPart[w.top()] }

// math opens a formula. One that is never closed is none, or it would take the rest of the article.
func (w *writer) math(t html.Token) {
	if t.Type == html.SelfClosingTagToken || w.lastEnd("math") < w.offset {
		return
	}
	w.put("", true) // a line ends before the formula, not in it
	w.part("math", t)
}

// part opens a formula or a part of it. Parts without content have a meaning by their position.
func (w *writer) part(tag string, t html.Token) {
	closed := t.Type == html.SelfClosingTagToken
	if room := w.depth - 1 - len(w.open); room < 2 { // text may need another level
		if !closed {
			w.deep++
		}
		return
	}
	w.push(tag, w.tag(tag, t))
	if tag != "math" {
		w.put("", true)
	}
	if closed {
		w.pop()
	}
}

// startInMath handles a start tag in a formula and reports whether that was all. Other elements end the formula, as in a
// browser, except formats in a text.
func (w *writer) startInMath(tag string, t html.Token) bool {
	switch {
	case mathPart[tag]:
		if !mathToken[w.top()] {
			w.part(tag, t)
		}
		return true
	case w.tags[tag] && (!inline[tag] || !mathToken[w.top()]):
		w.closeTo([]string{"math"}, nil)
		return false
	}
	return true
}

// mathText writes text in a formula, which must be in a token.
func (w *writer) mathText(s string) {
	switch {
	case mathToken[w.top()]:
		w.put(html.EscapeString(s), true)
	case !hypertext.Blank(s):
		w.put("<mtext>"+html.EscapeString(strings.TrimSpace(s))+"</mtext>", true)
	}
}
