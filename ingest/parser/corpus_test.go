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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"
	htmlcharset "golang.org/x/net/html/charset"

	"github.com/feedwire/feedwire/ingest/charset"
	"github.com/feedwire/feedwire/ingest/date"
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
// which is no feed format of ours. The groups entities and amp have a document for each way to write a character; they are
// counted separately, so that many easy cases do not hide a few hard ones.
const (
	leastParsed = 0.998
	leastMet    = 0.99
)

// isOneCharacter reports whether the documents of a group differ in one character.
func isOneCharacter(group string) bool { return group == "entities" || group == "amp" }

// tally counts the documents and expectations of a group.
type tally struct{ documents, parsed, judged, met int }

func (g *tally) count(parsed, judged, met bool) {
	for number, counts := range map[*int]bool{&g.parsed: parsed, &g.judged: judged, &g.met: judged && met} {
		if counts {
			*number++
		}
	}
}

func TestParseMeetsTheExpectationsOfTheCorpus(t *testing.T) {
	root := filepath.Join(corpus, "feedparser")
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the corpus of expectations is not beside this checkout")
	}
	groups := map[string]*tally{}
	var all, characters, others tally
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
		kind := &others
		if isOneCharacter(group) {
			kind = &characters
		}
		totals := []*tally{groups[group], kind, &all}
		for _, g := range totals {
			g.documents++
		}
		parsed, head, err := readCorpus(name, body)
		if err != nil {
			t.Logf("%s: %v", name, err) // its expectations do not hold
		}
		_, expect, found := strings.Cut(head, "Expect:")
		expect, _, _ = strings.Cut(expect, "-->")
		x := expectation{rest: expect, names: namesOf(body, parsed), equal: same}
		var met, judged bool
		if found && group != "sanitize" {
			var unread error
			if met, judged, unread = x.evaluate(); unread != nil {
				t.Errorf("%s: %v", name, unread)
			}
		}
		if judged && !met {
			t.Logf("%s: not met: %s %s", name, strings.TrimSpace(expect), x.failed)
		}
		for _, g := range totals {
			g.count(err == nil, judged, met)
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
		line(name, *groups[name])
	}
	line("one character", characters)
	line("others", others)
	line("all", all)
	t.Logf("\n%s", table.String())
	if float64(all.parsed) < leastParsed*float64(all.documents) {
		t.Errorf("%d of %d documents parsed", all.parsed, all.documents)
	}
	for _, g := range []tally{characters, others} {
		if float64(g.met) < leastMet*float64(g.judged) {
			t.Errorf("%d of %d expectations met", g.met, g.judged)
		}
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

var entryStart = regexp.MustCompile(`<(?:entry|item)[\s>]`)

// encoding is an encoding that was found, and the document.
type encoding struct {
	name string
	body []byte
}

// decodesAs reports whether the document has the same characters in another encoding. ASCII is UTF-8, for example.
func (e encoding) decodesAs(name string) bool {
	if strings.EqualFold(e.name, name) {
		return true
	}
	found, _ := htmlcharset.Lookup(e.name)
	wanted, _ := htmlcharset.Lookup(name)
	if found == nil || wanted == nil {
		return false
	}
	text, err := found.NewDecoder().Bytes(e.body)
	other, err2 := wanted.NewDecoder().Bytes(e.body)
	return err == nil && err2 == nil && string(text) == string(other)
}

// version is a format and its version: "RSS 1.0" is rss10. More precise ones begin with it: rss090, or rss091n of Netscape.
type version string

func (v version) begins(text string) bool {
	return v != "" && strings.HasPrefix(text, strings.ToLower(strings.NewReplacer(" ", "", ".", "").Replace(string(v))))
}

// namesOf is a document under the names that the expectations use. Each line says what of ours stands for a name, where that
// is not the same. Other names are not judged: bozo, which says that a document is not well-formed, the type, base and
// language of single texts, link elements as such, generator, cloud, textinput, docs, info, publisher, ratings and
// restrictions, and all of a source but its title and link, because feedwire has no fields for them.
func namesOf(body []byte, parsed parser.Parsed) map[string]any {
	var entries []any
	for range parsed.Rejected { // entries that were left out lack everything
		entries = append(entries, entryNames(&feed.Entry{}, ""))
	}
	for i := range parsed.Document.Entries { // documents list the newest first
		entries = append(entries, entryNames(&parsed.Document.Entries[len(parsed.Document.Entries)-1-i], parsed.Document.About.Language))
	}
	if listed := len(entryStart.FindAll(body, -1)); len(entries) == 1 && listed > 1 {
		entries = slices.Repeat(entries, listed) // an entry that a document repeats is stored once
	}
	head := feedNames(&parsed.Document.About)
	return map[string]any{
		"feed":     head,
		"channel":  head, // the name of feed in old expectations
		"entries":  entries,
		"encoding": encoding{parsed.Encoding, body},
		"version":  version(parsed.Document.Format),
	}
}

func feedNames(about *feed.About) map[string]any {
	return map[string]any{
		"title":           about.Title,
		"title_detail":    detail(about.Title),
		"link":            about.Link,
		"description":     about.Description, // RSS
		"subtitle":        about.Description, // Atom 1.0
		"tagline":         about.Description, // Atom 0.3
		"subtitle_detail": detail(about.Description),
		"tagline_detail":  detail(about.Description),
		"language":        about.Language,
		"author":          personText(about.Authors), // "name (email)", or what is known of it
		"author_detail":   first(people(about.Authors)),
		"authors":         people(about.Authors),
		"tags":            tags(about.Categories),
		"image":           map[string]any{"href": about.Image, "url": about.Image},
		"logo":            about.Image, // Atom
		"icon":            about.Icon,
		"rights":          about.Rights,
		"copyright":       about.Rights, // RSS and Atom 0.3
		"rights_detail":   detail(about.Rights),
	}
}

func entryNames(e *feed.Entry, feedLanguage string) map[string]any {
	authors := extra[feed.Person](e, "author_details")
	if len(authors) == 0 { // only names are known
		for _, name := range e.Authors {
			authors = append(authors, feed.Person{Name: name})
		}
	}
	categories := extra[feed.Category](e, "categories")
	summary := cmp.Or(e.Summary, e.Content) // a text that stands alone is the content of ours
	names := map[string]any{
		"title":            e.Title,
		"title_detail":     detail(e.Title),
		"link":             e.Link,
		"id":               e.GUID,
		"guid":             e.GUID,
		"summary":          summary,
		"description":      summary, // RSS
		"summary_detail":   detail(summary),
		"content":          []any{detail(e.Content)},
		"language":         cmp.Or(e.Extra["language"], feedLanguage), // stored if it is not that of the feed
		"author":           personText(authors),
		"author_detail":    first(people(authors)),
		"authors":          people(authors),
		"contributors":     people(extra[feed.Person](e, "contributors")),
		"published":        e.Published,
		"published_parsed": e.Published,
		"issued":           e.Published, // Atom 0.3
		"issued_parsed":    e.Published,
		"updated":          e.Updated,
		"updated_parsed":   e.Updated,
		"modified":         e.Updated, // Atom 0.3
		"modified_parsed":  e.Updated,
		"tags":             tags(categories),
		"category":         missing{}, // the first term
		"enclosures":       files(extra[feed.Enclosure](e, "enclosures")),
		"source":           map[string]any{"title": e.Extra["source_title"], "title_detail": detail(e.Extra["source_title"]), "link": e.Extra["source_url"]},
		"rights":           e.Extra["rights"],
		"copyright":        e.Extra["rights"], // Atom 0.3
		"rights_detail":    detail(e.Extra["rights"]),
		"comments":         e.Extra["comments"],
		"wfw_comment":      e.Extra["comment_api"],
		"wfw_commentrss":   e.Extra["comment_feed"],
		"thr_in-reply-to":  map[string]any{"href": e.Extra["in_reply_to"]},
		"image":            map[string]any{"href": e.Extra["image"]},
		"itunes_explicit":  explicit(e.Extra["explicit"]),
		"where":            where(e),
		"psc_chapters":     map[string]any{"chapters": chapters(e)},
	}
	if len(categories) > 0 {
		names["category"] = categories[0].Term
	}
	return names
}

// detail is a text with its value only.
func detail(text string) map[string]any { return map[string]any{"value": text} }

// first returns the first item of a list.
func first(list []any) any { return index(list, 0.0) }

// people is persons. The URL has two names.
func people(persons []feed.Person) (list []any) {
	for _, p := range persons {
		list = append(list, map[string]any{"name": p.Name, "email": p.Email, "url": p.URL, "href": p.URL})
	}
	return list
}

// personText is the names of persons. It is compared with a text that may have an email address.
func personText(persons []feed.Person) string {
	var names []string
	for _, p := range persons {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

func tags(categories []feed.Category) (list []any) {
	for _, c := range categories {
		var label any // None if it is absent
		if c.Label != "" {
			label = c.Label
		}
		list = append(list, map[string]any{"term": c.Term, "scheme": c.Scheme, "label": label})
	}
	return list
}

// files is enclosures. The URL has two names, and lengths are text.
func files(enclosures []feed.Enclosure) (list []any) {
	for _, e := range enclosures {
		length := ""
		if e.Length > 0 {
			length = fmt.Sprint(e.Length)
		}
		list = append(list, map[string]any{"href": e.URL, "url": e.URL, "type": e.Type, "length": length})
	}
	return list
}

// explicit is True, False, or None for anything else.
func explicit(value string) any {
	switch value {
	case "true":
		return true
	case "false":
		return false
	}
	return nil
}

// where is the place of an entry, with the longitude before the latitude.
func where(e *feed.Entry) any {
	for kind, field := range map[string]string{"Point": "geo_point", "LineString": "geo_line", "Polygon": "geo_polygon", "Box": "geo_box"} {
		if numbers := strings.Fields(e.Extra[field]); len(numbers) > 1 {
			var points []any
			for pair := range slices.Chunk(numbers, 2) {
				latitude, _ := strconv.ParseFloat(pair[0], 64)
				longitude, _ := strconv.ParseFloat(pair[len(pair)-1], 64)
				points = append(points, []any{longitude, latitude})
			}
			coordinates := any(points)
			switch kind {
			case "Point":
				coordinates = points[0]
			case "Polygon": // a list of rings
				coordinates = []any{points}
			}
			return map[string]any{"type": kind, "coordinates": coordinates}
		}
	}
	return missing{}
}

func chapters(e *feed.Entry) (list []any) {
	for _, c := range extra[feed.Chapter](e, "chapters") {
		list = append(list, map[string]any{"title": c.Title, "link": c.URL, "image": c.Image})
	}
	return list
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
	case encoding:
		name, _ := want.(string)
		return got.decodesAs(name)
	case version:
		text, _ := want.(string)
		return got.begins(text)
	case bool:
		return want != nil && got == truth(want) // True is 1
	case time.Time:
		if list, ok := want.([]any); ok && len(list) >= 6 {
			n := func(i int) int { f, _ := list[i].(float64); return int(f) }
			return got.Equal(time.Date(n(0), time.Month(n(1)), n(2), n(3), n(4), n(5), 0, time.UTC))
		}
		when, ok := want.(string)
		return ok && got.Equal(date.Parse(when))
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
