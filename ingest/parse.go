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

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// Limits bound what is taken from one document. The zero value works.
type Limits struct {
	Entries int // default 2000
}

// Raw is a document as it was received.
type Raw struct {
	Body            []byte        // decompressed and bounded
	ContentType     string        // header field; may be empty
	ContentLocation string        // header field; may be empty: the base of relative links (RFC 3986 section 5.1.2)
	ContentLanguage string        // header field; may be empty: the default language of the feed
	URL             string        // after redirects: the default base of relative links
	Received        time.Time     // the date of entries without one
	Pushed          bool          // by a hub: it may be a part of the feed
	Identity        feed.Identity // how the source's entries have been identified so far
}

// Parsed is the content of a document.
type Parsed struct {
	Document feed.Document
	Origins  []Origin      // one for each of the document's entries
	Rejected int           // number of entries without the required fields, which are omitted
	Identity feed.Identity // how the entries are identified; Raw.Identity if possible
	Hints    Hints
	Format   string   // "RSS 2.0", "Atom 1.0", "JSON Feed 1.1" …
	Encoding string   // named as in the WHATWG encoding standard
	Base     string   // of the document's links
	Repairs  []string // descriptions of the repairs
}

// Origin holds data of an entry that is not stored as such.
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

// Parse reads RSS 0.9 to 2.0, Atom 0.3 and 1.0, and JSON Feed. The FeedURL of the entries is feedURL, their ids are empty.
// Entries without the fields that feed.Entry requires are omitted. Errors are of type *feed.Failure and of the classes not_a_feed,
// parse or limits.
func Parse(raw Raw, feedURL string, limits Limits) (feed.Document, error) {
	parsed, err := Read(raw, feedURL, limits)
	return parsed.Document, err
}

// Read is like Parse and also returns the rest of the document's content and the repairs.
func Read(raw Raw, feedURL string, limits Limits) (parsed Parsed, err error) {
	defer func() {
		if p := recover(); p != nil {
			parsed = Parsed{}
			err = &feed.Failure{Class: feed.FailureParse, Reason: "the document could not be read", Err: &panicked{p, debug.Stack()}}
		}
	}()
	if limits.Entries <= 0 {
		limits.Entries = 2000
	}
	base, err := url.Parse(raw.URL)
	if err != nil {
		return parsed, &feed.Failure{Class: feed.FailureParse, Reason: "the document's URL is invalid", Err: err}
	}
	base = mend.Rebase(base, raw.ContentLocation)
	n, err := normalise(raw, base, limits)
	if err != nil {
		return parsed, err
	}
	r, err := n.read(base, limits)
	if err != nil {
		return parsed, err
	}
	r.about.Language = firstOf(r.about.Language, raw.ContentLanguage)
	parsed = translate(r, base, feedURL, raw, n.repairs.IsStructural())
	parsed.Encoding = n.encoding
	parsed.Repairs = n.repairs.Texts()
	return parsed, nil
}

// reading is a feed in a form that all formats share.
type reading struct {
	format string
	about  feed.About // its link may be relative, its texts HTML
	base   *url.URL
	posts  []post
	hints  Hints
}

// read parses a normalised document.
func (n *normalised) read(base *url.URL, limits Limits) (reading, error) {
	if n.json != nil {
		r, repairs, err := readJSON(n.json, base, limits)
		n.repairs |= repairs
		return r, err
	}
	parse := parseRSS
	if n.xml.Root == "feed" {
		parse = parseAtom
	}
	r, err := parse(n.xml)
	if err != nil {
		return reading{}, &feed.Failure{Class: feed.FailureParse, Reason: "the document cannot be read as a feed", Err: err}
	}
	return r, nil
}

// parseAtom and parseRSS call the parser of the format. The parser that detects the format searches the root in the first
// kilobytes only, and some roots are longer.
func parseAtom(doc *mend.Document) (reading, error) {
	f, err := (&atom.Parser{}).Parse(bytes.NewReader(doc.WithoutTexts()))
	if err != nil {
		return reading{}, err
	}
	return readAtom(doc, f), nil
}

func parseRSS(doc *mend.Document) (reading, error) {
	f, err := (&rss.Parser{}).Parse(bytes.NewReader(doc.WithoutTexts()))
	if err != nil {
		return reading{}, err
	}
	common, err := (&gofeed.DefaultRSSTranslator{DisableContentImageScan: true}).Translate(f)
	if err != nil {
		return reading{}, err
	}
	return readRSS(doc, common, f), nil
}
