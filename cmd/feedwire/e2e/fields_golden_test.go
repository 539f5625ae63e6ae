package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/republish"
	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/signals/topics"
	"github.com/feedwire/feedwire/store/feed"
)

var update = flag.Bool("update", false, "write the golden files of testdata/fields")

// document is a republish.Store with one source.
type document struct {
	republish.Store // of lists, which no test reads
	source          feed.Source
	entries         []feed.Entry
}

func (d document) SourceVersion(context.Context, string, int) (string, error)   { return "1", nil }
func (d document) Source(context.Context, string) (feed.Source, error)          { return d.source, nil }
func (d document) Deleted(context.Context, string) ([]feed.DeletedEntry, error) { return nil, nil }

func (d document) Entries(context.Context, string, int) ([]feed.Entry, error) { return d.entries, nil }

// catalogStore is a topics.Store for the news of one source.
type catalogStore struct {
	topics.Store
	source feed.Source
}

func (s catalogStore) SourceByURL(context.Context, string) (feed.Source, error) { return s.source, nil }

// TestFieldsOfEachNamespace reads documents with a field or a namespace each. The golden files show the hash, the API, the
// republished feeds, what a subscriber of the source receives from the hub, and what each of these loses when it is read again.
// Subscribers of a republished feed receive it unchanged.
func TestFieldsOfEachNamespace(t *testing.T) {
	inputs, _ := filepath.Glob("testdata/fields/*.[xj]*")
	if len(inputs) < 60 {
		t.Fatalf("there are %d documents, want at least 60", len(inputs))
	}
	for _, input := range inputs {
		name := strings.TrimSuffix(filepath.Base(input), filepath.Ext(input))
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(input)
			if err != nil {
				t.Fatal(err)
			}
			got := fieldsOf(t, body)
			golden := "testdata/fields/" + name + ".golden"
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s differs; check it, then run go test ./cmd/feedwire/e2e -run FieldsOfEach -update (-want +got):\n%s", golden, diff)
			}
		})
	}
}

// fieldsOf returns everything that the entry of a document becomes.
func fieldsOf(t *testing.T, body []byte) []byte {
	var out bytes.Buffer
	doc := parsed(t, body)
	hash := doc.Entries[0].Fields()
	fmt.Fprintln(&out, "-- hash --")
	for _, name := range slices.Sorted(maps.Keys(hash)) {
		fmt.Fprintf(&out, "%s: %s\n", name, hash[name])
	}
	stored := feed.EntryFromFields("Entry:1", hash)
	written, err := parser.Written(stored, received)
	if diff := cmp.Diff(hash, written.Fields()); err != nil || diff != "" {
		t.Errorf("the entry cannot be written as it is: %v (-parsed +written):\n%s", err, diff)
	}
	api, err := json.MarshalIndent(map[string]any{"about": doc.About, "entry": stored}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&out, "-- API --\n%s\n", api)
	source := feed.Source{ID: feed.SourceID(harbourFeed), URL: harbourFeed, About: doc.About, Poll: feed.PollState{Format: doc.Format}}
	server := republish.New(document{source: source, entries: []feed.Entry{stored}}, "https://wire.example", republish.Options{})
	for i, format := range feedxml.Formats() {
		d, err := server.Document(t.Context(), server.URLs(source.ID)[i])
		if err != nil {
			t.Fatal(err)
		}
		text := lines(d.Body)
		if format == feedxml.JSON {
			var indented bytes.Buffer
			if err := json.Indent(&indented, d.Body, "", "  "); err != nil {
				t.Fatal(err)
			}
			text = indented.String()
		}
		fmt.Fprintf(&out, "-- %s --\n%s\n", format, text)
		again := parsed(t, d.Body)
		for _, name := range slices.Sorted(maps.Keys(hash)) {
			if now := again.Entries[0].Fields()[name]; now != hash[name] && name != "digest" {
				fmt.Fprintf(&out, "-- %s loses %s: %s --\n", format, name, now)
			}
		}
		details := doc.About.Details()
		for _, name := range slices.Sorted(maps.Keys(details)) {
			if now := again.About.Details()[name]; now != details[name] {
				fmt.Fprintf(&out, "-- %s loses %s: %s --\n", format, name, now)
			}
		}
	}
	catalog := topics.New(catalogStore{source: source}, topics.Options{HubURL: "https://wire.example/hub", Republished: server})
	news := delivery.News{FeedURL: harbourFeed, Signals: []feed.Signal{{Kind: feed.PostCreated, FeedURL: harbourFeed, Entry: "Entry:1", Post: &stored, Time: received}}}
	for i, topic := range []string{harbourFeed, server.URLs(source.ID)[0]} {
		sent, err := catalog.Outlets(false)[i].Make(t.Context(), topic, news)
		if err != nil || len(sent) != 1 {
			t.Fatalf("the hub sends %+v for %s: %v", sent, topic, err)
		}
		if i == 0 {
			fmt.Fprintf(&out, "-- hub --\n%s\n", lines(sent[0].Body))
			_, lost := wiretest.Carried(&stored, &parsed(t, sent[0].Body).Entries[0])
			fmt.Fprintf(&out, "-- hub lacks: %s --\n", strings.Join(lost, " "))
		} else if served, err := server.Document(t.Context(), topic); err != nil || !bytes.Equal(sent[0].Body, served.Body) {
			t.Errorf("the hub sends another document than %s has, %v:\n%s", topic, err, sent[0].Body)
		}
	}
	stored.Title += ": what the crew of the old ferry saw at noon"
	stored.Content += longText
	for _, form := range formsOfProfiles() {
		carried, lost := form.carries(t, &stored, &source)
		fmt.Fprintf(&out, "-- %s carries: %s; lacks: %s --\n", form, strings.Join(carried, " "), strings.Join(lost, " "))
	}
	return out.Bytes()
}

// lines returns XML with each element on a line of its own.
func lines(text []byte) string { return strings.ReplaceAll(string(text), "><", ">\n<") }

const harbourFeed = "https://harbour.example/feed"

// parsed returns a document with one entry.
func parsed(t *testing.T, body []byte) feed.Document {
	got, err := parser.Parse(parser.Raw{Body: body, URL: harbourFeed, Received: received}, harbourFeed, 0)
	if err != nil || len(got.Document.Entries) != 1 {
		t.Fatalf("%v in\n%s", err, body)
	}
	return got.Document
}

// received is when the documents are read.
var received = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
