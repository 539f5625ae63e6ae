package validate_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/instant/validate"
)

// The parts of an article that the files in testdata replace.
var parts = map[string]string{
	"document": "<!doctype html>\n<html><head>HEAD</head><body><article><header>HEADER</header>BODY</article></body></html>",
	"head":     `<link rel="canonical" href="https://example.org/a"><meta property="op:markup_version" content="v1.0">`,
	"header":   `<h1>T</h1><time class="op-published" datetime="2026-11-20T08:00:00Z">x</time>`,
	"body":     "<p>Text</p>",
}

// readArticle returns the document of an article and the rules that it violates, from its lines in a file.
func readArticle(t *testing.T, text string) (name, document string, rules []string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	name, violated, _ := strings.Cut(lines[0], " | ")
	own := make(map[string]string)
	for _, line := range lines[1:] {
		part, markup, _ := strings.Cut(line, " ")
		part, added := strings.CutSuffix(part, "+")
		if parts[part] == "" {
			t.Fatalf("%s: there is no part %q", name, part)
		}
		own[part] = markup
		if added {
			own[part] = parts[part] + markup
		}
	}
	get := func(part string) string {
		if markup, ok := own[part]; ok {
			return markup
		}
		return parts[part]
	}
	document = strings.NewReplacer("HEADER", get("header"), "HEAD", get("head"), "BODY", get("body")).Replace(get("document"))
	return name, document, strings.Fields(violated)
}

// The articles were written from the reference of the format, not from the program: the validator misses no violation, finds no
// other, and refuses no valid article.
func TestArticles(t *testing.T) {
	for file, least := range map[string]int{"testdata/broken.txt": 100, "testdata/valid.txt": 40} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		articles := strings.Split("\n"+string(data), "\n== ")[1:]
		if len(articles) < least {
			t.Errorf("%s has %d articles", file, len(articles))
		}
		for _, text := range articles {
			name, document, want := readArticle(t, text)
			if (file == "testdata/valid.txt") != (len(want) == 0) {
				t.Errorf("%s is in the wrong file", name)
			}
			var got []string
			found := validate.Document(document, validate.Options{})
			for _, f := range found {
				got = append(got, f.Rule)
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(strings.Join(want, " "), strings.Join(slices.Compact(got), " ")); diff != "" {
				t.Errorf("%s (-want +got):\n%s%+v\n%s", name, diff, found, document)
			}
		}
	}
}
