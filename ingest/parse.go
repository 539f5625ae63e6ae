package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/mmcdole/gofeed"

	"github.com/feedwire/feedwire/store/feed"
)

// Raw is a document as it came over the network.
type Raw struct {
	Body        []byte    // decompressed; bounded by whoever read it
	ContentType string    // the header field; may be empty
	URL         string    // where it came from after redirects: the base of its relative links
	Received    time.Time // when it came; entries without a date get this one
	Pushed      bool      // by a hub: it need not be the whole feed, and says nothing about the feed itself
}

// Limits bound what is taken from one document. The zero value works.
type Limits struct {
	Entries int // default 2000
}

// errPanic marks an error that was a panic.
var errPanic = errors.New("panic")

// Parse reads RSS 0.9 to 2.0, Atom and JSON Feed. The entries carry everything but what the store gives: FeedURL is
// feedURL, ids are empty. Those without what feed.Entry requires are left out. Errors are of type *Error, of the
// classes not_a_feed, parse or limits.
func Parse(raw Raw, feedURL string, limits Limits) (feed.Document, error) {
	doc, _, err := parse(raw, feedURL, limits)
	return doc, err
}

// parse also counts the entries left out.
func parse(raw Raw, feedURL string, limits Limits) (doc feed.Document, rejected int, err error) {
	defer func() {
		if p := recover(); p != nil {
			doc, rejected = feed.Document{}, 0
			err = &Error{Class: ClassParse, Reason: "the document could not be handled", Err: fmt.Errorf("%w: %v", errPanic, p)}
		}
	}()
	if limits.Entries <= 0 {
		limits.Entries = 2000
	}
	base, err := url.Parse(raw.URL)
	if err != nil {
		return doc, 0, &Error{Class: ClassParse, Reason: "the document's URL cannot be read", Err: err}
	}
	body, err := normalise(raw)
	if err != nil {
		return doc, 0, err
	}
	scan := prescanXML
	if body[0] == '{' {
		scan = prescanJSON
	}
	body, outline, err := scan(body, base, limits)
	if err != nil {
		return doc, 0, err
	}
	parser := gofeed.NewParser()
	parser.KeepOriginalFeed = true
	parser.RSSTranslator = &gofeed.DefaultRSSTranslator{DisableContentImageScan: true}
	parsed, err := parser.Parse(bytes.NewReader(body))
	if err != nil {
		return doc, 0, &Error{Class: ClassParse, Reason: "the document cannot be read as a feed", Err: err}
	}
	doc, rejected = translate(parsed, outline, base, feedURL, raw.Received)
	return doc, rejected, nil
}
