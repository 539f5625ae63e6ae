package hypertext_test

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

func TestPlainText(t *testing.T) {
	for in, want := range map[string]string{
		"": "",
		"<p>One</p><p>two &amp; <b>three</b></p>":    "One two & three",
		"a<script>x</script>b\x0b<br>c":              "ab c",
		strings.Repeat("ä", 30):                      strings.Repeat("ä", 18) + "…",
		"<iframe>x</iframe> plain < text &lt;b&gt; ": "plain < text <b>",
	} {
		if got := hypertext.PlainText(in, 40); got != want {
			t.Errorf("PlainText(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzPlainText checks that the beginning of HTML has the text that all of it has.
func FuzzPlainText(f *testing.F) {
	for _, unit := range []string{
		"word ", "<p>one &amp; two</p>", `<a title="a < b > c">x</a>`, "<!-- < hidden -->y", "<script>if (a < b) {}</script>z", "ä", "</p>",
		"<ul><li>1<li>2</ul>", "<svg>" + strings.Repeat("<path>", 50) + "</svg>", "<textarea><b>t</textarea>", "&lt;", "<![CDATA[c]]>", "<td>d",
	} {
		f.Add(unit, 100)
		f.Add("<p>begin"+unit+unit, 7)
	}
	f.Fuzz(func(t *testing.T, unit string, times int) {
		content := strings.Repeat(unit, max(0, times)%200)
		const limit = 20
		if got, want := hypertext.PlainText(content, limit), hypertext.Cut(hypertext.PlainText(content, 1<<22), limit); got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	})
}

func TestResolve(t *testing.T) {
	base, err := url.Parse("https://example.org/news/story")
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{
		"":                              "",
		"a.jpg":                         "https://example.org/news/a.jpg",
		" //cdn.example/a b.jpg ":       "https://cdn.example/a%20b.jpg",
		"/a\n\tb":                       "https://example.org/ab",
		"mailto:a@b.example":            "mailto:a@b.example",
		"/sale-50%-off":                 "https://example.org/sale-50%25-off",
		"/100%?a=5%&b=%41":              "https://example.org/100%25?a=5%25&b=%41",
		"https://müller.example:80/ü?é": "https://xn--mller-kva.example:80/%C3%BC?%C3%A9",
		"javascript:alert(1)":           "",
		"ftp://example.org/a":           "",
		"https:///a":                    "",
		"https://a\"b/":                 "",
		"//::0":                         "",
		"/" + strings.Repeat("a", 2048): "",
	} {
		if got := hypertext.Resolve(base, ref, "http", "https", "mailto"); got != want {
			t.Errorf("Resolve(%.40q) = %q, want %q", ref, got, want)
		}
	}
	if got := hypertext.Resolve(nil, "a.jpg", "http"); got != "" {
		t.Errorf("a relative address without a base resolves to %q", got)
	}
}

func TestCleanRemovesWhatXMLForbids(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a\x0b\x00b": "ab", "a\r\nb": "a\n\nb", "a\xffb": "a\uFFFDb", "a\uFFFEb\uFFFF": "ab", "\uFEFFa": "\uFEFFa",
	} {
		if got := hypertext.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestParseClosesElementsImplicitly(t *testing.T) {
	for in, want := range map[string]string{
		"<p>a<p>b":                        "<p>a</p><p>b</p>",
		"<ul><li>a<li>b</ul>c":            "<ul><li>a</li><li>b</li></ul>c",
		"<table><tr><td>a<td>b<tr><td>c":  "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
		"<iframe/>a<br>b</br>":            "<iframe></iframe>a<br/>b",
		"<p><a href=x>a<div>b</div></a>c": `<p><a href="x">a</a></p><div><a href="x">b</a></div>c`,
		"a</p>b</x>":                      "a<p></p>b",
	} {
		p, err := hypertext.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for n := range p.Root.ChildNodes() {
			if err := html.Render(&got, n); err != nil {
				t.Fatal(err)
			}
		}
		if got.String() != want {
			t.Errorf("%s: got %s, want %s", in, got.String(), want)
		}
	}
}

func TestPlaceSelectsTheElement(t *testing.T) {
	p, err := hypertext.Parse(`<div class="x y"><p>a</p><p class="b">b <i>c</i></p></div><div id="d"><b>e</b></div>`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for n := range p.Root.Descendants() {
		if n.Type == html.ElementNode && n.FirstChild.Type == html.TextNode {
			got = append(got, hypertext.Place(n))
		}
	}
	want := "div.x:nth-of-type(1) > p:nth-of-type(1); div.x:nth-of-type(1) > p.b:nth-of-type(2); " +
		"div.x:nth-of-type(1) > p.b:nth-of-type(2) > i; div#d > b"
	if strings.Join(got, "; ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, "; "), want)
	}
}
