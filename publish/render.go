package publish

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
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
	modified time.Time        // when these bytes first were the feed, whole seconds
	dated    bool             // no other document was the feed in that second, so modified names this one
	private  bool             // of a source that is not for all
	parts    map[partKey]part // of a source: its entries, which lie in plain.body
}

// variant is the document in one encoding, with its header lines ready.
type variant struct {
	body   []byte
	etag   string
	header map[string][]string
	bare   map[string][]string // of a 304: those that tell of the document, not of the body
}

// render makes the document of what was chosen; the newest publication stands first in it.
func (o *outlet) render(chosen *choice, now time.Time) (*document, error) {
	doc := &document{until: chosen.until}
	var items [][]byte
	var newest time.Time
	for _, it := range slices.Backward(chosen.shown) {
		items = append(items, it.encoded)
		doc.shown = append(doc.shown, it.impression)
		if it.modified.After(newest) {
			newest = it.modified
		}
	}
	body, err := o.form.encode(o.channel(newest), &o.profile, items)
	if err != nil {
		return nil, fmt.Errorf("encode feed %s: %w", o.Type, err)
	}
	if err := o.form.check(body, len(doc.shown)); err != nil {
		return nil, fmt.Errorf("check feed %s: %w", o.Type, err)
	}
	o.metrics.items.Set(float64(len(doc.shown)))
	l := label{mediaType: o.form.mediaType, private: o.secret != nil, self: o.self(), hub: o.hub()}
	if l.finish(doc, o.doc, body, now) {
		o.metrics.lastChange.Set(float64(now.Unix()))
	}
	return doc, nil
}

func (o *outlet) channel(newest time.Time) *channel {
	c := &channel{
		title: o.Title, link: o.Link, description: o.Description, language: o.Language, copyright: o.Copyright,
		logo: o.Logo, darkLogo: o.DarkLogo, self: o.self(), hub: o.hub(), changed: newest,
	}
	if most := o.profile.ChannelDescriptionMaximum; most > 0 {
		c.description = shorten(c.description, most)
	}
	if c.link == "" {
		c.link = o.opts.PublicURL
	}
	return c
}

// renderItem makes one item. It is nil where there is a fault, which is that article's and not the feed's.
func (o *outlet) renderItem(a *feed.Article) []byte {
	encoded, err := o.encode(a)
	if err != nil {
		o.metrics.renderFailures.Inc()
		o.holds.note(o.key(a), reasonOf(err))
		o.opts.Logger.Warn("article held back from the feed", "article", a.UUID, "feed", o.Type, "err", err)
		return nil
	}
	return encoded
}

// encode makes one item and reads it again alone.
func (o *outlet) encode(a *feed.Article) ([]byte, error) {
	encoded, err := o.encodeItem(a)
	if err != nil {
		return nil, err
	}
	if most := o.profile.MaxBytes; most > 0 && len(encoded) > most-channelBytes {
		return nil, fmt.Errorf("%w: it takes %d bytes, and %s takes %d for all articles", feed.ErrInvalid, len(encoded), o.profile.Name, most)
	}
	alone, _ := o.form.encode(o.channel(time.Time{}), &o.profile, [][]byte{encoded}) // strings always encode
	return encoded, o.form.check(alone, 1)
}

func (o *outlet) encodeItem(a *feed.Article) ([]byte, error) {
	e, err := o.entry(a)
	if err != nil {
		return nil, err
	}
	return o.form.item(e, &o.profile)
}

// transform makes the markup of an article in the dress of this feed.
func (o *outlet) transform(a *feed.Article) (string, []instant.Warning, error) {
	rules, own := o.rules[a.FeedURL]
	if !own {
		rules = o.rules[""]
	}
	return instant.Transform(o.dated(a), instant.Options{
		Rules: rules, Language: o.Language, Copyright: o.Copyright, Tags: a.Categories, Cover: a.Image, Development: o.TwinOf != "",
	})
}

// dated is an article with the date and the address that this feed gives it.
func (o *outlet) dated(a *feed.Article) feed.Article {
	dated := *a
	dated.Published, dated.Canonical = published(a, o.Type), o.link(a)
	return dated
}

// isoTime is ISO 8601 as RFC 3339 has it.
func isoTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// finish fills in what a document is sent with, and tells whether that is another body than that of the last one.
func (l *label) finish(doc, last *document, body []byte, now time.Time) bool {
	tag := etagOf(body)
	if last != nil && last.plain.etag == `"`+tag+`"` && last.private == doc.private { // then it keeps its date and encodings
		doc.plain, doc.gzip, doc.modified, doc.dated = last.plain, last.gzip, last.modified, last.dated
		return false
	}
	doc.modified = now.UTC().Truncate(time.Second)
	doc.dated = last == nil || !doc.modified.Equal(last.modified)
	doc.plain = l.variant(body, `"`+tag+`"`, doc.modified, "")
	doc.gzip = l.variant(compress(body), `"`+tag+`-gzip"`, doc.modified, "gzip")
	return true
}

// etagOf names bytes.
func etagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// label is what the header lines of a document say of it.
type label struct {
	mediaType string
	private   bool   // it is not for all
	self, hub string // hub is empty: nobody can subscribe
}

// variant prepares the header lines; the maps of requests share their values, which nobody may change.
func (l *label) variant(body []byte, etag string, modified time.Time, encoding string) variant {
	control := "no-cache"
	if l.private {
		control = "private, no-cache"
	}
	v := variant{body: body, etag: etag}
	v.bare = map[string][]string{
		"Cache-Control": {control},
		"Etag":          {etag},
		"Last-Modified": {modified.Format(httpTime)},
		"Vary":          {"Accept-Encoding"},
	}
	if l.hub != "" { // in one field (WebSub section 4)
		v.bare["Link"] = []string{fmt.Sprintf(`<%s>; rel="hub", <%s>; rel="self"`, l.hub, l.self)}
	}
	v.header = maps.Clone(v.bare)
	v.header["Accept-Ranges"] = []string{"none"}
	v.header["Content-Length"] = []string{strconv.Itoa(len(body))}
	v.header["Content-Type"] = []string{l.mediaType + "; charset=utf-8"}
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
