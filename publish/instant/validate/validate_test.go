package validate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/instant/validate"
	"github.com/feedwire/feedwire/store/feed"
)

// valid is a document with every element of the format.
const valid = `<!doctype html>
<html lang="en" prefix="op: http://media.facebook.com/op#">
<head>
<meta charset="utf-8">
<link rel="canonical" href="https://example.org/news/story">
<meta property="op:markup_version" content="v1.0">
<meta property="op:tags" content="harbours; birds">
<title>T</title>
</head>
<body>
<article>
<header>
<figure data-mode="fullscreen"><img src="https://example.org/1.jpg"><figcaption class="op-left"><h1>T</h1>text <cite>credit</cite></figcaption></figure>
<h1>Title</h1>
<h2>Subtitle</h2>
<time class="op-published" datetime="2026-11-20T08:00:00Z">November 20, 2026</time>
<time class="op-modified" datetime="2026-11-20T08:00+0100">November 20, 2026</time>
<address><a rel="facebook" href="https://facebook.com/ann">Ann</a> writes</address>
<address><a>Bob</a></address>
<h3 class="op-kicker">Kicker</h3>
<section class="op-ad-template"><figure class="op-ad op-ad-default"><iframe src="https://ads.example/1" width="300" height="250"></iframe></figure><figure class="op-ad"><iframe width="1" height="1">x</iframe></figure></section>
<ul class="op-sponsors"><li><a rel="facebook" href="https://facebook.com/s"></a></li></ul>
</header>
<h1>One</h1>
<h2>Two</h2>
<p>0 <b>b <i>i</i></b> <a href="mailto:a@b.example">c</a><br>d</p>
<ul><li>one</li></ul>
<ol><li><a href="https://example.org/x?y#z">two</a></li></ol>
<blockquote>quote</blockquote>
<aside>pulled <cite>by</cite></aside>
<figure><video><source src="https://example.org/v.mp4" type="video/mp4"></video></figure>
<figure class="op-slideshow"><figure><img src="https://example.org/2.jpg"></figure><figure><img src="https://example.org/3.jpg"></figure><figcaption>all</figcaption><audio src="https://example.org/a.mp3"></audio></figure>
<figure class="op-interactive"><iframe src="https://example.org/e" width="560" height="315"></iframe></figure>
<figure class="op-interactive"><iframe><table><tr><td>1</table></iframe></figure>
<figure class="op-map"><script type="application/json" class="op-geotag">{"type":"Feature","geometry":{"type":"Point","coordinates":[10,53.5]}}</script></figure>
<figure class="op-tracker"><iframe src="https://example.org/t"></iframe></figure>
<ul class="op-related-articles" title="More"><li data-sponsored="true"><a href="https://example.org/o"></a></li></ul>
</article>
</body>
</html>
`

func TestDocumentAcceptsEveryElementOfTheFormat(t *testing.T) {
	if found := validate.Document(valid, validate.Options{}); len(found) > 0 {
		t.Errorf("got %v", found)
	}
	long := strings.Replace(valid, "</article>", `<footer><aside><p>by</p></aside><small>©</small>`+
		`<ul class="op-related-articles"><li><a href="https://example.org/o"></a></li></ul></footer></article>`, 1)
	if found := validate.Document(long, validate.Options{}); len(found) > 0 {
		t.Errorf("with a footer: %v", found)
	}
}

// violations replace old in the valid document by changed, which violates rule at place.
func violations() []struct{ rule, old, changed, place string } {
	in := "html > body > article"
	para := "<p>0 <b>b <i>i</i></b> <a href=\"mailto:a@b.example\">c</a><br>d</p>"
	return []struct{ rule, old, changed, place string }{
		{"canonical", "https://example.org/news/story", "", "html > head > link"},
		{"canonical", "https://example.org/news/story", "/news/story", "html > head > link"},
		{"canonical-query", "https://example.org/news/story", "https://example.org/?p=1", "html > head > link"},
		{"canonical-query", "https://example.org/news/story", "https://example.org/news#top", "html > head > link"},
		{"canonical", `<link rel="canonical" href="https://example.org/news/story">`, "", "html > head"},
		{"title", "", "", in + " > header"},
		{"published", "op-published", "op-modified", in + " > header"},
		{"published", `"2026-11-20T08:00:00Z"`, `"yesterday"`, ""},
		{"content", "", "", in},
		{"table", para, "<table><tr><td>1</td></tr></table>", in + " > table"},
		{"characters", "Subtitle", "Sub\x0btitle", ":root"},
		{"characters", "Subtitle", "Sub\xfftitle", ":root"},
		{"executable", para, "<script>x</script>" + para, in + " > script"},
		{"executable", "<p>0", `<p onclick="x">0`, in + " > p"},
		{"executable", "mailto:a@b.example", "java\nscript:x()", in + " > p > a"},
		{"executable", `<meta charset="utf-8">`, "<style>x</style>", "html > head > style"},
		{"skeleton", "<body>\n<article>", "<body>\n<article></article><article>", "html"},
		{"skeleton", "<header>", "<header></header><header>", in},
		{"markup", "<p>0", "<p><p>0", ""},
		{"markup", "</ol>", "</ol></div>", in},
		{"size", "<p>0", "<p>" + strings.Repeat("<b>", 70), ":root"},
		{"media-address", "https://example.org/2.jpg", "data:image/png;base64,AA==", in + " > figure:nth-of-type(2) > figure:nth-of-type(1) > img"},
		{"media-address", `src="https://example.org/e"`, "", in + " > figure:nth-of-type(3) > iframe"},
		{"empty-element", para, para + "<p> \u00a0</p>", in + " > p:nth-of-type(2)"},
		{"empty-element", "<li>one</li>", "<li> </li>", in + " > ul:nth-of-type(1) > li"},
		{"media-in-text", "<p>0", `<p><a href="https://a.example"><img src="https://example.org/i.jpg"></a>0`, in + " > p > a:nth-of-type(1) > img"},
		{"media-in-list", "<li>one</li>", `<li>one<img src="https://example.org/i.jpg"></li>`, in + " > ul:nth-of-type(1) > li > img"},
		{"nested-list", "<li>one</li>", `<li>one<ul><li>x</li></ul></li>`, in + " > ul:nth-of-type(1) > li > ul"},
		{"link", "mailto:a@b.example", "tel:123", in + " > p > a"},
		{"link", "mailto:a@b.example", "#foot", in + " > p > a"},
		{"empty-caption", "<figcaption>all</figcaption>", "<figcaption> </figcaption>", in + " > figure:nth-of-type(2) > figcaption"},
		{"embed-size", ` width="560" height="315"`, ` width="100%"`, in + " > figure:nth-of-type(3) > iframe"},
		{"related-count", `<li data-sponsored="true">`, strings.Repeat(`<li><a href="https://example.org/r"></a></li>`, 3) + "<li>",
			in + " > ul:nth-of-type(2)"},
		{"unknown-element", para, "<div>x</div>" + para, in + " > div"},
		{"unknown-element", "<b>b", "<b><span>b</span>", in + " > p > b > span"},
		{"relative-url", "mailto:a@b.example", "/a", in + " > p > a"},
		{"relative-url", "https://example.org/2.jpg", "//example.org/2.jpg", ""},
		{"cover-size", `<img src="https://example.org/1.jpg">`, `<img src="https://example.org/1.jpg" width="1024" height="1023">`,
			in + " > header > figure > img"},
		{"bare-text", para, "bare" + para, in},
		{"date", "2026-11-20T08:00+0100", "2026-11-20", in + " > header > time:nth-of-type(2)"},
		{"geotag", `{"type":"Feature","geometry":{"type":"Point","coordinates":[10,53.5]}}`, "Paris", in + " > figure:nth-of-type(5) > script"},
		{"geotag", `"Feature"`, `"Point"`, ""},
		{"geotag", "[10,53.5]", "[10]", ""},
		{"geotag", "[10,53.5]", "[53.5,100]", ""},
		{"geotag", "[10,53.5]", "[[10,53.5]]", ""},
		{"geotag", `"Point"`, `"Polygon"`, ""},
		{"geotag", `"Point"`, `"Place"`, ""},
		{"duplicate", "<h1>Title</h1>", "<h1>Title</h1><h1>Again</h1>", in + " > header > h1:nth-of-type(2)"},
		{"duplicate", "<h2>Subtitle</h2>", "<h2>Subtitle</h2><h2>Again</h2>", in + " > header > h2:nth-of-type(2)"},
		{"duplicate", `<h3 class="op-kicker">`, `<h3 class="op-kicker">K</h3><h3 class="op-kicker">`, in + " > header > h3:nth-of-type(2)"},
		{"duplicate", "<h1>Title</h1>", `<figure><img src="https://example.org/4.jpg"></figure>`, in + " > header > figure:nth-of-type(2)"},
		{"duplicate", "op-modified", "op-published", in + " > header > time:nth-of-type(2)"},
		{"duplicate", "<figcaption>all</figcaption>", "<figcaption>all</figcaption><figcaption>b</figcaption>",
			in + " > figure:nth-of-type(2) > figcaption:nth-of-type(2)"},
		{"duplicate", "text <cite>", "text <cite>a</cite><cite>", in + " > header > figure > figcaption > cite:nth-of-type(2)"},
		{"duplicate", "</iframe></figure>\n<figure class=\"op-map", "</iframe><iframe>x</iframe></figure>\n<figure class=\"op-map",
			in + " > figure:nth-of-type(4) > iframe:nth-of-type(2)"},
		{"duplicate", `<link rel="canonical"`, `<link rel="canonical" href="https://example.org/a"><link rel="canonical"`,
			"html > head > link:nth-of-type(2)"},
		{"duplicate", "</article>", "<footer><small>a</small></footer><footer><small>b</small></footer></article>", in + " > footer:nth-of-type(2)"},
		{"duplicate", "</article>", "<footer><small>a</small><small>b</small></footer></article>", in + " > footer > small:nth-of-type(2)"},
		{"order", "<header>", "<p>before</p><header>", in + " > header"},
		{"order", "<h1>One", "<footer><small>a</small></footer><h1>One", in + " > h1"},
		{"unknown-element", "<body>", "<body><footer><small>a</small></footer>", "html > body > footer"},
		{"figure", `<figure><img src="https://example.org/3.jpg"></figure>`, "", in + " > figure:nth-of-type(2)"},
		{"attribute", `data-mode="fullscreen"`, `data-mode="huge"`, ""},
		{"attribute", `"op-ad"`, `"op-ad op-ad-default"`, in + " > header > section"},
		{"deprecated", `"op-interactive"`, `"op-social"`, in + " > figure:nth-of-type(3)"},
		{"markup-version", "v1.0", "v2", "html > head"},
	}
}

func TestDocumentFindsEachViolationInItsPlace(t *testing.T) {
	tested := map[string]bool{"development-tags": true} // TestTagsAreAWarningInDevelopmentOnly
	for _, b := range violations() {
		tested[b.rule] = true
		t.Run(b.rule, func(t *testing.T) {
			document := strings.Replace(valid, b.old, b.changed, 1)
			switch head, rest, _ := strings.Cut(valid, "</header>"); b.rule {
			case "content":
				document = head + "</header></article></body></html>"
			case "title": // without the ad, which could replace it
				head, _, _ = strings.Cut(head, "<h1>Title")
				document = head + `<time class="op-published" datetime="2026-11-20T08:00:00Z"></time></header>` + rest
			}
			if b.old != "" && document == valid {
				t.Fatalf("the document does not contain %q", b.old)
			}
			for _, f := range validate.Document(document, validate.Options{}) {
				if f.Rule == b.rule && (b.place == "" || f.Place == b.place) && f.Message != "" && f.Remedy != "" {
					return
				}
			}
			t.Errorf("no finding at %q: %v", b.place, validate.Document(document, validate.Options{}))
		})
	}
	for _, r := range validate.Requirements() {
		if !tested[r.ID] {
			t.Errorf("no case violates %s", r.ID)
		}
	}
}

func TestTagsAreAWarningInDevelopmentOnly(t *testing.T) {
	found := validate.Document(valid, validate.Options{Development: true})
	want := []string{"development-tags html > head > meta:nth-of-type(3)"}
	if diff := cmp.Diff(want, names(found)); diff != "" {
		t.Error(diff)
	}
	if validate.HasErrors(found) {
		t.Error("a warning counts as an error")
	}
}

func TestArticleChecksItsFields(t *testing.T) {
	for name, tt := range map[string]struct {
		a    feed.Article
		want []string
	}{
		"complete": {feed.Article{Canonical: "https://a.example/", Title: "T", Published: time.Unix(1, 0), Content: "x"}, nil},
		"empty":    {feed.Article{}, []string{"canonical article", "title article", "published article", "content article"}},
		"query": {feed.Article{Canonical: "https://a.example/?p=1", Title: "T", Published: time.Unix(1, 0), Content: "x"},
			[]string{"canonical-query article"}},
	} {
		found := validate.Article(tt.a)
		if diff := cmp.Diff(tt.want, names(found)); diff != "" || validate.HasErrors(found) != (tt.want != nil) {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// names returns the rule and the place of each finding.
func names(found []validate.Finding) []string {
	var list []string
	for _, f := range found {
		list = append(list, f.Rule+" "+f.Place)
	}
	return list
}

func FuzzValidate(f *testing.F) {
	f.Add(valid)
	for _, b := range violations() {
		f.Add(strings.Replace(valid, b.old, b.changed, 1))
	}
	f.Fuzz(func(t *testing.T, document string) {
		found := validate.Document(document, validate.Options{})
		if len(found) > 100 {
			t.Errorf("%d findings", len(found))
		}
		for _, finding := range found {
			if finding.Place == "" || finding.Message == "" || finding.Remedy == "" || len(finding.Message) > 300 {
				t.Errorf("incomplete finding: %+v", finding)
			}
		}
	})
}
