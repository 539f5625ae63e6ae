package opml

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/ingest/charset"
	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of a document. The caller bounds its bytes.
const (
	maxOutlines   = 20_000
	maxDepth      = 64
	maxValue      = 64 << 10 // bytes of one attribute
	maxAttributes = 256
)

// Read reads the feeds of an OPML document in its order. Outlines without a feed are folders. The folders of a feed, joined
// with "/", are one of its categories, besides those of its attribute category. A repeated feed is one feed with the
// categories of all. Names of elements and attributes may be in any case, and the encoding is found as it is for feeds.
//
// The Problem of a feed says why it cannot be added. Errors are of type *feed.PollError, of the classes not_a_feed, parse and
// limits.
func Read(body []byte, contentType string) ([]feed.ListedSource, error) {
	text, _, _ := charset.Decode(body, contentType)
	text = mend.Characters(text)
	r := reader{
		d: xml.NewDecoder(bytes.NewReader(text)), at: make(map[string]int),
		feeds: make([]feed.ListedSource, 0, min(bytes.Count(text, []byte("<outline")), maxOutlines)), // growing it takes five times its memory
	}
	r.d.Strict = false
	r.d.Entity = xml.HTMLEntity
	r.d.CharsetReader = func(_ string, text io.Reader) (io.Reader, error) { return text, nil } // it is UTF-8 by now
	for {
		token, err := r.d.Token()
		root, isElement := token.(xml.StartElement)
		switch {
		case errors.Is(err, io.EOF):
			return nil, feed.Failf(feed.FailureNotAFeed, "the document is not OPML: it has no element")
		case err != nil:
			return nil, &feed.PollError{Class: feed.FailureNotAFeed, Reason: "the document is not OPML", Err: err}
		case !isElement:
			continue
		case !strings.EqualFold(root.Name.Local, "opml"):
			return nil, feed.Failf(feed.FailureNotAFeed, "the document is not OPML: it begins with the element %q", feed.ShortLine(root.Name.Local))
		}
		if err := r.element(root, "", 1); err != nil {
			return nil, err
		}
		return r.feeds, nil
	}
}

// reader collects the feeds of a document.
type reader struct {
	d        *xml.Decoder
	outlines int
	feeds    []feed.ListedSource
	at       map[string]int // index in feeds, by URL
}

// element reads an element in a folder, from after its start tag to its end tag.
func (r *reader) element(t xml.StartElement, folder string, depth int) (err error) {
	switch {
	case depth > maxDepth:
		return feed.Failf(feed.FailureLimits, "outlines are nested more than %d deep", maxDepth)
	case len(t.Attr) > maxAttributes:
		return feed.Failf(feed.FailureLimits, "an outline has more than %d attributes", maxAttributes)
	case strings.EqualFold(t.Name.Local, "outline"):
		if folder, err = r.outline(t, folder); err != nil {
			return err
		}
	}
	for {
		token, err := r.d.Token()
		if err != nil {
			return &feed.PollError{Class: feed.FailureParse, Reason: "the OPML document is damaged", Err: err}
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := r.element(t, folder, depth+1); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

// outline reads an outline: a feed or a folder. It returns the folder of the outlines in it.
func (r *reader) outline(t xml.StartElement, folder string) (string, error) {
	if r.outlines++; r.outlines > maxOutlines {
		return "", feed.Failf(feed.FailureLimits, "the document has more than %d outlines; split it", maxOutlines)
	}
	o := make(map[string]string, len(t.Attr))
	for _, a := range t.Attr {
		if len(a.Value) > maxValue {
			return "", feed.Failf(feed.FailureLimits, "an attribute has more than %d bytes", maxValue)
		}
		key := strings.ToLower(a.Name.Local)
		if a.Name.Space == space {
			key = "feedwire:" + key
		} else if a.Name.Space != "" {
			continue
		}
		if _, twice := o[key]; !twice {
			o[key] = a.Value
		}
	}
	address := strings.TrimSpace(o["xmlurl"])
	if name := strings.TrimSpace(o["feedwire:"+local]); feed.IsLocal(name) {
		address = name
	}
	if kind := strings.ToLower(o["type"]); address == "" && (kind == "rss" || kind == "atom") {
		address = strings.TrimSpace(o["url"])
	}
	title, text := mend.Line(o["title"]), mend.Line(o["text"])
	if title == "" && text != address { // an outline needs a text, so a feed without a title has its address there
		title = text
	}
	switch {
	case address != "": // outlines within a feed are not in a folder of its name
		r.feed(address, title, folder, o)
	case folder == "":
		folder = title
	case title != "":
		folder += "/" + title
	}
	return folder, nil
}

// feed adds a feed that is in a folder.
func (r *reader) feed(address, title, folder string, o map[string]string) {
	categories := append([]string{folder}, strings.Split(o["category"], ",")...)
	url, err := feed.SourceURL(address)
	if err != nil {
		r.feeds = append(r.feeds, feed.ListedSource{
			Source:  feed.Source{URL: feed.ShortLine(address), About: feed.About{Title: feed.ShortLine(title)}},
			Problem: feed.ShortLine(err.Error()),
		})
		return
	}
	if i, twice := r.at[url]; twice {
		known := &r.feeds[i]
		known.Folder = cmp.Or(known.Folder, folder)
		known.Source.Categories = feed.CleanCategories(append(known.Source.Categories, categories...))
		return
	}
	listed := feed.ListedSource{Folder: folder, Muted: o["feedwire:"+muted] == "true", Source: feed.Source{
		ID: feed.SourceID(url), URL: url, Categories: feed.CleanCategories(categories),
		About: feed.About{Title: title, Link: absoluteLink(o["htmlurl"])},
	}}
	if err := applySettings(&listed.Source, o); err != nil {
		listed.Problem = feed.ShortLine(err.Error())
	}
	if o["feedwire:"+proxy] != "" {
		listed.Ignored = proxyIgnored
	}
	r.at[url] = len(r.feeds)
	r.feeds = append(r.feeds, listed)
}

// absoluteLink returns s if it is an absolute http or https URL, or "".
func absoluteLink(s string) string {
	if s = mend.Line(s); mend.Resolve(new(url.URL), s) != "" {
		return s
	}
	return ""
}
