package ingest

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// The bounds of an OPML document, besides that of its bytes, which is up to whoever read them.
const (
	maxOutlines          = 20_000
	maxOutlineDepth      = 64
	maxOPMLValue         = 64 << 10 // bytes of one attribute
	maxOutlineAttributes = 256
)

// opmlSpace is the namespace of the attributes that only feedwire has.
const opmlSpace = "https://github.com/feedwire/feedwire/ns/opml"

// ReadOPML reads the feeds of an OPML 1.0 or 2.0 document, in its order. Outlines without a feed are folders, and the
// folders that a feed is in, joined with "/", are a category of it, besides those of its attribute category. A feed that
// stands there several times is one with all of these categories. Names of elements and attributes may be in any case,
// and the encoding is found as it is for feeds.
//
// What is wrong with one feed is its Problem. Errors are of type *feed.Failure, of the classes not_a_feed, parse and limits.
func ReadOPML(body []byte, contentType string) ([]feed.ListedSource, error) {
	r := opmlReader{at: make(map[string]int)}
	text, _, _ := toUTF8(body, contentType)
	d := xml.NewDecoder(bytes.NewReader(mend.Characters(text)))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, text io.Reader) (io.Reader, error) { return text, nil } // it is UTF-8 by now
	for {
		token, err := d.Token()
		if err == io.EOF { //nolint:errorlint // documented to be returned as it is
			break
		}
		if err != nil && !r.isOPML {
			return nil, &feed.Failure{Class: feed.FailureNotAFeed, Reason: "this is no OPML document", Err: err}
		}
		if err != nil {
			return nil, &feed.Failure{Class: feed.FailureParse, Reason: "the OPML document is damaged", Err: err}
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = r.start(t)
		case xml.EndElement:
			r.end(t)
		}
		if err != nil {
			return nil, err
		}
	}
	if !r.isOPML {
		return nil, feed.Failf(feed.FailureNotAFeed, "this is no OPML document: it has no element")
	}
	return r.feeds, nil
}

// opmlReader takes the elements of a document one after the other.
type opmlReader struct {
	isOPML   bool
	depth    int
	outlines int
	folders  []string // for each open outline: the folder that it is; empty: it is none
	feeds    []feed.ListedSource
	at       map[string]int // place in feeds, by URL
}

func (r *opmlReader) start(t xml.StartElement) error {
	name := strings.ToLower(t.Name.Local)
	r.depth++
	switch {
	case !r.isOPML && name != "opml":
		return feed.Failf(feed.FailureNotAFeed, "this is no OPML document: it begins with the element %q", short(t.Name.Local))
	case r.depth > maxOutlineDepth:
		return feed.Failf(feed.FailureLimits, "outlines are nested more than %d deep", maxOutlineDepth)
	case len(t.Attr) > maxOutlineAttributes:
		return feed.Failf(feed.FailureLimits, "an outline has more than %d attributes", maxOutlineAttributes)
	}
	r.isOPML = true
	if name != "outline" {
		return nil
	}
	if r.outlines++; r.outlines > maxOutlines {
		return feed.Failf(feed.FailureLimits, "the document has more than %d outlines; split it", maxOutlines)
	}
	o := make(map[string]string, len(t.Attr))
	for _, a := range t.Attr {
		if len(a.Value) > maxOPMLValue {
			return feed.Failf(feed.FailureLimits, "an attribute has more than %d bytes", maxOPMLValue)
		}
		key := strings.ToLower(a.Name.Local)
		if a.Name.Space == opmlSpace {
			key = "feedwire:" + key
		} else if a.Name.Space != "" {
			continue
		}
		if _, twice := o[key]; !twice {
			o[key] = a.Value
		}
	}
	r.outline(o)
	return nil
}

// outline takes one outline by its attributes: a feed or a folder.
func (r *opmlReader) outline(o map[string]string) {
	address := strings.TrimSpace(o["xmlurl"])
	if kind := strings.ToLower(o["type"]); address == "" && (kind == "rss" || kind == "atom") {
		address = strings.TrimSpace(o["url"])
	}
	title, text := cleanLine(o["title"]), cleanLine(o["text"])
	if title == "" && text != address { // an outline needs a text, so a feed without a title has its address there
		title = text
	}
	if address == "" {
		r.folders = append(r.folders, title)
		return
	}
	categories := []string{r.folder()}
	categories = append(categories, strings.Split(o["category"], ",")...)
	r.folders = append(r.folders, "") // outlines within a feed are not in a folder of its name

	url, err := feed.CanonicalURL(address)
	if err != nil {
		r.feeds = append(r.feeds, feed.ListedSource{
			Source:  feed.Source{URL: short(cleanLine(address)), About: feed.About{Title: short(title)}},
			Problem: feed.ShortLine(err.Error()),
		})
		return
	}
	if i, twice := r.at[url]; twice {
		s := &r.feeds[i].Source
		s.Categories = feed.CleanCategories(append(s.Categories, categories...))
		return
	}
	listed := feed.ListedSource{Source: feed.Source{
		ID: feed.SourceID(url), URL: url, Categories: feed.CleanCategories(categories),
		About: feed.About{Title: title, Link: absoluteLink(o["htmlurl"])},
	}}
	if err := own(&listed.Source, o); err != nil {
		listed.Problem = feed.ShortLine(err.Error())
	}
	r.at[url] = len(r.feeds)
	r.feeds = append(r.feeds, listed)
}

// own reads the attributes that only feedwire writes.
func own(s *feed.Source, o map[string]string) (err error) {
	if types, ok := o["feedwire:feeds"]; ok {
		s.Feeds = []string{}
		for typ := range strings.SplitSeq(types, ",") {
			if typ = strings.TrimSpace(typ); typ != "" {
				s.Feeds = append(s.Feeds, typ)
			}
		}
	}
	s.Publish = feed.PublishMode(o["feedwire:publish"])
	if s.Publish != "" && s.Publish != feed.PublishAuto && s.Publish != feed.PublishManual {
		return feed.Failf(feed.FailureParse, "feedwire:publish is %q; use auto or manual", short(string(s.Publish)))
	}
	for _, d := range []struct {
		name string
		to   *time.Duration
	}{{"interval", &s.Interval}, {"minInterval", &s.Request.MinInterval}, {"timeout", &s.Request.Timeout}, {"keepFor", &s.Keep.For}} {
		text := o["feedwire:"+strings.ToLower(d.name)]
		if text == "" {
			continue
		}
		if *d.to, err = time.ParseDuration(text); err != nil || *d.to < 0 {
			return feed.Failf(feed.FailureParse, "feedwire:%s is %q; write it like 90s or 1h30m", d.name, short(text))
		}
	}
	if s.Request.Proxy = o["feedwire:proxy"]; s.Request.Proxy != "" && s.Request.Proxy != direct {
		if err := feed.CheckProxy(s.Request.Proxy); err != nil {
			return fmt.Errorf("feedwire:proxy: %w", err)
		}
	}
	for name, to := range map[string]*bool{"paused": &s.Paused, "ignoreUpdates": &s.IgnoreUpdates} {
		text := o["feedwire:"+strings.ToLower(name)]
		if text == "" {
			continue
		}
		if *to, err = strconv.ParseBool(text); err != nil {
			return feed.Failf(feed.FailureParse, "feedwire:%s is %q; use true or false", name, short(text))
		}
	}
	if text := o["feedwire:keepentries"]; text != "" {
		if s.Keep.Entries, err = strconv.Atoi(text); err != nil || s.Keep.Entries < 0 {
			return feed.Failf(feed.FailureParse, "feedwire:keepEntries is %q; use a number", short(text))
		}
	}
	if s.Filters, err = feed.ParseFilters(o["feedwire:filters"]); err == nil {
		_, err = s.Filters.Compile()
	}
	return err
}

// absoluteLink is a link to the web as written, and nothing else.
func absoluteLink(s string) string {
	if s = cleanLine(s); isAbsolute(s) {
		return s
	}
	return ""
}

// folder is the folder that the outlines being read now stand in.
func (r *opmlReader) folder() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(r.folders), func(name string) bool { return name == "" }), "/")
}

func (r *opmlReader) end(t xml.EndElement) {
	r.depth--
	if strings.EqualFold(t.Name.Local, "outline") && len(r.folders) > 0 {
		r.folders = r.folders[:len(r.folders)-1]
	}
}
