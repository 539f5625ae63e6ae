package ingest

import (
	"bytes"
	"fmt"
	"net/url"
	"runtime/debug"
	"time"

	"github.com/mmcdole/gofeed"
	"github.com/mmcdole/gofeed/atom"
	"github.com/mmcdole/gofeed/rss"

	"github.com/feedwire/feedwire/store/feed"
)

// Raw is a document as it came over the network.
type Raw struct {
	Body            []byte        // decompressed; bounded by whoever read it
	ContentType     string        // the header field; may be empty
	ContentLocation string        // likewise: the base of relative links where it is given (RFC 3986 section 5.1.2)
	ContentLanguage string        // likewise: the language of a feed that names none
	URL             string        // where it came from after redirects: the base of its relative links
	Received        time.Time     // when it came; entries without a date get this one
	Pushed          bool          // by a hub: it need not be the whole feed, and says nothing about the feed itself
	Identity        feed.Identity // by what the source's entries are told apart so far
}

// Parsed is all that can be learned from a document.
type Parsed struct {
	Document feed.Document
	Origins  []Origin      // of each of the document's entries
	Rejected int           // entries left out, because they lack what is required
	Identity feed.Identity // by what the entries are told apart, at best Raw.Identity
	Hints    Hints
	Format   string   // "RSS 2.0", "Atom 1.0", "JSON Feed 1.1" …
	Encoding string   // by its name in the WHATWG encoding standard
	Base     string   // of the document's links
	Repairs  []string // what was mended in it, for a person
}

// Origin is what an entry says of itself and the store does not keep.
type Origin struct {
	Base       string // of its links
	Language   string // may be empty
	Categories []Category
	Enclosures []Enclosure
}

// panicked is a panic as an error.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// Parse reads RSS 0.9 to 2.0, Atom 0.3 and 1.0, and JSON Feed. The entries carry everything but what the store gives:
// FeedURL is feedURL, ids are empty. Those without what feed.Entry requires are left out. Errors are of type *Error, of
// the classes not_a_feed, parse or limits.
func Parse(raw Raw, feedURL string, limits Limits) (feed.Document, error) {
	parsed, err := Read(raw, feedURL, limits)
	return parsed.Document, err
}

// Read is Parse, and tells besides the entries what else the document holds and what was mended in it.
func Read(raw Raw, feedURL string, limits Limits) (parsed Parsed, err error) {
	defer func() {
		if p := recover(); p != nil {
			parsed = Parsed{}
			err = &Error{Class: ClassParse, Reason: "the document could not be handled", Err: &panicked{p, debug.Stack()}}
		}
	}()
	if limits.Entries <= 0 {
		limits.Entries = 2000
	}
	base, err := url.Parse(raw.URL)
	if err != nil {
		return parsed, &Error{Class: ClassParse, Reason: "the document's URL cannot be read", Err: err}
	}
	base = rebase(base, raw.ContentLocation)
	n, err := normalise(raw, base, limits)
	if err != nil {
		return parsed, err
	}
	r, err := n.read(base, limits)
	if err != nil {
		return parsed, err
	}
	r.about.Language = firstOf(r.about.Language, raw.ContentLanguage)
	parsed = translate(r, base, feedURL, raw, n.mended&structural != 0)
	parsed.Encoding = n.encoding
	parsed.Repairs = n.mended.texts()
	return parsed, nil
}

// reading is a feed in the words that all formats share.
type reading struct {
	format string
	about  feed.About // its link may be relative, its texts HTML
	base   *url.URL
	posts  []post
	hints  Hints
}

// read parses a normalised document.
func (n *normalised) read(base *url.URL, limits Limits) (reading, error) {
	if n.isJSON() {
		r, mended, err := readJSON(n.text, base, limits)
		n.mended |= mended
		return r, err
	}
	parse := n.parseRSS
	if n.shape.root == "feed" {
		parse = n.parseAtom
	}
	r, err := parse(n.shape.without(n.text))
	if err != nil {
		return reading{}, &Error{Class: ClassParse, Reason: "the document cannot be read as a feed", Err: err}
	}
	return r, nil
}

// parseAtom and parseRSS ask their parser themselves: the one that tells the formats apart looks for the root in the
// first few kilobytes only, which some roots do not fit in.
func (n *normalised) parseAtom(text []byte) (reading, error) {
	f, err := (&atom.Parser{}).Parse(bytes.NewReader(text))
	if err != nil {
		return reading{}, err
	}
	return n.readAtom(f), nil
}

func (n *normalised) parseRSS(text []byte) (reading, error) {
	f, err := (&rss.Parser{}).Parse(bytes.NewReader(text))
	if err != nil {
		return reading{}, err
	}
	common, err := (&gofeed.DefaultRSSTranslator{DisableContentImageScan: true}).Translate(f)
	if err != nil {
		return reading{}, err
	}
	return n.readRSS(common, f), nil
}
