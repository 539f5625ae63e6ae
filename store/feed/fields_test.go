package feed_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
)

var update = flag.Bool("update", false, "write the table of docs/reference/fields.md")

func TestFieldsAreDocumented(t *testing.T) {
	const page, begin, end = "../../docs/reference/fields.md", "<!-- table -->\n", "<!-- end -->"
	table := "| field | kind | digest | RSS | Atom | JSON Feed |\n|---|---|---|---|---|---|\n"
	places := func(locations string) string {
		if locations == "" {
			return "–"
		}
		return "`" + strings.ReplaceAll(strings.ReplaceAll(locations, "|", `\|`), " ", "` `") + "`"
	}
	for i := range feed.Fields {
		f := &feed.Fields[i]
		digest := ""
		if f.Digest {
			digest = "✓"
		}
		table += fmt.Sprintf("| `%s` | %s | %s | %s | %s | %s |\n", f.Name, f.Kind, digest, places(f.RSS), places(f.Atom), places(f.JSON))
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), begin)
	documented, after, found := strings.Cut(rest, end)
	switch {
	case !found:
		t.Fatalf("%s has no table between %q and %q", page, begin, end)
	case documented == table:
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table in %s differs; run go test ./store/feed -update (-want +got):\n%s", page, cmp.Diff(table, documented))
	}
}

// sample returns an entry with a value in one field only.
func sample(f *feed.Field) feed.Entry {
	value := map[feed.Kind]string{
		feed.KindText: "A & B", feed.KindHTML: "<p>A</p>", feed.KindURL: "https://x.example/a", feed.KindLanguage: "de", feed.KindNumber: "12", feed.KindInteger: "12",
		feed.KindSeconds: "90", feed.KindBool: "true", feed.KindPoint: "45.2 -71.9", feed.KindPoints: "45.2 -71.9 46 -71", feed.KindPolygon: "1 2 3 4 5 6 1 2",
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

func TestFieldValuesHaveTheJSONOfTheAPI(t *testing.T) {
	e := feed.Entry{Extra: map[string]string{
		"duration": "62", "episode": "many", "persons": `[{"name":"Ann"}]`, "rights": "A & B", "enclosures": `[{"url":"u"}]`, "mood": "calm",
	}}
	got, err := json.Marshal(e.FieldValues())
	const want = `{"duration":62,"persons":[{"name":"Ann"}],"rights":"A \u0026 B"}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	var back feed.FieldValues
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(feed.FieldValues{"duration": "62", "persons": `[{"name":"Ann"}]`, "rights": "A & B"}, back); diff != "" {
		t.Error(diff)
	}
}

func TestValuesAreStoredInOneForm(t *testing.T) {
	for _, tt := range []struct {
		kind       feed.Kind
		text, want string
	}{
		{feed.KindNumber, " 007 ", "7"}, {feed.KindNumber, "0", "0"}, {feed.KindNumber, "3.5", "3.5"}, {feed.KindNumber, "0.5", "0.5"},
		{feed.KindNumber, "-1", ""}, {feed.KindNumber, "1e9", ""}, {feed.KindNumber, "1.", ""}, {feed.KindNumber, "many", ""},
		{feed.KindNumber, "", ""}, {feed.KindNumber, "1234567890123456", ""},
		{feed.KindSeconds, "3723", "3723"}, {feed.KindSeconds, "1:02:03", "3723"}, {feed.KindSeconds, "62:03", "3723"},
		{feed.KindSeconds, "59.9", "59"}, {feed.KindSeconds, "0", ""}, {feed.KindSeconds, "1:2:3:4", ""}, {feed.KindSeconds, "1h", ""},
		{feed.KindSeconds, "-5", ""}, {feed.KindSeconds, "99999999999", ""}, {feed.KindSeconds, "NaN", ""},
		{feed.KindBool, "Yes", "true"}, {feed.KindBool, "explicit", "true"}, {feed.KindBool, "clean", "false"}, {feed.KindBool, "2", ""},
		{feed.KindPoint, " 45.256,\n-71.92 ", "45.256 -71.92"}, {feed.KindPoint, "+1 2", "1 2"}, {feed.KindPoint, "91 0", ""},
		{feed.KindPoint, "0 181", ""}, {feed.KindPoint, "1 2 3 4", ""}, {feed.KindPoint, "1", ""}, {feed.KindPoint, "NaN 0", ""},
		{feed.KindInteger, "007", "7"}, {feed.KindInteger, "2.7", ""},
		{feed.KindPolygon, "1 2 3 4 5 6", "1 2 3 4 5 6 1 2"}, {feed.KindPolygon, "1 2 3 4 5 6 1 2", "1 2 3 4 5 6 1 2"},
		{feed.KindPolygon, "1 2 3 4 1 2", ""}, {feed.KindPolygon, "1 2 3 4", ""},
		{feed.KindLanguage, "en_US", "en-US"}, {feed.KindLanguage, "zh-Hant-TW", "zh-Hant-TW"}, {feed.KindLanguage, "i-klingon", "i-klingon"},
		{feed.KindLanguage, "English", ""}, {feed.KindLanguage, `e"><x`, ""}, {feed.KindLanguage, "en-", ""},
		{feed.KindPoints, "1 2 3 4", "1 2 3 4"}, {feed.KindPoints, "1 2", ""}, {feed.KindPoints, "1 2 3", ""},
	} {
		f := feed.Field{Kind: tt.kind}
		if got := f.Normalise(tt.text); got != tt.want {
			t.Errorf("%s %q is stored as %q, want %q", tt.kind, tt.text, got, tt.want)
		}
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
