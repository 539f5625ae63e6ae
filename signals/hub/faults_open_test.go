package hub_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/store/feed"
)

// openFaults are mistakes with topics of any content type.
func openFaults() []fault {
	body := func(change func([]byte) []byte) func(*feed.OpenDocument, *error) {
		return func(d *feed.OpenDocument, _ *error) { d.Body = change(d.Body) }
	}
	return []fault{
		{name: "pages lose their byte order mark", caught: "O01 HTML keeps its bytes",
			fetch: body(func(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\ufeff")) })},
		{name: "the charset is left out", caught: "O01 text keeps its charset",
			fetch: func(d *feed.OpenDocument, _ *error) { d.ContentType, _, _ = strings.Cut(d.ContentType, ";") }},
		{name: "the type is in lower case", caught: "O01 text keeps its charset",
			fetch: func(d *feed.OpenDocument, _ *error) { d.ContentType = strings.ToLower(d.ContentType) }},
		{name: "JSON is compacted", caught: "O01 JSON keeps its spelling",
			fetch: body(func(b []byte) []byte {
				var compact bytes.Buffer
				if json.Compact(&compact, b) != nil {
					return b
				}
				return compact.Bytes()
			})},
		{name: "spaces in XML are reduced", caught: "O01 XML keeps its spelling",
			fetch: body(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("  "), []byte(" ")) })},
		{name: "bytes that are not text are replaced", caught: "O01 images keep their bytes",
			fetch: body(func(b []byte) []byte { return bytes.ToValidUTF8(b, []byte("?")) })},
		{name: "an empty document is a failure", caught: "O01 an empty document is news",
			fetch: func(d *feed.OpenDocument, err *error) {
				if len(d.Body) == 0 {
					*err = io.ErrUnexpectedEOF
				}
			}},
		{name: "a missing type is guessed", caught: "O01 a document without a type is a stream of bytes",
			fetch: func(d *feed.OpenDocument, _ *error) { d.ContentType = http.DetectContentType(d.Body) }},
		{name: "the type is that of the first check", caught: "O02 another type of the same bytes is news",
			fetch: func() func(*feed.OpenDocument, *error) {
				first := ""
				return func(d *feed.OpenDocument, _ *error) {
					if first == "" {
						first = d.ContentType
					}
					d.ContentType = first
				}
			}()},
		{name: "each check finds news", caught: "O03 the document of a new topic, and an unchanged one, are not news",
			fetch: func(d *feed.OpenDocument, _ *error) { d.Body = append(d.Body, "<!-- "+rand.Text()+" -->"...) }},
		{name: "a failure is an empty document", caught: "O04 a failure, 204 and 304 are not news",
			fetch: func(_ *feed.OpenDocument, err *error) { *err = nil }},
		{name: "304 is an empty document", caught: "O04 a failure, 204 and 304 are not news",
			fetch: func(d *feed.OpenDocument, _ *error) { d.NotModified = false }},
		{name: "published documents are not added", caught: "O05 publishing an unknown document makes it a topic",
			options: func(o *hub.FrontOptions) { o.AddTopic = nil }},
		{name: "documents are added without being fetched", caught: "O06 a document that cannot be fetched is denied",
			fetch: func(_ *feed.OpenDocument, err *error) { *err = nil }},
		{name: "denials of documents are not sent", caught: "O06 a document that cannot be fetched is denied",
			options: func(o *hub.FrontOptions) {
				o.AddTopic = func(context.Context, string) error { return feed.ErrUnavailable }
			}},
		{name: "replays end with a line", caught: "O07 the owner lists and replays an open topic",
			call: sendsBody(func(h http.Header, body []byte) []byte {
				if h.Get("X-Feedwire-Replay") != "" {
					body = append(body, '\n')
				}
				return body
			})},
		{name: "lists lack the attempts", caught: "O07 the owner lists and replays an open topic",
			settle: func(s *feed.DeliveryResult) { s.MaxAttempts = 0 }},
	}
}
