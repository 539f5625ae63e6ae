package mend

import (
	"bytes"
	"net/url"
	"strings"

	"golang.org/x/net/idna"

	"github.com/feedwire/feedwire/store/feed"
)

// Document is a mended document, with what a parser does not report of it or reports wrongly.
type Document struct {
	Text    []byte // well-formed XML in UTF-8 that begins with the root element
	Root    string // rss, rdf or feed
	Head    Item   // the feed itself; its texts are recorded in Atom only
	Repairs Repairs

	LeftOut int // items that exceed a bound
	Rest    int // items after a place between items where a bound is exceeded; all are left out

	items []*Item // in the order of the parser: those outside the channel are last
	texts []*Text // those recorded, in the order of the document
}

// Item is the outline of an item, or of the feed itself.
type Item struct {
	About     string     // rdf:about
	Language  string     // xml:lang in scope
	Base      *url.URL   // of its links
	LinkBases []*url.URL // of its Atom link elements, in order
	Avatars   []string   // of its Atom authors, in order: the src of gd:image, or ""
	Authors   []*Text    // of an RSS item, which may have several
	Replies   string     // number of them: thr:count of an Atom link (RFC 4685 section 4)

	CutText   bool // a text exceeds a bound, and its rest was removed
	CutMarkup bool // tags or attributes exceed a bound and were removed

	ID, Title, Summary, Description, Content Text
	Link                                     Text // of the first Atom link without href
}

// Item returns the outline of the parser's item i. Of an unknown item only the base is known.
func (d *Document) Item(i int) Item {
	if i < len(d.items) {
		return *d.items[i]
	}
	return Item{Base: d.Head.Base}
}

// WithoutTexts returns the document without the long texts of its items. The caller reads them from the outline, and
// parsing them again takes most of the parser's time. Their elements are left out too, unless they say more than the text.
func (d *Document) WithoutTexts() []byte {
	var out []byte
	at := 0
	for _, t := range d.texts {
		switch {
		case t.sole:
			out = append(out, d.Text[at:t.begin]...)
			at = t.end
		case t.long:
			out = append(out, d.Text[at:t.from]...)
			at = t.to
		}
	}
	return append(out, d.Text[at:]...)
}

// Rebase returns the base URL below an xml:base attribute. A value that is invalid or too long is ignored. Superfluous
// slashes before the host, as in "http:///host", are removed.
func Rebase(base *url.URL, value string) *url.URL {
	value = strings.TrimSpace(value)
	if scheme, rest, ok := strings.Cut(value, ":///"); ok && (scheme == "http" || scheme == "https") {
		value = scheme + "://" + strings.TrimLeft(rest, "/")
	}
	ref, err := url.Parse(value)
	if err != nil || len(value) > maxBase {
		return base
	}
	if resolved := base.ResolveReference(ref); len(resolved.Path) <= maxBase {
		return resolved
	}
	return base
}

// Resolve returns the absolute form of a reference (RFC 3986 section 5), or "" if that is not an http or https URL. It removes
// line breaks and tabs, with the indentation around them, encodes blanks, a % that encodes nothing and what is not ASCII, and
// writes the host as the DNS does.
func Resolve(base *url.URL, ref string) string {
	ref = Plain(ref)
	if strings.ContainsAny(ref, " \t\r\n") {
		var whole strings.Builder
		for line := range strings.FieldsFuncSeq(ref, func(r rune) bool { return r == '\t' || r == '\r' || r == '\n' }) {
			whole.WriteString(strings.TrimSpace(line))
		}
		ref = strings.ReplaceAll(whole.String(), " ", "%20")
	}
	if ref == "" {
		return ""
	}
	if len(ref) > 4 && strings.EqualFold(ref[:4], "www.") { // a host without a scheme, no folder
		ref = "//" + ref
	}
	u, err := base.Parse(feed.EncodePercents(ref))
	isWeb := err == nil && (u.Scheme == "http" || u.Scheme == "https")
	if !isWeb || u.Host == "" || strings.Contains(u.Host, "%") {
		return ""
	}
	u.RawQuery = feed.EncodeForeign(u.RawQuery)
	if host := u.Hostname(); !feed.IsASCII(host) {
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return ""
		}
		u.Host = strings.Replace(u.Host, host, ascii, 1) // the port stays
	}
	return u.String()
}

// XML mends the document in text, which is UTF-8 without byte order mark, and leaves text itself unchanged. base is the
// base of relative links. Items that exceed a bound, and those after the first maxItems, are left out. Errors are of type
// *feed.PollError: not_a_feed if no root element of a feed is found, parse if no item is complete, limits if no item is within
// the bounds.
func XML(text []byte, base *url.URL, maxItems int) (*Document, error) {
	var repairs Repairs
	if clean := Characters(text); !bytes.Equal(clean, text) { // first, because the name of the root may hold some
		repairs |= repairedCharacters
		text = clean
	}
	prolog, text, err := cutProlog(text)
	if err != nil {
		return nil, err
	}
	if !isProlog(prolog) {
		repairs |= repairedHead
	}
	if rootName(text) == "channel" {
		repairs |= repairedRoot
		text = append([]byte("<rss>"), text...)
	}
	m := &mender{
		in: text, base: base, maxItems: maxItems, entities: definedEntities(prolog), doc: &Document{Repairs: repairs},
		open: make([]element, 0, 16),
	}
	if m.doc.Text, err = m.run(); err != nil {
		return nil, err
	}
	if m.doc.Root == "rdf" && !m.hasChannel && !m.ofRSS && len(m.doc.items) == 0 {
		what := "an RDF document without a channel of RSS 1.0, not a feed"
		if bytes.Contains(text, []byte("http://xmlns.com/foaf/")) {
			what = foaf
		}
		return nil, feed.Failf(feed.FailureNotAFeed, "the document is %s", what)
	}
	for _, t := range m.doc.texts {
		t.raw = m.doc.Text[t.from:t.to]
		if div := t.div; div[3] > 0 && len(bytes.TrimSpace(m.doc.Text[t.from:div[0]])) == 0 &&
			len(bytes.TrimSpace(m.doc.Text[div[3]:t.to])) == 0 {
			t.raw = m.doc.Text[div[1]:div[2]]
		}
	}
	return m.doc, nil
}
