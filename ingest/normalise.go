package ingest

import (
	"bytes"
	"net/url"

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// normalised is a document that the parsers can read: UTF-8 without byte order mark, within all bounds, and either a JSON
// object or well-formed XML.
type normalised struct {
	json     []byte         // nil if the document is XML
	xml      *mend.Document // nil if the document is JSON
	encoding string         // of the original, named as in the WHATWG encoding standard
	repairs  mend.Repairs
}

// normalise decodes and mends a document. Errors are of the classes not_a_feed, parse and limits.
func normalise(raw Raw, base *url.URL, limits Limits) (n normalised, err error) {
	if len(bytes.TrimSpace(raw.Body)) == 0 {
		return n, feed.Failf(feed.FailureNotAFeed, "the document is empty")
	}
	text, encoding, intact := toUTF8(raw.Body, raw.ContentType)
	n.encoding = encoding
	if !intact {
		n.repairs |= mend.RepairedEncoding
	}
	if trimmed := bytes.TrimLeft(text, " \t\r\n\uFEFF"); len(trimmed) > 0 && trimmed[0] == '{' {
		n.json = trimmed
		return n, mend.CheckJSON(trimmed)
	}
	n.xml, err = mend.XML(text, base, limits.Entries)
	if err != nil {
		return n, err
	}
	n.repairs |= n.xml.Repairs
	return n, nil
}
