package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestParsePrintsWhatIsMadeOfADocument(t *testing.T) {
	root := newRoot()
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetIn(strings.NewReader(`<rss version="2.0"><channel><title>T</title><ttl>60</ttl><item><title>a & b</title>` +
		`<link>/1</link><category>c</category><enclosure url="e.mp3" type="audio/mpeg" length="5"/></item><item><title>cut`))
	root.SetArgs([]string{"parse", "-", "--url", "https://x.example/feed", "-o", "json"})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	var doc parsedDocument
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Format != "RSS 2.0" || doc.Hints.TTL != "1h0m0s" || !doc.Repaired || len(doc.Repairs) != 2 || len(doc.Entries) != 1 {
		t.Fatalf("got %+v", doc)
	}
	e := doc.Entries[0]
	if e.Title != "a & b" || e.Link != "https://x.example/1" || e.Categories[0].Term != "c" || e.Enclosures[0].URL != "https://x.example/e.mp3" {
		t.Errorf("got %+v", e)
	}
}

func TestParseReadsNoURL(t *testing.T) {
	if code := run(t.Context(), []string{"parse", "https://x.example/feed"}); code != exitUsage {
		t.Errorf("got exit code %d, want %d", code, exitUsage)
	}
}
