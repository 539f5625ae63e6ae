package wiretest

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// Facebook is a User-Agent of the consumer of Instant Articles.
const Facebook = "facebookexternalhit/1.1"

// Item is one post of an Origin.
type Item struct{ GUID, Title, Body string }

// Origin serves feeds with validators. A test changes them.
type Origin struct {
	*httptest.Server
	mu    sync.Mutex
	items map[string][]Item // by path, the newest last
	raw   map[string][]byte // by path; it has precedence over items
	asked map[string]int    // requests by path
	Link  string            // the Link header; empty: none
}

// NewOrigin starts an origin that runs until the test ends.
func NewOrigin(t *testing.T) *Origin {
	o := &Origin{items: make(map[string][]Item), raw: make(map[string][]byte), asked: make(map[string]int)}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	return o
}

func (o *Origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	o.asked[r.URL.Path]++
	body, ok := o.raw[r.URL.Path]
	if !ok {
		body = o.Render(o.items[r.URL.Path])
	}
	link := o.Link
	o.mu.Unlock()
	w.Header().Set("Content-Type", "application/xml")
	if link != "" {
		w.Header().Set("Link", link)
	}
	w.Header().Set("Etag", fmt.Sprintf(`"%x"`, len(body)+int(sum(body))))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

func sum(b []byte) (n uint32) {
	for _, c := range b {
		n = n*31 + uint32(c)
	}
	return n
}

// Render returns an RSS document with the items.
func (o *Origin) Render(items []Item) []byte {
	var b bytes.Buffer
	b.WriteString(`<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Test</title><link>http://x.example/</link><description>d</description>`)
	for _, it := range items {
		b.WriteString("<item><title>")
		_ = xml.EscapeText(&b, []byte(it.Title))
		fmt.Fprintf(&b, "</title><guid isPermaLink=\"false\">%s</guid><link>http://x.example/%s</link><content:encoded><![CDATA[%s]]></content:encoded></item>",
			it.GUID, it.GUID, it.Body)
	}
	b.WriteString("</channel></rss>")
	return b.Bytes()
}

// Requests is how often a path was requested.
func (o *Origin) Requests(path string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked[path]
}

// Set serves the items at a path.
func (o *Origin) Set(path string, items ...Item) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.items[path] = slices.Clone(items) // the caller may change its slice
}

// Posts returns n items.
func Posts(n int) (all []Item) {
	for i := range n {
		all = append(all, Post(fmt.Sprintf("p%d", i), fmt.Sprintf("Post %d", i), fmt.Sprintf("<p>Body of post %d.</p>", i)))
	}
	return all
}

// Document is what tests read of an RSS document.
type Document struct {
	GUIDs []string `xml:"channel>item>guid"`
}

// Page serves an HTML page with links to feeds at a path.
func (o *Origin) Page(path string, links ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := "<!doctype html><html><head>"
	for _, l := range links {
		text += `<link rel="alternate" type="application/rss+xml" title="Feed ` + l + `" href="` + l + `">`
	}
	o.raw[path] = []byte(text + "</head></html>")
}

// Post returns an item.
func Post(guid, title, body string) Item { return Item{guid, title, body} }

// SetRaw serves a document at a path, instead of items.
func (o *Origin) SetRaw(path string, document []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.raw[path] = document
}
