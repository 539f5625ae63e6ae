//go:build !race

package daemon

import (
	"bytes"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// sourceKinds are the kinds of sources with fields of their own. Each has a document with one entry.
func sourceKinds() []string { return []string{"podcast", "youtube", "photos", "geo", "forum"} }

func kindDocument(t *testing.T, kind string) []byte {
	t.Helper()
	body, err := os.ReadFile("../e2e/testdata/fields/kind-" + kind + ".xml")
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// addKind adds a source of a kind, without outgoing feeds unless settings name some, and returns its entry.
func (d *daemon) addKind(web *wiretest.Origin, kind string, settings map[string]any) feed.Entry {
	d.t.Helper()
	web.SetRaw("/"+kind, kindDocument(d.t, kind))
	if settings == nil {
		settings = map[string]any{"feeds": []string{}}
	}
	return d.entryOf(d.add(web.URL+"/"+kind, settings))
}

// entryOf returns the only entry of a source.
func (d *daemon) entryOf(src feed.Source) feed.Entry {
	d.t.Helper()
	var page feed.Page[feed.Entry]
	d.do(http.MethodGet, "/api/v1/sources/"+src.ID+"/entries?content=1", nil, &page)
	if len(page.Items) != 1 {
		d.t.Fatalf("%s has %d entries", src.URL, len(page.Items))
	}
	return page.Items[0]
}

// TestFieldsOfEachKindOfSourceReachReadersAndSubscribers adds a source, which is published by rule, and edits its entry. The API has
// all fields of the document; the republished feeds and the outgoing feeds have them as served and as the hub delivers them.
func TestFieldsOfEachKindOfSourceReachReadersAndSubscribers(t *testing.T) {
	t.Parallel()
	for _, kind := range sourceKinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			d := start(t, storetest.RedisAOF(t), "feeds:\n  readers: {profile: full-text}\n")
			web := wiretest.NewOrigin(t)
			first := d.addKind(web, kind, map[string]any{"feeds": []string{"readers"}, "publish": "auto"})
			src := d.source(first.FeedURL)
			wiretest.Eventually(t, "published", func() bool { return len(d.articles("feed=readers&state=published")) == 1 })

			topics := slices.Clone(src.Republished)
			for _, name := range []string{"readers", "readers.atom", "readers.json"} {
				topics = append(topics, d.app.cfg().PublicURL+"/feed/"+name)
			}
			subscribers := make([]*reader, len(topics))
			for i, topic := range topics {
				subscribers[i] = newReader(t)
				d.subscribes(subscribers[i], topic, subscribers[i].URL+"/push")
			}
			document := bytes.ReplaceAll(kindDocument(t, kind), []byte("Low tide"), []byte("Low tide, later"))
			web.SetRaw("/"+kind, document)
			d.poll(src)
			entry := d.entryOf(src)
			if read := readEntry(t, document, src.URL); entry.Title != "Low tide, later" {
				t.Errorf("the title is %q", entry.Title)
			} else if _, lacking := wiretest.Carried(&read, &entry); len(lacking) > 0 {
				t.Errorf("the API lacks %v: %+v", lacking, entry)
			}
			for i, topic := range topics {
				var body string // the first delivery may still be of the document before the edit
				var got *http.Request
				wiretest.Eventually(t, "the edit in "+topic, func() bool {
					for _, got = range subscribers[i].deliveries() {
						if body = got.Form.Get("body"); strings.Contains(body, "Low tide, later") {
							return true
						}
					}
					return false
				})
				if err := websub.Verify(got.Header, "hush", []byte(body)); err != nil {
					t.Errorf("%s: %v", topic, err)
				}
				if served, _ := d.fetched(topic); served != body {
					t.Errorf("%s serves\n%s\nand delivers\n%s", topic, served, body)
				}
				read := readEntry(t, []byte(body), topic)
				if republished := i < len(src.Republished); republished {
					want, got := src.About, readDocument(t, []byte(body), topic).About
					if want.Authors == nil {
						got.Authors = nil // Atom requires one
					}
					if diff := cmp.Diff(want.Details(), got.Details()); diff != "" {
						t.Errorf("%s describes another feed (-want +got):\n%s", topic, diff)
					}
				}
				carried, lacking := wiretest.Carried(&entry, &read)
				if len(lacking) > 0 || len(carried) == 0 || !strings.HasPrefix(read.Title, "Low tide, later") {
					t.Errorf("%s carries %v and lacks %v in\n%s", topic, carried, lacking, body)
				}
			}
		})
	}
}

// readEntry returns the only entry of a document.
func readEntry(t *testing.T, document []byte, url string) feed.Entry {
	t.Helper()
	return readDocument(t, document, url).Entries[0]
}

// readDocument reads a document with one entry.
func readDocument(t *testing.T, document []byte, url string) feed.Document {
	t.Helper()
	parsed, err := parser.Parse(parser.Raw{Body: document, URL: url, Received: time.Now()}, url, 0)
	if err != nil || len(parsed.Document.Entries) != 1 {
		t.Fatalf("%v, %d entries in\n%s", err, len(parsed.Document.Entries), document)
	}
	return parsed.Document
}
