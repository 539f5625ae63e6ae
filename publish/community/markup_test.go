package community_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/community"
	"github.com/feedwire/feedwire/publish/xsstest"
)

func TestMarkup(t *testing.T) {
	const rel = ` rel="nofollow ugc noopener"`
	for text, want := range map[string]string{
		"":                                  "",
		"One\ntwo\r\n\r\n\nthree":           "<p>One<br>two</p><p>three</p>",
		"> He said\n>so\nNo.":               "<blockquote><p>He said<br>so</p></blockquote><p>No.</p>",
		"Try:\n\n    if a < b {\n    \tf()": "<p>Try:</p><pre><code>if a &lt; b {\n\tf()</code></pre>",
		"use `a<b>` and `c":                 "<p>use <code>a&lt;b&gt;</code> and `c</p>",
		"see https://a.example/x_(y).":      `<p>see <a href="https://a.example/x_(y)"` + rel + `>https://a.example/x_(y)</a>.</p>`,
		"(http://a.example/?a=1&b=2)":       `<p>(<a href="http://a.example/?a=1&amp;b=2"` + rel + `>http://a.example/?a=1&amp;b=2</a>)</p>`,
		"`https://a.example/`":              "<p><code>https://a.example/</code></p>",
		"https://":                          "<p>https://</p>",
		"javascript:alert(1)":               "<p>javascript:alert(1)</p>",
		"<b>&amp;":                          "<p>&lt;b&gt;&amp;amp;</p>",
		"https://a.example/\"onclick=x":     `<p><a href="https://a.example/"` + rel + `>https://a.example/</a>&quot;onclick=x</p>`,
		"https://a.example/" + strings.Repeat("b", 80): `<p><a href="https://a.example/` + strings.Repeat("b", 80) + `"` + rel + `>https://a.example/` +
			strings.Repeat("b", 49) + `…</a></p>`,
	} {
		if got := string(community.Markup(text)); got != want {
			t.Errorf("%q is\n%s, want\n%s", text, got, want)
		}
	}
}

func TestMarkupRunsNothing(t *testing.T) {
	for _, payload := range xsstest.Payloads() {
		for _, text := range []string{payload, "> " + payload, "    " + payload, "`" + payload + "`", "https://a.example/" + payload} {
			checkMarkup(t, text)
		}
	}
}

func FuzzMarkup(f *testing.F) {
	for _, text := range []string{"> a\n\n    b\n`c` https://d.example/(e)", "http://[::1]/`x`", "\t<script>", "https://ä.example/%zz"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkMarkup(t, text) })
}

// checkMarkup fails the test if the HTML of a text has other elements and attributes than those of the format, or shows other words.
func checkMarkup(t *testing.T, text string) {
	t.Helper()
	out := string(community.Markup(text))
	if faults := xsstest.Faults(out, xsstest.Allowed{}); len(faults) > 0 {
		t.Fatalf("%q becomes %s: %v", text, out, faults)
	}
	if len(out) > 100+40*len(text) {
		t.Errorf("%d bytes become %d", len(text), len(out))
	}
	z := html.NewTokenizer(strings.NewReader(out))
	for z.Next() != html.ErrorToken {
		token := z.Token()
		if token.Type == html.TextToken {
			continue
		}
		switch token.Data {
		case "p", "br", "blockquote", "pre", "code":
			if len(token.Attr) > 0 {
				t.Errorf("%q becomes %s", text, out)
			}
		case "a":
			if token.Type == html.StartTagToken && (len(token.Attr) != 2 || !strings.HasPrefix(token.Attr[0].Val, "http") || token.Attr[1].Key != "rel") {
				t.Errorf("%q becomes %s", text, out)
			}
		default:
			t.Errorf("%q becomes %s with the element %s", text, out, token.Data)
		}
	}
}
