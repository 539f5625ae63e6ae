package parser_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"

	"github.com/feedwire/feedwire/ingest/charset"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

// corpus holds documents that no one of this project wrote. It is not part of the project.
const corpus = "../../../shared/corpus"

func TestParseTakesAllEntriesOfPublishedFeeds(t *testing.T) {
	cases := []struct {
		file    string
		entries int
		title   string // of some entry, in the right letters
	}{
		{"encoding_ISO-8859-1.xml", 40, "für"},
		{"encoding_WINDOWS-1251.xml", 50, "Цитата #17703"},
		{"large_atom.xml", 25, "Using vale with vim"},
		{"large_rss.xml", 25, "Using vale with vim"},
		{"no_encoding_ISO-8859-1.xml", 10, "Perturbateurs endocriniens : quels effets sur le cerveau ?"},
		{"rdf_UTF8.xml", 60, "OLED-TVs: Vorsichtsmaßnahmen gegen Einbrennen"},
		{"small_atom.xml", 20, ""},
		{"urdu_UTF8.xml", 26, "کے"},
	}
	for _, c := range cases {
		t.Run(c.file, func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join(corpus, "real", c.file))
			if errors.Is(err, fs.ErrNotExist) {
				t.Skip("the corpus of published feeds is not beside this checkout")
			}
			if err != nil {
				t.Fatal(err)
			}
			received := time.Now()
			doc, err := parseDocument(parser.Raw{Body: body, URL: "https://example.org/feed", Received: received},
				"https://example.org/feed", 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(doc.Entries) != c.entries {
				t.Errorf("got %d entries, want %d", len(doc.Entries), c.entries)
			}
			found := false
			for _, e := range doc.Entries {
				found = found || strings.Contains(e.Title, c.title)
				if !utf8.ValidString(e.Title+e.Content) || strings.ContainsRune(e.Title+e.Content, utf8.RuneError) {
					t.Errorf("entry %s has damaged letters", e.GUID)
				}
			}
			if !found {
				t.Errorf("no entry is called %q", c.title)
			}
		})
	}
}

// What the corpus of expectations must come to. Not judged: sanitising, which is done where content is shown, and CDF,
// which is no feed format of ours.
const (
	leastParsed = 0.99
	leastMet    = 0.93
)

// tally counts the documents and expectations of a group.
type tally struct{ documents, parsed, judged, met int }

func TestParseMeetsTheExpectationsOfTheCorpus(t *testing.T) {
	root := filepath.Join(corpus, "feedparser")
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the corpus of expectations is not beside this checkout")
	}
	groups := map[string]*tally{}
	var all tally
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".xml" && filepath.Ext(path) != ".json" {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		group := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(name)), "wellformed/")
		if group == "cdf" || len(strings.TrimSpace(string(body))) == 0 || strings.Contains(string(body), "<CHANNEL") {
			return nil
		}
		if groups[group] == nil {
			groups[group] = &tally{}
		}
		g := groups[group]
		g.documents++
		all.documents++
		parsed, head, err := readCorpus(name, body)
		if err != nil {
			t.Logf("%s: %v", name, err)
			return nil
		}
		g.parsed++
		all.parsed++
		_, expect, found := strings.Cut(head, "Expect:")
		if !found || group == "sanitize" {
			return nil
		}
		expect, _, _ = strings.Cut(expect, "-->")
		x := expectation{rest: expect, names: namesOf(parsed), equal: same}
		met, judged, err := x.evaluate()
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case judged:
			g.judged++
			all.judged++
			if met {
				g.met++
				all.met++
			} else {
				t.Logf("%s: not met: %s %s", name, strings.TrimSpace(expect), x.failed)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	line := func(name string, g tally) {
		fmt.Fprintf(&table, "%-20s %5d of %5d documents parsed, %4d of %4d expectations met\n", name, g.parsed, g.documents, g.met, g.judged)
	}
	for _, name := range sortedKeys(groups) {
		g := *groups[name]
		line(name, g)
		if float64(g.met) < leastMet*float64(g.judged) {
			t.Errorf("%s: %d of %d expectations met", name, g.met, g.judged)
		}
	}
	line("all", all)
	t.Logf("\n%s", table.String())
	if float64(all.parsed) < leastParsed*float64(all.documents) {
		t.Errorf("%d of %d documents parsed", all.parsed, all.documents)
	}
}

func sortedKeys(groups map[string]*tally) []string {
	var names []string
	for name := range groups {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// readCorpus parses a document with the header fields that its first comment names. head is that comment, and what
// follows.
func readCorpus(name string, body []byte) (parsed parser.Parsed, head string, err error) {
	text, _, _ := charset.Decode(body, "")
	head = string(text)
	if begin, end, ok := strings.Cut(head, "-->"); ok {
		head = begin + "-->"
		_ = end
	}
	field := func(name string) string {
		for line := range strings.Lines(head) {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "Header:"); ok {
				key, value, _ := strings.Cut(rest, ":")
				if strings.EqualFold(strings.TrimSpace(key), name) {
					return strings.TrimSpace(value)
				}
			}
		}
		return ""
	}
	at := "http://127.0.0.1:8097/" + filepath.ToSlash(name)
	parsed, err = parser.Parse(parser.Raw{
		Body: body, URL: at, Received: time.Now(),
		ContentType: field("Content-Type"), ContentLocation: field("Content-Location"),
		ContentLanguage: field("Content-Language"),
	}, at, 0)
	return parsed, head, err
}

// namesOf is a document under the names that the expectations use. bozo, which says that a document is not well-formed,
// is not ours to tell.
func namesOf(parsed parser.Parsed) map[string]any {
	about := parsed.Document.About
	head := map[string]any{
		"title": about.Title, "title_detail": map[string]any{"value": about.Title}, "link": about.Link,
		"description": about.Description, "subtitle": about.Description, "tagline": about.Description,
		"subtitle_detail": map[string]any{"value": about.Description}, "tagline_detail": map[string]any{"value": about.Description},
		"language": about.Language,
	}
	var entries []any
	for i := range len(parsed.Document.Entries) + parsed.Rejected {
		var e feed.Entry // one that was left out is empty
		var language string
		if i < len(parsed.Document.Entries) {
			e = parsed.Document.Entries[i]
			language = cmp.Or(e.Extra["language"], about.Language)
		}
		summary := e.Summary
		if summary == "" {
			summary = e.Content
		}
		entry := map[string]any{
			"title": e.Title, "title_detail": map[string]any{"value": e.Title}, "link": e.Link, "id": e.GUID, "guid": e.GUID,
			"summary": summary, "description": summary, "summary_detail": map[string]any{"value": summary},
			"content": []any{map[string]any{"value": e.Content}}, "language": language, "author": strings.Join(e.Authors, ", "),
			"published": e.Published, "published_parsed": e.Published, "issued": e.Published, "issued_parsed": e.Published,
			"updated": e.Updated, "updated_parsed": e.Updated, "modified": e.Updated, "modified_parsed": e.Updated,
		}
		var authors, tags, enclosures []any
		for _, a := range e.Authors {
			authors = append(authors, map[string]any{"name": a})
		}
		for _, c := range extra[struct{ Term, Scheme, Label string }](&e, "categories") {
			var label any
			if c.Label != "" {
				label = c.Label
			}
			tags = append(tags, map[string]any{"term": c.Term, "scheme": c.Scheme, "label": label})
			if entry["category"] == nil {
				entry["category"] = c.Term
			}
		}
		for _, e := range extra[struct{ URL, Type, Length string }](&e, "enclosures") {
			enclosures = append(enclosures, map[string]any{"href": e.URL, "url": e.URL, "type": e.Type, "length": e.Length})
		}
		entry["authors"], entry["tags"], entry["enclosures"] = authors, tags, enclosures
		if len(authors) > 0 {
			entry["author_detail"] = authors[0]
		}
		entries = append(entries, entry)
	}
	slices.Reverse(entries[:len(parsed.Document.Entries)]) // newest first, as documents are written
	return map[string]any{"feed": head, "channel": head, "entries": entries}
}

// extra decodes a list in the Extra of an entry.
func extra[T any](e *feed.Entry, field string) (list []T) {
	_ = json.Unmarshal([]byte(e.Extra[field]), &list)
	return list
}

// same compares what we have with what is expected, in the form we keep it in: titles as text, dates as times, names
// without addresses, HTML whatever its spelling.
func same(got, want any) bool {
	switch got := got.(type) {
	case time.Time:
		if list, ok := want.([]any); ok && len(list) >= 6 {
			n := func(i int) int { f, _ := list[i].(float64); return int(f) }
			return got.Equal(time.Date(n(0), time.Month(n(1)), n(2), n(3), n(4), n(5), 0, time.UTC))
		}
		when, ok := want.(string)
		return ok && got.Equal(parser.ParseDate(when))
	case string:
		text, ok := want.(string)
		if want == nil || !ok {
			return want == nil && got == ""
		}
		return spelt(got) == spelt(text) || got == parser.PlainText(text) || got == parser.PlainText(html.UnescapeString(text)) ||
			got == parser.PersonName(text)
	}
	return fmt.Sprint(got) == fmt.Sprint(want)
}

// spelt is HTML in one spelling: attributes in order, entities as characters, without a wrapping div, and URLs without a
// slash at the end.
func spelt(s string) string {
	var out strings.Builder
	opened := "" // the element that has just begun: an end tag at once may be missing
	z := nethtml.NewTokenizer(strings.NewReader(strings.TrimSpace(s)))
	for {
		kind := z.Next()
		if kind == nethtml.ErrorToken {
			break
		}
		token := z.Token()
		attributes := slices.DeleteFunc(token.Attr, func(a nethtml.Attribute) bool { return strings.HasPrefix(a.Key, "xmlns") })
		slices.SortFunc(attributes, func(a, b nethtml.Attribute) int { return strings.Compare(a.Key, b.Key) })
		switch kind {
		case nethtml.TextToken:
			out.WriteString(html.UnescapeString(strings.Join(strings.Fields(token.Data), " ")))
		case nethtml.CommentToken, nethtml.DoctypeToken:
		case nethtml.EndTagToken:
			if token.Data != opened {
				fmt.Fprintf(&out, "</%s>", token.Data)
			}
			opened = ""
			continue
		default:
			fmt.Fprintf(&out, "<%s%v>", token.Data, attributes)
			opened = token.Data
			continue
		}
		opened = ""
	}
	text := out.String()
	if inner, ok := strings.CutPrefix(text, "<div[]>"); ok && strings.HasSuffix(inner, "</div>") {
		text = strings.TrimSuffix(inner, "</div>")
	}
	return strings.TrimSuffix(strings.TrimSpace(text), "/")
}
