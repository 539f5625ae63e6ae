package body_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/body"
	"github.com/feedwire/feedwire/publish/xsstest"
)

// compare fails if markup counts as settled although the checks change it, and reports whether it is settled.
func compare(t *testing.T, cleaner *body.Cleaner, markup string) bool {
	t.Helper()
	if !cleaner.Settled(markup) {
		return false
	}
	if checked := cleaner.Check(markup); checked != markup {
		t.Errorf("settled markup\n%.500q is checked to\n%.500q", markup, checked)
	}
	return true
}

func TestSettledMarkup(t *testing.T) {
	cleaner := body.New(body.Policy{})
	for _, markup := range []string{
		"", "text", "a &amp; b &lt; c &#34;d&#34; it&#39;s é\u00a0漢", "<p>one</p>\n<p>two<br/>three</p>", "<p>a <b>b <i>c</i></b> <code>d</code></p><hr/>",
		`<p><a href="https://a.example/x?y=1&amp;z=%20#w" title="T">a</a> <a href="http://b.example">b</a></p>`,
		`<ul><li>a<ol start="3"><li>b</li></ol></li></ul><dl><dt>c</dt><dd><p>d</p></dd></dl>`, "<pre>a\n  b</pre>", "<h2 lang=\"de\">a <sub>2</sub></h2>",
		`<figure><img src="https://a.example/i.png" srcset="https://a.example/i.png 1x" alt="" width="6"/><figcaption>a</figcaption></figure>`,
		`<blockquote cite="https://a.example/"><p>a</p></blockquote><details open=""><summary>a</summary>b</details>`, "<b><b><b><b><b>a</b></b></b></b></b>",
	} {
		if !compare(t, cleaner, markup) {
			t.Errorf("%q is not settled", markup)
		}
	}
}

func TestUnsettledMarkup(t *testing.T) {
	cleaner := body.New(body.Policy{})
	for name, markup := range map[string]string{
		"a script":                       "<script>x</script>",
		"an event":                       `<p onclick="x">a</p>`,
		"a style":                        `<p style="x">a</p>`,
		"a frame":                        `<iframe src="https://www.youtube.com/embed/1"></iframe>`,
		"a table":                        "<table><tbody><tr><td>a</td></tr></tbody></table>",
		"a form":                         "<form></form>",
		"an unknown element":             "<x>a</x>",
		"a comment":                      "<!-- a -->",
		"a tag without an end":           "<p",
		"an attribute without an end":    `<a href="https://a.example/`,
		"a value without quotes":         "<p title=a>a</p>",
		"a link to a script":             `<a href="javascript:x">a</a>`,
		"an address of another scheme":   `<img src="data:image/png;base64,x"/>`,
		"a relative address":             `<img src="/a.png"/>`,
		"a set of another scheme":        `<img srcset="data:x 1x"/>`,
		"a space in an address":          `<a href="https://a.example/ b">a</a>`,
		"a host that is escaped":         `<a href="https://a%20b/">a</a>`,
		"an address that is rewritten":   `<a href="https://a.example/é">a</a>`,
		"text that is not escaped":       `a & b`,
		"a reference of another form":    "a&nbsp;b",
		"a reference by number":          "&#39",
		"a quote":                        `it's "a"`,
		"a value that is not escaped":    `<p title="<b>">a</p>`,
		"a control character":            "a\x01b",
		"a line end of another system":   "a\r\nb",
		"upper case":                     "<P>a</P>",
		"a void element that is open":    "<br>",
		"an element that is closed":      "<p/>",
		"an end without a start":         "a</p>",
		"a start without an end":         "<p>a",
		"ends in another order":          "<b><i>a</b></i>",
		"a link in a link":               `<a href="https://a.example/"><b><a href="https://a.example/">a</a></b></a>`,
		"a paragraph in a paragraph":     "<p><p>a</p></p>",
		"a block in an inline element":   "<b><div>a</div></b>",
		"a line in a paragraph":          "<p><hr/></p>",
		"a heading in a heading":         "<h1><h2>a</h2></h1>",
		"an item without a list":         "<li>a</li>",
		"an item in an item":             "<ul><li><div><li>a</li></div></li></ul>",
		"a term without a list":          "<div><dt>a</dt></div>",
		"a line end that parsers ignore": "<pre>\na</pre>",
		"deep nesting":                   strings.Repeat("<div>", 33) + strings.Repeat("</div>", 33),
	} {
		if cleaner.Settled(markup) {
			t.Errorf("%s is settled: %q", name, markup)
		}
	}
	if narrow := body.New(body.Policy{Tags: []string{"p"}}); narrow.Settled("<p><b>a</b></p>") || !narrow.Settled("<p>a</p>") {
		t.Error("an element that the policy does not allow is settled, or one that it allows is not")
	}
}

// pieces are what random markup consists of.
var pieces = []string{
	"text ", "\n", "&amp;", "&#39;", "<br/>", "<hr/>", "<wbr/>", `<img src="https://a.example/i.png" alt="a"/>`, "<b>", "</b>", "<p>", "</p>", "<div>", "</div>",
	"<ul>", "</ul>", "<li>", "</li>", "<dl>", "</dl>", "<dt>", "</dt>", "<dd>", "</dd>", "<h1>", "</h1>", "<h2>", "</h2>", "<pre>", "</pre>", "<em>", "</em>",
	`<a href="https://a.example/">`, "</a>", "<span>", "</span>", "<summary>", "</summary>", "<figure>", "</figure>", "<td>", "</td>", "<!---->", "<s>", "</s>",
}

// scramble writes pieces, most of which fit together.
func scramble(random *rand.Rand) string {
	var out strings.Builder
	var open []string
	for range 2 + random.IntN(20) {
		piece := pieces[random.IntN(len(pieces))]
		switch tag := strings.Trim(piece, "</>"); {
		case random.IntN(20) > 0 && strings.HasPrefix(piece, "</"):
			if len(open) > 0 {
				out.WriteString("</" + open[len(open)-1] + ">")
				open = open[:len(open)-1]
			}
			continue
		case strings.HasPrefix(piece, "<") && !strings.HasSuffix(piece, "/>"):
			name, _, _ := strings.Cut(tag, " ")
			open = append(open, name)
		}
		out.WriteString(piece)
	}
	slices.Reverse(open)
	for _, tag := range open {
		out.WriteString("</" + tag + ">")
	}
	return out.String()
}

func TestChecksReturnSettledMarkupAsItIs(t *testing.T) {
	cleaner, settled := body.New(body.Policy{}), 0
	const rounds = 20_000
	for seed := range uint64(rounds) {
		markup := scramble(rand.New(rand.NewPCG(seed, 2)))
		if compare(t, cleaner, markup) {
			settled++
		}
		if cleaned, _ := cleaner.Clean(markup, base); cleaned != cleaner.Check(cleaned) {
			t.Errorf("%q is cleaned to %q, which the checks change", markup, cleaned)
		}
	}
	if settled < rounds/20 {
		t.Errorf("only %d of %d are settled", settled, rounds)
	}
	for _, payload := range xsstest.Payloads() {
		compare(t, cleaner, payload)
	}
}

func FuzzSettled(f *testing.F) {
	cleaner := body.New(body.Policy{})
	for _, payload := range xsstest.Payloads() {
		f.Add(payload)
		cleaned, _ := cleaner.Clean(payload, base)
		f.Add(cleaned)
	}
	for seed := range uint64(100) {
		f.Add(scramble(rand.New(rand.NewPCG(seed, 3))))
	}
	f.Fuzz(func(t *testing.T, markup string) { compare(t, cleaner, markup) })
}
