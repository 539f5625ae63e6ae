package feed_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
)

// sample returns an entry with a value in one field only.
func sample(f *feed.Field) feed.Entry {
	value := map[feed.Kind]string{
		feed.KindText: "A & B", feed.KindHTML: "<p>A</p>", feed.KindURL: "https://x.example/a", feed.KindLanguage: "de", feed.KindNumber: "12",
		feed.KindList: `[{"term":"a","url":"https://x.example/a"}]`,
	}[f.Kind]
	if f.Name == "authors" {
		value = `["Ann","Bo"]`
	}
	return feed.EntryFromFields("", map[string]string{
		"feed_url": "https://x.example/feed", "guid": "g", "timestamp": feed.FormatTime(noon), f.Name: value,
	})
}

func TestEveryFieldSurvivesTheHashAndTheAPI(t *testing.T) {
	seen := map[string]bool{}
	for i := range feed.Fields {
		f := &feed.Fields[i]
		t.Run(f.Name, func(t *testing.T) {
			if seen[f.Name] {
				t.Error("the table has the name twice")
			}
			seen[f.Name] = true
			e := sample(f)
			hash := e.Fields()
			if hash[f.Name] == "" {
				t.Fatalf("the hash is %v", hash)
			}
			if diff := cmp.Diff(e, feed.EntryFromFields("", hash)); diff != "" {
				t.Errorf("through the hash (-want +got):\n%s", diff)
			}
			text, err := json.Marshal(e)
			if err != nil || !strings.Contains(string(text), `"`+f.Name+`":`) || strings.Contains(string(text), `"extra"`) {
				t.Fatalf("got %s, %v", text, err)
			}
			var back feed.Entry
			if err := json.Unmarshal(text, &back); err != nil || back.Digest() != e.Digest() {
				t.Fatalf("through the API: %v, %+v", err, back)
			}
			again, err := json.Marshal(back)
			if err != nil || string(again) != string(text) {
				t.Errorf("through the API twice: %s, %v; want %s", again, err, text)
			}
			none := feed.Entry{FeedURL: e.FeedURL, GUID: e.GUID, Timestamp: e.Timestamp}
			if (none.Digest() != e.Digest()) != f.Digest {
				t.Errorf("the digest covers the field: %v, want %v", !f.Digest, f.Digest)
			}
		})
	}
}

func TestAPIReturnsRealJSON(t *testing.T) {
	e := feed.Entry{FeedURL: "f", GUID: "g", Extra: map[string]string{
		"language": "de", "categories": `[{"term":"a"}]`, "enclosures": `[{"url":"https://x.example/a","length":"12"}]`, "mood": "calm",
	}}
	got, err := json.Marshal(e)
	const want = `{"feed_url":"f","guid":"g","extra":{"mood":"calm"},"language":"de","categories":[{"term":"a"}],` +
		`"enclosures":[{"url":"https://x.example/a","length":12}]}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	if len(e.Extra) != 4 {
		t.Errorf("the entry was changed: %v", e.Extra)
	}
	e.Extra = map[string]string{"categories": `{`}
	if got, err := json.Marshal(e); err != nil || !strings.Contains(string(got), `"extra":{"categories":"{"}`) {
		t.Errorf("a malformed list: %s, %v", got, err)
	}
}
