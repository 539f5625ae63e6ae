package body_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/body"
)

const base = "https://blog.example.org/2024/post.html"

func TestPlayersAndLinesStayWhereTheirElementsAreNotAllowed(t *testing.T) {
	allowed := body.Policy{Tags: []string{"a", "br", "p"}}
	for in, want := range map[string]string{
		`<p>a</p><video src="/v.mp4" title="The film"></video>`: `<p>a</p><a href="https://blog.example.org/v.mp4">The film</a>`,
		`<div><audio><source src="/a.ogg"><source src="/b.mp3">no sound</audio></div>`: `no sound<br/>` +
			`<a href="https://blog.example.org/a.ogg">https://blog.example.org/a.ogg</a>`,
		`<video src="/v.mp4">`:                         `<a href="https://blog.example.org/v.mp4">https://blog.example.org/v.mp4</a>`,
		"<p>a</p><pre>b\n  c <i>d</i>\n\n\te\n</pre>f": "<p>a</p>b<br/>\u00a0\u00a0c d<br/><br/>\u00a0\u00a0\u00a0\u00a0e<br/>f",
	} {
		if got, _ := body.Clean(in, base, allowed); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text", `a & b < c "d"`, `a &amp; b &lt; c &#34;d&#34;`},
		{"entities", `&eacute;&nbsp;&lt;b&gt;`, "é\u00a0&lt;b&gt;"},
		{"paragraphs without ends", `<p>one<p>two`, `<p>one</p><p>two</p>`},
		{"misnested formats go on", `<b>1<i>2</b>3</i>`, `<b>1<i>2</i></b><i>3</i>`},
		{"a block ends the paragraph", `<p>a<div>b</div>c</p>`, `<p>a</p><div>b</div>c`},
		{"items", `<ul><li>a<li>b<ul><li>c</ul></ul>`, `<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>`},
		{"stray ends", `</div>a</b></p>b`, `a<br/>b`},
		{"relative addresses", `<a href="../x?q=1#y">a</a><img src="pic.png">`, `<a href="https://blog.example.org/x?q=1#y">a</a><img src="https://blog.example.org/2024/pic.png"/>`},
		{"addresses without a scheme", `<img src="//cdn.example/a.png" alt="">`, `<img src="https://cdn.example/a.png" alt=""/>`},
		{"places in the page", `<a href="#note1">1</a>`, `<a href="` + base + `#note1">1</a>`},
		{"named places", `<a name="x">a</a>`, `a`},
		{"empty elements", `a<p></p><p> &nbsp;<b> </b><br></p><div><ul><li></li></ul></div>`, `a`},
		{"zero is something", `<p>0</p>`, `<p>0</p>`},
		{"space between words stays", `a<b> </b>b<i> <u> c</u></i>`, `a b<i> <u> c</u></i>`},
		{"late images", `<img src="data:image/gif;base64,x" data-src="/a.png" data-srcset="/a.png 1x, b.png 640w">`,
			`<img src="https://blog.example.org/a.png" srcset="https://blog.example.org/a.png 1x, https://blog.example.org/2024/b.png 640w"/>`},
		{"only a set", `<img srcset="/a.png 1x,/b.png 2x">`,
			`<img src="https://blog.example.org/a.png" srcset="https://blog.example.org/a.png 1x, https://blog.example.org/b.png 2x"/>`},
		{"late image and its twin", `<img data-src="/a-300.png"><noscript><img src="/a.png"></noscript>b`, `<img src="https://blog.example.org/a-300.png"/>b`},
		{"the twin first", `<noscript><img src="/a.png"></noscript><img src="x.gif" data-src="/a.png">b`, `<img src="https://blog.example.org/a.png"/>b`},
		{"noscript alone", `<noscript><p>a</p><img src="/a.png"></noscript>`, `<p>a</p><img src="https://blog.example.org/a.png"/>`},
		{"one image twice", `<img src="/a.png"><img src="/a.png">`, `<img src="https://blog.example.org/a.png"/><img src="https://blog.example.org/a.png"/>`},
		{"pixels", `a<img src="/p.gif" width="1" height="1"><img src="/q.gif" style="width:1px; height: 1px">`, `a`},
		{"pictures", `<picture><source srcset="/a.webp" type="image/webp"><img src="/a.png"></picture><picture><source srcset="/b.webp"></picture>`,
			`<picture><source srcset="https://blog.example.org/a.webp" type="image/webp"/><img src="https://blog.example.org/a.png"/></picture>`},
		{"video", `<video width=640 autoplay poster=/p.jpg><source src=/v.mp4 type=video/mp4><track src=/v.vtt kind=captions>no video</video>`,
			`<video poster="https://blog.example.org/p.jpg" width="640" controls=""><source src="https://blog.example.org/v.mp4" type="video/mp4"/>` +
				`<track src="https://blog.example.org/v.vtt" kind="captions"/>no video</video>`},
		{"audio", `<audio src=/a.mp3></audio><audio></audio>`, `<audio src="https://blog.example.org/a.mp3" controls=""></audio>`},
		{"listed frames", `<iframe src="//www.youtube.com/embed/1" width="560px" onload=x allowfullscreen></iframe>`,
			`<iframe src="https://www.youtube.com/embed/1" width="560" allowfullscreen=""></iframe>`},
		{"other frames", `a<iframe src="https://x.example/e" title="A map"></iframe>b`, `a<br/><a href="https://x.example/e">A map</a><br/>b`},
		{"closed frames", `<iframe src="https://www.youtube.com/embed/1"/><p>a</p>`, `<iframe src="https://www.youtube.com/embed/1"></iframe><p>a</p>`},
		{"embeds of AMP", `<amp-img src="/a.png" width=2 height=2></amp-img><amp-youtube data-videoid="x_1"></amp-youtube>`,
			`<img src="https://blog.example.org/a.png" width="2" height="2"/><iframe src="https://www.youtube.com/embed/x_1"></iframe>`},
		{"players of Brightcove", `<video-js data-account="1" data-video-id="a b"></video-js><video data-account=1 data-player=p data-embed=e data-video-id=2></video>`,
			`<iframe src="https://players.brightcove.net/1/default_default/index.html?videoId=a%20b"></iframe>` +
				`<iframe src="https://players.brightcove.net/1/p_e/index.html?videoId=2"></iframe>`},
		{"objects with other content", `<object data="/a.pdf">a <a href="/a.pdf">file</a></object>`, `a <a href="https://blog.example.org/a.pdf">file</a>`},
		{"objects without content", `a<object data="/a.svg"></object><object><param name="movie" value="/b.mov"><param name="loop" value="/c"></object>b`,
			`a<br/><a href="https://blog.example.org/a.svg">https://blog.example.org/a.svg</a><br/>` +
				`<a href="https://blog.example.org/b.mov">https://blog.example.org/b.mov</a><br/>b`},
		{"posts keep their quote", `<blockquote class="twitter-tweet"><p>a</p><a href="https://x.example/1">b</a></blockquote><script async src="https://x.example/w.js"></script>`,
			`<blockquote><p>a</p><a href="https://x.example/1">b</a></blockquote>`},
		{"tables are completed", `<table><tr><th scope=col>a<td colspan=2>b<tr><td>c</table>`,
			`<table><tbody><tr><th scope="col">a</th><td colspan="2">b</td></tr><tr><td>c</td></tr></tbody></table>`},
		{"text between cells stays where it is", `<table>a<tr>b<td>c</td></tr></table>`,
			`<table><tbody><tr><td>a</td></tr><tr><td>b</td><td>c</td></tr></tbody></table>`},
		{"forms around rows", `<table><form><tr><td>a</td></tr></form></table>`, `<table><tbody><tr><td>a</td></tr></tbody></table>`},
		{"frames between rows", `<table><iframe src="https://x.example/"></iframe><tr><td>a</table>`,
			`<table><tbody><tr><td><a href="https://x.example/">https://x.example/</a></td></tr><tr><td>a</td></tr></tbody></table>`},
		{"empty cells", `<table><tr><td></td><td>a</td></tr></table>`, `<table><tbody><tr><td></td><td>a</td></tr></tbody></table>`},
		{"cells without a table", `<tr><td>a</td><td>b</td></tr>`, `a<br/>b`},
		{"preformatted", "<pre>\n\n a\n  <b>b</b>\n</pre>", "<pre>\n\n a\n  <b>b</b>\n</pre>"},
		{"forms", `<form action=/x>a<input value=b><button>c</button><select><option>d</select></form>e`, `ac<br/>e`},
		{"drawings", `a<svg><title>b</title><p>c</svg>d`, `ad`},
		{"a drawing without end", `a<svg><p>c</p>`, `a<p>c</p>`},
		{"blocks that may not stand", `<center>a</center><center>b</center><custom-el>c</custom-el>`, `a<br/>b<br/>c`},
		{"old names", `<strike>a</strike><xmp>b</xmp>`, `<s>a</s><pre>b</pre>`},
		{"control characters", "a\x00\x0Bb&#11;c\uFFFE<p title='&#x1F;x'>d</p>", `abc<p title="x">d</p>`},
		{"bad UTF-8", "a\xff\xfeb", "a\uFFFDb"},
		{"what ends CDATA", `a]]&gt;b`, `a]]&gt;b`},
		{"ruby", `<ruby>漢<rp>(<rt>kan<rp>)</ruby>`, `<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>`},
		{"details", `<details open><summary>a</summary>b</details>`, `<details open=""><summary>a</summary>b</details>`},
		{"links of other kinds", `<a href="javascript:x">a</a><a href="mailto:b@c.example">b</a><a href="tel:+49123">c</a>`,
			`a<a href="mailto:b@c.example">b</a><a href="tel:+49123">c</a>`},
		{"a link in a link", `<a href="/a">a<a href="/b">b</a></a>`, `<a href="https://blog.example.org/a">a</a><a href="https://blog.example.org/b">b</a>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := body.Clean(c.in, base, body.Policy{})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.in, diff)
			}
			if again, _ := body.Clean(got, base, body.Policy{}); again != got {
				t.Errorf("cleaned twice:\n%s\nnot\n%s", again, got)
			}
		})
	}
}

func TestWarningsNameWhatIsRemoved(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`<svg><path d="x"/></svg>`, "left out: svg is not part of an article"},
		{`<img src="data:image/png;base64,x">`, "left out: an image without a usable address"},
		{`<img src="/p.gif" width=1 height=1>`, "left out: an image too small to be seen"},
		{`<iframe></iframe>`, "left out: a frame without a usable address"},
		{`<iframe src="https://x.example/"></iframe>`, "replaced by a link: a frame of a host that is not listed"},
		{`<a href="javascript:x">a</a>`, "unwrapped: a link that is not http, https, mailto or tel"},
		{`<input name="q">`, "left out: input is not part of an article"},
		{`<video><source src="ftp://x.example/"></video>`, "left out: source without a usable address or out of place"},
	} {
		_, warnings := body.Clean("<p>before</p>"+c.in, base, body.Policy{})
		if len(warnings) != 1 || warnings[0].Message != c.want || !strings.HasPrefix(c.in, warnings[0].Markup[:4]) &&
			!strings.Contains(c.in, warnings[0].Markup[:4]) {
			t.Errorf("%s: got %q, want %q", c.in, warnings, c.want)
		}
	}
	if _, warnings := body.Clean(`<script>x</script><style>x</style><!-- x --><p onclick=x style=x>a</p>`, base, body.Policy{}); len(warnings) > 0 {
		t.Errorf("scripts and styles are named: %q", warnings)
	}
	if _, warnings := body.Clean(strings.Repeat(`<input>`, 1000), base, body.Policy{}); len(warnings) != 101 || warnings[100].Message != "900 more changes are not listed" {
		t.Errorf("got %d warnings, the last %+v", len(warnings), warnings[len(warnings)-1])
	}
}

func TestRelativeAddressesAreRemovedWithoutABase(t *testing.T) {
	got, warnings := body.Clean(`<a href="/x">a</a><img src="b.png"><a href="https://c.example/">c</a>`, "not a URL", body.Policy{})
	if want := `a<a href="https://c.example/">c</a>`; got != want || len(warnings) != 2 {
		t.Errorf("got %s, %q", got, warnings)
	}
}

func TestPolicyChoosesTags(t *testing.T) {
	p := body.Policy{Tags: []string{"p", "b", "br", "a", "img", "table", "script"}}
	const in = `<section><h2>a</h2><p><b>b</b> <i>c</i></p></section><script>x</script><table><thead><tr><th>d</th></tr></thead></table>` +
		`<iframe src="https://www.youtube.com/embed/1"></iframe>`
	const want = `a<p><b>b</b> c</p><table><tbody><tr><td>d</td></tr></tbody></table>` +
		`<a href="https://www.youtube.com/embed/1">https://www.youtube.com/embed/1</a>`
	if got, _ := body.Clean(in, base, p); got != want {
		t.Errorf("got %s", got)
	}
	if got, _ := body.Clean(`<p>a</p><p><b>b</b></p>`, base, body.Policy{Tags: []string{"u"}}); got != "a b" {
		t.Errorf("without br: got %q", got)
	}
}

func TestPolicyLimitsHostsOfFrames(t *testing.T) {
	p := body.Policy{EmbedHosts: []string{"x.example"}}
	for src, stays := range map[string]bool{
		"https://x.example/1": true, "https://a.x.example/1": true, "https://ax.example/1": false, "https://www.youtube.com/embed/1": false,
		"https://x.example@evil.example/": false, "https://me@x.example/": false, "https://a.x.example:/": true, "https://x.example.evil.example/": false, "https://X.EXAMPLE:8443/": true,
	} {
		got, _ := body.Clean(`<iframe src="`+src+`"></iframe>`, base, p)
		if strings.Contains(got, "<iframe") != stays {
			t.Errorf("%s: got %s", src, got)
		}
	}
}

func TestTrackingPixelsAreRemoved(t *testing.T) {
	got, warnings := body.Clean(`<img src="/a.png" width=1 height=1><img src="/b.png" width=1 height=400><img src="/c.png">`, base, body.Policy{})
	if strings.Contains(got, "a.png") || !strings.Contains(got, "b.png") || !strings.Contains(got, "c.png") || len(warnings) != 1 {
		t.Errorf("got %s, %q", got, warnings)
	}
}

func TestDepthIsBounded(t *testing.T) {
	for _, most := range []int{1, 3, 9, 100, 256} {
		in := strings.Repeat("<div><blockquote><b>", 3000) + "deep" + strings.Repeat(`<table><tr><td><ul><li>x<img src="/i.jpg">`, 100)
		got, _ := body.Clean(in, base, body.Policy{MaxDepth: most})
		if depth := depthOf(got); depth > most || depth < min(most, 3)-2 {
			t.Errorf("depth %d, at most %d is allowed", depth, most)
		}
		if !strings.Contains(got, "deep") || strings.Count(got, "x<img") != 100 {
			t.Errorf("depth %d: text is lost: %.200s", most, got)
		}
	}
}

func TestContentBeyondTheDepthKeepsItsPlace(t *testing.T) {
	in := `<div><div><table><tr><td><img src="/a.png"></img>a</td></tr></table><form>b</form><a>c</a></div></div><p>d</p>`
	got, _ := body.Clean(in, base, body.Policy{MaxDepth: 3})
	if want := `<div><div><img src="https://blog.example.org/a.png"/>a<br/>b<br/>c</div></div><p>d</p>`; got != want {
		t.Errorf("got %s", got)
	}
}

func depthOf(markup string) (deepest int) {
	depth := 0
	for _, tag := range strings.Split(markup, "<")[1:] {
		switch {
		case strings.HasPrefix(tag, "/"):
			depth--
		case strings.Contains(tag, "/>"):
			deepest = max(deepest, depth+1)
		default:
			depth++
		}
		deepest = max(deepest, depth)
	}
	return deepest
}

func TestTagsAreSortedAndLowerCase(t *testing.T) {
	if !slices.IsSorted(body.Tags()) {
		t.Error("not sorted")
	}
	for _, tag := range []string{"script", "style", "form", "input", "svg", "object", "base", "meta", "link"} {
		if slices.Contains(body.Tags(), tag) {
			t.Errorf("%s may stand", tag)
		}
	}
}

// A consumer that knows no captions still gets their words, in a row.
func TestCaptionThatIsNotAllowedBecomesARow(t *testing.T) {
	got, _ := body.Clean("<table><caption>Tides</caption><tr><td>high</td></tr></table>", base, body.Policy{Tags: []string{"table"}})
	if want := "<table><tbody><tr><td>Tides</td></tr><tr><td>high</td></tr></tbody></table>"; got != want {
		t.Errorf("got %s", got)
	}
}

func TestRaisedAndLoweredTextKeepsItsMeaningWithoutItsElements(t *testing.T) {
	cleaner := body.New(body.Policy{Tags: []string{"p", "b"}})
	for content, want := range map[string]string{
		"<p>10<sup>6</sup> m<sup>-2</sup></p>":            "<p>10⁶ m⁻²</p>",
		"<p>H<sub>2</sub>O, 2<sup>AB</sup></p>":           "<p>H₂O, 2^(AB)</p>",
		"<p>x<b><sup>2</sup></b></p>":                     "<p>x<b>²</b></p>",
		"<p>the 4<sup>th</sup>, a word<sup>[3]</sup></p>": "<p>the 4th, a word[3]</p>",
		"<p><sup>1</sup> a note</p>":                      "<p>1 a note</p>",
		"<p>10<sup>6</p><p>a<i>b</i></p>":                 "<p>10⁶</p><p>ab</p>", // never closed
	} {
		if got, warnings := cleaner.Clean(content, base); got != want || len(warnings) > 0 {
			t.Errorf("%s: got %s and %v, want %s", content, got, warnings, want)
		}
	}
}
