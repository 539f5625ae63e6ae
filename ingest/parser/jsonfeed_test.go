package parser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/ingest/parser"
)

func TestNullsInJSONFeedsAreNothing(t *testing.T) {
	for body, want := range map[string]int{
		`{"version":"https://jsonfeed.org/version/1.1","items":[null,{"id":"1","title":"T","authors":[null,{"name":null}],"author":null,` +
			`"tags":[null],"attachments":[null,{"url":null}]}]}`: 1,
		`{"version":"https://jsonfeed.org/version/1.1","authors":[null],"hubs":[null],"title":null,"items":[null]}`: 0,
		`{"version":"https://jsonfeed.org/version/1.1","items":null}`:                                               0,
	} {
		doc, err := parseDocument(parser.Raw{Body: []byte(body), URL: "http://x.example/", Received: time.Now()},
			"http://x.example/", 0)
		if err != nil || len(doc.Entries) != want {
			t.Errorf("%s: %d entries, %v", body, len(doc.Entries), err)
			continue
		}
		for _, e := range doc.Entries {
			if len(e.Authors) != 0 {
				t.Errorf("%s: the authors are %q", body, e.Authors)
			}
		}
	}
}

func TestTrailingCommasLoseNoItem(t *testing.T) {
	const body = `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","title":"a,]\",}",},{"id":"2","tags":["x", ],
		} , ],}`
	got, err := parser.Parse(parser.Raw{Body: []byte(body), URL: feedURL, Received: received}, feedURL, 0)
	if err != nil || len(got.Document.Entries) != 2 || got.Document.Repaired || len(got.Repairs) != 1 {
		t.Fatalf("got %+v, %v; want both items of a document that is complete", got, err)
	}
	if title := got.Document.Entries[0].Title + got.Document.Entries[1].Title; title != `a,]",}` {
		t.Errorf("the titles are %q", title)
	}
}

// A document with several members of a name means to feedwire what it means to other readers.
func TestLastOfSeveralItemsCounts(t *testing.T) {
	const body = `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1"},{"id":"2"}],"items":[{"id":"3"}]}`
	doc, err := parseDocument(parser.Raw{Body: []byte(body), URL: feedURL, Received: received}, feedURL, 0)
	if err != nil || len(doc.Entries) != 1 || doc.Entries[0].GUID != "3" {
		t.Errorf("got %+v, %v; want the last items", doc.Entries, err)
	}
}

func TestTextBehindAJSONFeedIsToldPlainly(t *testing.T) {
	const want = "the document is not valid JSON: text follows its end"
	for _, behind := range []string{"g", " garbage", "{}", "]"} {
		_, err := parser.Parse(parser.Raw{Body: []byte(`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1"}]}` + behind), URL: feedURL, Received: received}, feedURL, 0)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", behind, err, want)
		}
	}
}
