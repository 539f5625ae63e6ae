package instant_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
	"github.com/feedwire/feedwire/publish/instant/validate"
	"github.com/feedwire/feedwire/store/feed"
)

var update = flag.Bool("update", false, "update the golden files")

func article(content string) feed.Article {
	return feed.Article{
		UUID: "u", Title: "Title & more", Canonical: "https://example.org/news/story", Authors: []string{"Ann <A>", " "},
		Published: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC), Content: content,
	}
}

// transform returns the markup of an article.
func transform(a feed.Article, o instant.Options) (string, []hypertext.Warning, error) {
	d, warnings, err := instant.Transform(a, o)
	return d.Markup, warnings, err
}

func TestWarningsBeyondTheHundredthAreCountedByKind(t *testing.T) {
	_, warnings, err := transform(article(strings.Repeat("<blink>a</blink><input>", 120)), instant.Options{})
	if err != nil || len(warnings) != 102 {
		t.Fatalf("got %d warnings, %v", len(warnings), err)
	}
	want := []hypertext.Warning{
		{Code: "left-out", Message: "70 more changes of the kind left-out are not listed"},
		{Code: "unwrapped", Message: "70 more changes of the kind unwrapped are not listed"},
	}
	if diff := cmp.Diff(want, warnings[100:]); diff != "" {
		t.Error(diff)
	}
}

// TestGolden compares whole documents and their warnings. Run with -update to write them. The cases in testdata/rules have a
// rules file.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.html")
	ruled, err2 := filepath.Glob("testdata/rules/*.html")
	if err := errors.Join(err, err2); err != nil || len(files) == 0 || len(ruled) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range append(files, ruled...) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			options := instant.Options{Language: "en", TimeZone: "Europe/Berlin"}
			if file, err := os.ReadFile(strings.TrimSuffix(name, ".html") + ".json"); err == nil {
				var notes []string
				if options.Rules, notes, err = rulesfile.Parse(file); err != nil || len(notes) > 0 {
					t.Fatal(err, notes)
				}
			}
			document, warnings, err := transform(article(string(content)), options)
			if err != nil {
				t.Fatal(err)
			}
			got := document
			for _, w := range warnings {
				got += fmt.Sprintf("-- %s | %s\n", w.Message, w.Markup)
			}
			golden := strings.TrimSuffix(name, ".html") + ".want"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("document differs (-want +got):\n%s", diff)
			}
			for _, f := range validate.Document(document, validate.Options{}) {
				t.Errorf("not valid: %+v", f)
			}
			if options.Rules == nil {
				checkSound(t, string(content), document)
			}
		})
	}
}

// An image beside the content is no content.
func TestArticleOfACoverIsEmpty(t *testing.T) {
	a := article("<p>\u00a0</p>")
	a.Image = "https://example.org/c.jpg"
	_, _, err := transform(a, instant.Options{})
	if !errors.Is(err, instant.ErrEmpty) {
		t.Errorf("got %v, want %v", err, instant.ErrEmpty)
	}
}

func TestGlobalRuleWarnsAboutOmittedParts(t *testing.T) {
	set, _, err := rulesfile.Parse([]byte(`{"rules": [{"class": "GlobalRule", "selector": "html", "properties": {
		"article.body": {"type": "element", "selector": "div.story"}, "author.name": {"type": "string", "selector": "p.by"}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	_, warnings, err := transform(article(`<html><body><nav><b>Home</b></nav><div> </div><main><p class="by">Ann</p>
		<div class="story"><p>Text</p></div><aside><img src="/ad.jpg"></aside></main></body></html>`), instant.Options{Rules: set})
	var got []string
	for _, w := range warnings {
		got = append(got, w.Code+" "+w.Markup)
	}
	if diff := cmp.Diff([]string{"ignored <nav>", "ignored <aside>"}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func TestTransformRefusesInvalidArticles(t *testing.T) {
	tests := []struct {
		name   string
		change func(*feed.Article)
		want   error
	}{
		{"no canonical", func(a *feed.Article) { a.Canonical = "" }, feed.ErrInvalid},
		{"relative canonical", func(a *feed.Article) { a.Canonical = "/x" }, feed.ErrInvalid},
		{"canonical of another scheme", func(a *feed.Article) { a.Canonical = "ftp://example.org/x" }, feed.ErrInvalid},
		{"no title", func(a *feed.Article) { a.Title = " \u00a0\x01" }, feed.ErrInvalid},
		{"no publication date", func(a *feed.Article) { a.Published = time.Time{} }, feed.ErrInvalid},
		{"too large", func(a *feed.Article) { a.Content = strings.Repeat("x", 2<<20+1) }, feed.ErrInvalid},
		{"too many elements", func(a *feed.Article) { a.Content = strings.Repeat("<p>x", 200_000) }, feed.ErrInvalid},
		{"no content", func(a *feed.Article) { a.Content = "" }, instant.ErrEmpty},
		{"nothing to see", func(a *feed.Article) { a.Content = "<p>&nbsp;</p><script>x</script>" }, instant.ErrEmpty},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := article("<p>x</p>")
			tt.change(&a)
			if document, _, err := transform(a, instant.Options{}); !errors.Is(err, tt.want) || document != "" {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// The inputs are small and grow without bounds in a careless transformation.
func TestOutputSizeIsBounded(t *testing.T) {
	link := "https://example.org/" + strings.Repeat("x", 1900)
	base := article("")
	base.Canonical = link
	for name, content := range map[string]string{
		"deep":                  strings.Repeat("<div>", 30_000) + "text" + strings.Repeat("</div>", 30_000),
		"deep formatting":       strings.Repeat("<b><i>", 400) + strings.Repeat("<p>x", 50_000),
		"link around images":    "<a href=" + link + ">" + strings.Repeat("x<img src=a>", 30_000),
		"short relative images": strings.Repeat("<img src=a><img src=b>", 30_000),
		"short links":           strings.Repeat("<a href=a>x</a>", 30_000),
		"table of images":       "<table><td>" + strings.Repeat("<td><img src=a>", 30_000),
		"unclosed":              "<p" + strings.Repeat(" a=b", 200_000),
		"end tags":              strings.Repeat("<b>", 200) + strings.Repeat("</x>", 150_000) + "text",
	} {
		t.Run(name, func(t *testing.T) {
			a := base
			a.Content = content
			document, _, err := transform(a, instant.Options{})
			if err != nil && !errors.Is(err, feed.ErrInvalid) && !errors.Is(err, instant.ErrEmpty) {
				t.Error(err)
			}
			if len(document) > 20<<20 {
				t.Errorf("%d bytes of markup made from %d", len(document), len(content))
			}
		})
	}
}

func TestDeepTextIsKept(t *testing.T) {
	document, _, err := transform(article(strings.Repeat("<div><b>", 2000)+"deep text"), instant.Options{})
	if err != nil || !strings.Contains(document, "deep text") {
		t.Errorf("text in 4,000 elements is lost: %v", err)
	}
}

func TestOptionsOfTheFeed(t *testing.T) {
	styled, _, err := rulesfile.Parse([]byte(`{"style_name": "my \"style\""}`))
	if err != nil {
		t.Fatal(err)
	}
	document, _, err := transform(article("<p>x</p>"), instant.Options{Language: "ur-PK", Rules: styled, Copyright: "© <us>"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<html lang="ur-PK" dir="rtl" prefix=`, `content="my &quot;style&quot;"`, "<small>© &lt;us&gt;</small>",
		"<address><a>Ann &lt;A&gt;</a></address>\n</header>",
	} {
		if !strings.Contains(document, want) {
			t.Errorf("document lacks %s:\n%s", want, document)
		}
	}
}

func FuzzTransform(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.html")
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(content))
	}
	f.Add("<img src=//::0><p>x")
	f.Fuzz(func(t *testing.T, content string) {
		document, _, err := transform(article(content), instant.Options{})
		if err == nil {
			checkSound(t, content, document)
		} else if strings.Contains(err.Error(), "panic") {
			t.Error(err)
		}
	})
}

// checkSound checks the invariants of a document: it is valid XML text, contains no scripts and styles, keeps all text,
// and transforming it again changes nothing.
func checkSound(t *testing.T, content, document string) {
	t.Helper()
	if document != hypertext.Clean(document) {
		t.Error("the document contains characters that XML forbids")
	}
	root, err := html.Parse(strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	checkAttributes(t, root, false)
	header := strings.Contains(strings.ToLower(content), "op-") // the format says some of its words in its own way
	if missing := firstMissing(hypertext.PlainText(content, 1<<20), document); missing != "" && !header {
		t.Errorf("text is lost: %.80q", missing)
	}
	again, _, err := transform(article(body(document)), instant.Options{})
	if err != nil {
		t.Fatalf("the content of the document is refused: %v", err)
	}
	if diff := cmp.Diff(body(document), body(again)); diff != "" {
		t.Errorf("a second transformation differs (-first +second):\n%s", diff)
	}
	if whole, _, err := transform(article(document), instant.Options{}); err != nil || body(whole) != body(document) {
		t.Errorf("the document as content differs: %v\n%s", err, cmp.Diff(body(document), body(whole)))
	}
}

// checkAttributes reports attributes and elements that must be removed. Classes are allowed inside frames, which are
// documents of their own.
func checkAttributes(t *testing.T, n *html.Node, framed bool) {
	t.Helper()
	for _, a := range n.Attr {
		value := strings.ToLower(strings.TrimSpace(a.Val))
		ours := a.Key == "class" && !slices.ContainsFunc(strings.Fields(a.Val), func(class string) bool {
			return !strings.HasPrefix(class, "op-") && class != "fb-feed-cover" && class != "no-margin" && class != "column-width"
		})
		if strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.HasPrefix(value, "javascript:") ||
			(a.Key == "class" && !framed && !ours) {
			t.Errorf("survived: <%s %s=%q>", n.Data, a.Key, a.Val)
		}
	}
	place := len(n.Attr) == 2 && n.Attr[0].Val == "application/json" && json.Valid([]byte(text(n)))
	script := n.Data == "script" && !place && (!framed || n.FirstChild != nil)
	if n.Type == html.ElementNode && (n.Data == "style" || script) {
		t.Errorf("survived: <%s>", n.Data)
	}
	for child := range n.ChildNodes() {
		if n.Data == "iframe" && n.Type == html.ElementNode {
			inner, err := html.Parse(strings.NewReader(child.Data))
			if err != nil {
				t.Fatal(err)
			}
			checkAttributes(t, inner, true)
			continue
		}
		checkAttributes(t, child, framed)
	}
}

func text(n *html.Node) string {
	if n.FirstChild == nil {
		return ""
	}
	return n.FirstChild.Data
}

// firstMissing returns the first letter of text that occurs less often in the document. Their order may differ, because
// captions move within a figure.
func firstMissing(text, document string) string {
	have := make(map[string]int)
	for _, w := range words(visible(document)) {
		have[w]++
	}
	for _, w := range words(text) {
		if have[w]--; have[w] < 0 {
			return w
		}
	}
	return ""
}

// words returns the letters and digits of s. Markup may be between any two of them.
func words(s string) []string {
	var list []string
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			list = append(list, string(r))
		}
	}
	return list
}

// visible returns the text of a document, including that in frames.
func visible(document string) string {
	var sb strings.Builder
	z := html.NewTokenizer(strings.NewReader(document))
	frame := false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return sb.String()
		case html.StartTagToken:
			name, _ := z.TagName()
			frame = string(name) == "iframe"
		case html.TextToken:
			if frame {
				sb.WriteString(visible(string(z.Raw())))
			} else {
				sb.Write(z.Text())
			}
			frame = false
		}
	}
}

// body returns the cover and everything after the header of a document.
func body(document string) string {
	_, header, _ := strings.Cut(document, "<header>\n")
	header, rest, _ := strings.Cut(header, "</header>\n")
	cover := header[:max(strings.LastIndex(header, "<h1>"), 0)]
	rest, _, _ = strings.Cut(rest, "</article>")
	return cover + rest
}
