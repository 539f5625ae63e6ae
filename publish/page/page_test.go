package page_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/page"
)

func TestArticleIsReadFromAPage(t *testing.T) {
	at := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		text string
		want page.Article
	}{
		"fragment": {"<p>x</p>", page.Article{Content: "<p>x</p>"}},
		"open graph": {
			`<html lang="en"><head><title>T | Site</title><meta property="og:title" content="T"><meta property="og:url" content="https://a.example/1">` +
				`<meta property="article:published_time" content="2026-11-20T08:00:00Z"><meta property="article:modified_time" content="2026-11-20T08:00:00+0000">` +
				`<meta property="article:author" content="https://a.example/ann"><meta name="author" content="Ann"></head>` +
				`<body><nav>n</nav><article><p>long</p><article>inner</article></article><article>short</article></body></html>`,
			page.Article{Title: "T", Canonical: "https://a.example/1", Authors: []string{"Ann"}, Published: at, Modified: at, Language: "en",
				Content: "<p>long</p><article>inner</article>"},
		},
		"json-ld": {
			`<html><script type="application/ld+json">{"@graph":[{"@type":"WebSite"},{"headline":"H","datePublished":"2026-11-20",` +
				`"author":[{"name":"Ann"},"Bo",7]}]}</script><script type="application/ld+json">{broken</script><body><main><p>x</main><p>y`,
			page.Article{Title: "H", Authors: []string{"Ann", "Bo"}, Published: at.Add(-8 * time.Hour), Content: "<p>x</p>"},
		},
		"articleBody": {
			`<title>T</title><body class=x><div itemprop="articleBody text"><div>in</div>a</div><article>everything, and much longer</article>`,
			page.Article{Title: "T", Content: "<div>in</div>a"},
		},
		"instant article": {
			`<head><meta property="op:markup_version" content="v1.0"><title>T</title><body><article><header><h1>One <b>title</b></h1></header><p>x</article>`,
			page.Article{Title: "One title", Content: `<head><meta property="op:markup_version" content="v1.0"><title>T</title><body><article><header><h1>One <b>title</b></h1></header><p>x</article>`},
		},
		"body without end": {"<body>x<p>y", page.Article{Content: "x<p>y</p>"}},
	} {
		got := page.Read(tt.text)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`<html lang=a><title>t</title><article><p>x</article><script type="application/ld+json">[{"author":["a"]}]</script>`)
	f.Fuzz(func(t *testing.T, text string) {
		all, content := hypertext.PlainText(text, 1<<20), page.Read(text).Content
		if shown := hypertext.PlainText(content, 1<<20); !strings.Contains(all, shown) {
			t.Errorf("the page shows %q, its content %q", all, shown)
		}
	})
}
