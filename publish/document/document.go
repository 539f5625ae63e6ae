// Package document serves rendered documents over HTTP: compressed once, with validators, answering conditional requests
// without a body (RFC 9110).
package document

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"
)

// Meta describes a document in its header.
type Meta struct {
	MediaType string
	Private   bool   // shared caches must not store it
	Self, Hub string // topic and hub (WebSub section 4); an empty Hub means no subscriptions
}

// Document is a rendered document in all encodings. It is immutable.
type Document struct {
	Meta
	Modified time.Time // when its bytes first became the document, whole seconds
	Dated    bool      // no other version has the same Modified, so Modified identifies this one

	plain, gzip variant
}

// variant is the document in one encoding.
type variant struct {
	body []byte
	etag string
	full []field // header of a 200
	bare []field // header of a 304: what describes the document, not the body
}

// field is a header field. A list of fields is faster to copy than a map, and every request copies one.
type field struct {
	name   string
	values []string // shared by all responses
}

// New returns the document with a body. If last, the version before, has the same body and privacy, New returns a copy of
// it and false. last may be nil.
func New(body []byte, m Meta, last *Document, now time.Time) (d *Document, changed bool) {
	tag := tagOf(body)
	if last != nil && last.plain.etag == quote(tag) && last.Private == m.Private {
		same := *last
		return &same, false
	}
	modified := now.UTC().Truncate(time.Second)
	return newDocument(body, tag, m, modified, last == nil || !modified.Equal(last.Modified)), true
}

// Restore returns a document with known dates.
func Restore(body []byte, m Meta, modified time.Time, dated bool) *Document {
	return newDocument(body, tagOf(body), m, modified.UTC(), dated)
}

func newDocument(body []byte, tag string, m Meta, modified time.Time, dated bool) *Document {
	d := &Document{Meta: m, Modified: modified, Dated: dated}
	d.plain = d.variant(body, quote(tag), "")
	d.gzip = d.variant(compress(body), quote(tag+"-gzip"), "gzip")
	return d
}

// tagOf returns a checksum of body for entity tags.
func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

func quote(tag string) string { return `"` + tag + `"` }

func (d *Document) variant(body []byte, etag, encoding string) variant {
	v := variant{body: body, etag: etag}
	add := func(name, value string) { v.full = append(v.full, field{name, []string{value}}) }
	if d.Private {
		add("Cache-Control", "private, no-cache")
	} else {
		add("Cache-Control", "no-cache")
	}
	add("Etag", etag)
	add("Last-Modified", d.Modified.Format(http.TimeFormat))
	add("Vary", "Accept-Encoding")
	if d.Hub != "" { // in one field (WebSub section 4)
		add("Link", fmt.Sprintf(`<%s>; rel="hub", <%s>; rel="self"`, d.Hub, d.Self))
	}
	v.bare = v.full[:len(v.full):len(v.full)]
	add("Accept-Ranges", "none")
	add("Content-Length", strconv.Itoa(len(body)))
	add("Content-Type", d.ContentType())
	add("X-Content-Type-Options", "nosniff")
	if encoding != "" {
		add("Content-Encoding", encoding)
	}
	return v
}

func compress(body []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(body) // writing to a buffer does not fail
	_ = w.Close()
	return out.Bytes()
}

// Body returns the uncompressed body.
func (d *Document) Body() []byte { return d.plain.body }

// ContentType returns the media type with the encoding of characters.
func (d *Document) ContentType() string { return d.MediaType + "; charset=utf-8" }

// Size returns about how many bytes the document occupies.
func (d *Document) Size() int { return len(d.plain.body) + len(d.gzip.body) + 4096 }
