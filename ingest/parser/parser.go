// Package parser reads feed documents: RSS 0.9 to 2.0, Atom 0.3 and 1.0, and JSON Feed.
//
// Parse decodes the document, mends it (package mend), parses it with gofeed or as JSON, and translates it into entries:
// identity, dates, absolute links and bounded fields. Texts come from the outline that mend records, because gofeed loses
// their type, base and spelling.
package parser

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"time"

	"github.com/mmcdole/gofeed/atom"
	"github.com/mmcdole/gofeed/rss"

	"github.com/feedwire/feedwire/ingest/charset"
	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// Raw is a document as it was received.
type Raw struct {
	Body            []byte        // decompressed and bounded
	ContentType     string        // header field; may be empty
	ContentLocation string        // header field; may be empty: the base of relative links (RFC 3986 section 5.1.2)
	ContentLanguage string        // header field; may be empty: the default language of the feed
	URL             string        // after redirects: the default base of relative links
	Received        time.Time     // the date of entries without one
	Pushed          bool          // by a hub: it may be a fragment of the feed
	Identity        feed.Identity // how the source's entries have been identified so far
}

// NewRaw returns the document of an HTTP response.
func NewRaw(body []byte, header http.Header, url string, received time.Time) Raw {
	return Raw{
		Body: body, URL: url, Received: received, ContentType: header.Get("Content-Type"), ContentLocation: header.Get("Content-Location"),
		ContentLanguage: header.Get("Content-Language"),
	}
}

// Parsed is the content of a document.
type Parsed struct {
	Document feed.Document
	Bases    []string      // of the links of each entry
	Rejected int           // number of entries without the required fields, which are omitted
	Identity feed.Identity // how the entries are identified; Raw.Identity if possible
	Hints    Hints
	Encoding string   // named as in the WHATWG encoding standard
	Base     string   // of the document's links
	Repairs  []string // descriptions of the repairs
	Findings []feed.Finding
}

// PanicError is the cause of a feed.PollError if a parser panicked.
type PanicError struct {
	Value any
	Stack []byte
}

func (p *PanicError) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Parse reads a document and returns its newest maxEntries entries, 2000 if that is 0. The FeedURL of the entries is feedURL,
// their ids are empty. Entries without the fields that feed.Entry requires are omitted. Errors are of type *feed.PollError and
// of the classes not_a_feed, parse or limits.
func Parse(raw Raw, feedURL string, maxEntries int) (parsed Parsed, err error) {
	defer func() {
		if p := recover(); p != nil {
			parsed = Parsed{}
			err = &feed.PollError{Class: feed.FailureParse, Reason: "the document could not be read", Err: &PanicError{p, debug.Stack()}}
		}
	}()
	if maxEntries <= 0 {
		maxEntries = 2000
	}
	base, err := url.Parse(raw.URL)
	if err != nil {
		return parsed, &feed.PollError{Class: feed.FailureParse, Reason: "the document's URL is invalid", Err: err}
	}
	base = mend.Rebase(base, raw.ContentLocation)
	r, err := read(raw, base, maxEntries)
	if err != nil {
		return parsed, err
	}
	r.Document.About.Language = firstOf(r.Document.About.Language, raw.ContentLanguage)
	return translate(r, feedURL, raw, maxEntries), nil
}

// reading is a feed in a form that all formats share. Its Parsed has no entries yet.
type reading struct {
	Parsed
	posts   []*post
	left    map[feed.FindingClass]int // number of entries that are not among the posts, by the limit that they exceed
	repairs mend.Repairs
}

// read decodes and mends a document and reads it in its format.
func read(raw Raw, base *url.URL, maxEntries int) (r reading, err error) {
	if len(bytes.TrimSpace(raw.Body)) == 0 {
		return r, feed.Failf(feed.FailureNotAFeed, "the document is empty")
	}
	text, encoding, intact := charset.Decode(raw.Body, raw.ContentType)
	trimmed := bytes.TrimLeft(text, " \t\r\n\uFEFF")
	if isJSONList(trimmed) {
		return r, feed.Failf(feed.FailureNotAFeed, "the document is %s", otherJSON(trimmed, false))
	}
	if len(trimmed) > 0 && trimmed[0] == '{' {
		r, err = readJSON(trimmed, base, max(maxEntries, minItems))
	} else {
		r, err = readXML(text, base, max(maxEntries, minItems))
	}
	r.Encoding = encoding
	if !intact {
		r.repairs |= mend.RepairedEncoding
	}
	return r, err
}

// readXML calls the parser of the format. The parser of gofeed that detects the format searches the root in the first
// kilobytes only, and some roots are longer.
func readXML(text []byte, base *url.URL, maxItems int) (r reading, err error) {
	doc, err := mend.XML(text, base, maxItems)
	if err != nil {
		return r, err
	}
	source := bytes.NewReader(doc.WithoutTexts())
	if doc.Root == "feed" {
		var f *atom.Feed
		if f, err = (&atom.Parser{}).Parse(source); err == nil {
			r = readAtom(doc, f)
		}
	} else {
		var f *rss.Feed
		if f, err = (&rss.Parser{}).Parse(source); err == nil {
			r = readRSS(doc, f)
		}
	}
	if err != nil {
		return reading{}, &feed.PollError{Class: feed.FailureParse, Reason: "the document cannot be read as a feed", Err: err}
	}
	r.repairs = doc.Repairs
	r.left = map[feed.FindingClass]int{feed.FindingEntry: doc.LeftOut, feed.FindingEntries: doc.Rest}
	for i, p := range r.posts {
		item := doc.Item(i)
		if item.CutText {
			p.exceeds(feed.FindingText)
		}
		if item.CutMarkup {
			p.exceeds(feed.FindingMarkup)
		}
	}
	return r, nil
}
