package instant_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/instant"
)

const firstImage = `<figure><img src="https://example.org/a.jpg"><figcaption>b</figcaption></figure>`

func TestCoverSelection(t *testing.T) {
	header := func(cover string) string { return "<header>\n" + cover + "\n<h1>" }
	for name, tt := range map[string]struct{ cover, content, want string }{
		"the first image":              {"", firstImage + "<p>x</p>", header(firstImage)},
		"an image further down":        {"", "<p>x</p>" + firstImage, "<header>\n<h1>"},
		"nothing else":                 {"", firstImage, "<header>\n<h1>"},
		"a small image":                {"", `<img src="/a.jpg" width="640" height="480"><p>x</p>`, "<header>\n<h1>"},
		"a large image":                {"", `<img src="/a.jpg" width="2048" height="1365"><p>x</p>`, header(`<figure><img src="https://example.org/a.jpg"></figure>`)},
		"the article's image":          {"/c.jpg", firstImage + "<p>x</p>", header(`<figure><img src="https://example.org/c.jpg"></figure>`)},
		"the article's image is first": {"https://example.org/a.jpg", firstImage + "<p>x</p>", header(firstImage)},
		"an address that is none":      {"javascript:x", "<p>x</p>", "<header>\n<h1>"},
	} {
		a := article(tt.content)
		a.Image = tt.cover
		document, _, err := transform(a, instant.Options{})
		if err != nil || !strings.Contains(document, tt.want) {
			t.Errorf("%s: got %v, want %s in\n%s", name, err, tt.want, document)
		}
		if n := strings.Count(document, "a.jpg"); strings.Contains(tt.content, "a.jpg") && n != 1 {
			t.Errorf("%s: the image is there %d times", name, n)
		}
	}
}

func TestTagsAreInProductionOnly(t *testing.T) {
	a := article("<p>x</p>")
	a.Categories = []string{"News", " ", "A; B", "News", "<i>"}
	const want = `<meta property="op:tags" content="News; A, B; &lt;i&gt;">`
	document, _, err := transform(a, instant.Options{})
	if err != nil || !strings.Contains(document, want) {
		t.Errorf("production: %v, no %s in\n%s", err, want, document)
	}
	if document, _, err = transform(a, instant.Options{Development: true}); err != nil || strings.Contains(document, "op:tags") {
		t.Errorf("development: %v\n%s", err, document)
	}
}

// The title, dates and authors of the content are used if the article has none.
func TestPageSuppliesMissingFields(t *testing.T) {
	a := article(`<article><header><h1>From the page</h1><time class="op-published" datetime="2026-11-19T08:00:00+01:00">x</time>
<address><a href="https://example.org/ann">Ann A</a></address><address>Bob</address></header><p>x</p></article>`)
	a.Title, a.Published, a.Authors = "", time.Time{}, []string{"ann a", "Cid"}
	document, _, err := transform(a, instant.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>From the page</title>", "<h1>From the page</h1>", `"op-published" datetime="2026-11-19T07:00:00Z"`,
		"<address><a href=\"https://example.org/ann\">Ann A</a></address>\n<address><a>Bob</a></address>\n<address><a>Cid</a></address>\n</header>"} {
		if !strings.Contains(document, want) {
			t.Errorf("document lacks %s:\n%s", want, document)
		}
	}
}

func TestDifferentHeadlineIsKept(t *testing.T) {
	document, _, err := transform(article(`<header><h1>Another</h1><time class="op-published" datetime="2026-11-19T08:00:00Z">x</time></header><p>x</p>`),
		instant.Options{})
	if err != nil || !strings.Contains(document, "<h1>Title &amp; more</h1>") || !strings.Contains(document, "</header>\n<h1>Another</h1>") {
		t.Errorf("got %v\n%s", err, document)
	}
}

func TestArticleOfTrackersIsEmpty(t *testing.T) {
	if _, _, err := transform(article(`<figure class="op-tracker"><iframe src="https://stats.example/"></iframe></figure>`),
		instant.Options{}); !errors.Is(err, instant.ErrEmpty) {
		t.Errorf("got %v, want %v", err, instant.ErrEmpty)
	}
}
