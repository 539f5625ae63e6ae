package publish

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/store/feed"
)

// document is a rendered feed. It does not change once it is made, so any number of requests may write it.
type document struct {
	version  string    // of the store, for which it was made
	until    time.Time // when the oldest article looked at ages out
	shown    []feed.Impression
	plain    variant
	gzip     variant
	modified time.Time // when these bytes first were the feed, whole seconds
	dated    bool      // no other document was the feed in that second, so modified names this one
}

// variant is the document in one encoding, with its header lines ready.
type variant struct {
	body   []byte
	etag   string
	header map[string][]string
	bare   map[string][]string // of a 304: those that tell of the document, not of the body
}

const maxDescription = 1000 // bytes

// render makes the document of what was chosen; the newest publication stands first in it.
func (o *outlet) render(chosen *choice, now time.Time) (*document, error) {
	doc := &document{until: chosen.until}
	var all bytes.Buffer
	var newest time.Time
	for _, it := range slices.Backward(chosen.shown) {
		all.Write(it.encoded)
		doc.shown = append(doc.shown, it.impression)
		if it.modified.After(newest) {
			newest = it.modified
		}
	}
	body, err := o.channel(all.Bytes(), newest).encode()
	if err != nil {
		return nil, fmt.Errorf("encode feed %s: %w", o.Type, err)
	}
	if err := checkItems(body, len(doc.shown)); err != nil {
		return nil, fmt.Errorf("check feed %s: %w", o.Type, err)
	}
	o.finish(doc, body, now)
	return doc, nil
}

func (o *outlet) channel(items []byte, newest time.Time) channel {
	c := channel{Title: o.Title, Link: o.Link, Description: o.Description, Language: o.Language, Items: items}
	if c.Link == "" {
		c.Link = o.opts.PublicURL
	}
	if !newest.IsZero() {
		c.LastBuildDate = isoTime(newest)
	}
	if self := o.self(); self != "" {
		c.Links = append(c.Links, link{Href: self, Rel: "self", Type: mediaType})
	}
	if hub := o.hub(); hub != "" {
		c.Links = append(c.Links, link{Href: hub, Rel: "hub"})
	}
	return c
}

// renderItem makes one item and reads it again alone, so that a fault is that article's and not the feed's. It is nil
// where there is a fault.
func (o *outlet) renderItem(a *feed.Article) []byte {
	encoded, err := o.encodeItem(a)
	if err == nil {
		alone, _ := channel{Items: encoded}.encode() // strings always encode
		err = checkItems(alone, 1)
	}
	if err != nil {
		o.metrics.renderFailures.Inc()
		o.opts.Logger.Warn("article left out of the feed", "article", a.UUID, "feed", o.Type, "err", err)
		return nil
	}
	return encoded
}

func (o *outlet) encodeItem(a *feed.Article) ([]byte, error) {
	content, _, err := o.transform(a)
	if err != nil {
		return nil, err
	}
	it := rssItem{
		Title:       instant.Clean(a.Title),
		Link:        instant.Clean(a.Canonical),
		GUID:        guid{Value: a.UUID},
		PubDate:     isoTime(published(a, o.Type)),
		Description: instant.PlainText(a.Summary, maxDescription),
		Content:     cdata{content},
	}
	for _, author := range a.Authors {
		it.Authors = append(it.Authors, instant.Clean(author))
	}
	return xml.Marshal(it)
}

// transform makes the markup of an article in the dress of this feed.
func (o *outlet) transform(a *feed.Article) (string, []instant.Warning, error) {
	dated := *a
	dated.Published = published(a, o.Type)
	return instant.Transform(dated, instant.Options{Language: o.Language, Copyright: o.opts.Copyright})
}

// published is when the source published the article or, where it did not say, when it first went out here.
func published(a *feed.Article, typ string) time.Time {
	if a.Published.IsZero() {
		return a.Feeds[typ].Published
	}
	return a.Published
}

func modified(a *feed.Article) time.Time {
	if a.Modified.IsZero() {
		return a.Published
	}
	return a.Modified
}

// isoTime is the form of dates that this consumer documents, unlike RSS 2.0.
func isoTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// finish fills in what a document is sent with. Bytes that were the feed before keep their date and their encodings.
func (o *outlet) finish(doc *document, body []byte, now time.Time) {
	o.metrics.items.Set(float64(len(doc.shown)))
	sum := sha256.Sum256(body)
	tag := base64.RawURLEncoding.EncodeToString(sum[:16])
	if last := o.doc; last != nil && last.plain.etag == `"`+tag+`"` {
		doc.plain, doc.gzip, doc.modified, doc.dated = last.plain, last.gzip, last.modified, last.dated
		return
	}
	doc.modified = now.UTC().Truncate(time.Second)
	doc.dated = o.doc == nil || !doc.modified.Equal(o.doc.modified)
	doc.plain = o.variant(body, `"`+tag+`"`, doc.modified, "")
	doc.gzip = o.variant(compress(body), `"`+tag+`-gzip"`, doc.modified, "gzip")
	o.metrics.lastChange.Set(float64(now.Unix()))
}

// variant prepares the header lines; the maps of requests share their values, which nobody may change.
func (o *outlet) variant(body []byte, etag string, modified time.Time, encoding string) variant {
	control := "no-cache"
	if o.secret != nil {
		control = "private, no-cache"
	}
	v := variant{body: body, etag: etag}
	v.bare = map[string][]string{
		"Cache-Control": {control},
		"Etag":          {etag},
		"Last-Modified": {modified.Format(httpTime)},
		"Vary":          {"Accept-Encoding"},
	}
	if hub := o.hub(); hub != "" { // in one field (WebSub section 4)
		v.bare["Link"] = []string{fmt.Sprintf(`<%s>; rel="hub", <%s>; rel="self"`, hub, o.self())}
	}
	v.header = maps.Clone(v.bare)
	v.header["Accept-Ranges"] = []string{"none"}
	v.header["Content-Length"] = []string{strconv.Itoa(len(body))}
	v.header["Content-Type"] = []string{mediaType + "; charset=utf-8"}
	v.header["X-Content-Type-Options"] = []string{"nosniff"}
	if encoding != "" {
		v.header["Content-Encoding"] = []string{encoding}
	}
	return v
}

func compress(body []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}
