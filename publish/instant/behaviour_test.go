package instant_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/instant"
)

// TestTransformCommonMarkup has one case for each construct of blogs and news sites. want is the body, warn the
// beginnings of the warnings.
func TestTransformCommonMarkup(t *testing.T) {
	const video = `<figure class="op-interactive"><iframe src="https://www.youtube.com/embed/1" width="560" height="315"></iframe></figure>`
	image := func(name string) string { return `<figure><img src="https://example.org/` + name + `"></figure>` }
	tests := []struct {
		name, content, want string
		warn                []string
	}{
		{"self-closed iframe and script", `<p>a</p><iframe src="https://www.youtube.com/embed/1" width="560" height="315"/><script src="x.js"/><p>b</p>`,
			"<p>a</p>\n" + video + "\n<p>b</p>", []string{"left out: script"}},
		{"figure in a paragraph", `<p><figure><img src="/a.jpg"></figure></p><p>x</p>`, image("a.jpg") + "\n<p>x</p>", nil},
		{"stray end of a paragraph", `<p>a</p></p><p>b</p>`, "<p>a</p>\n<p>b</p>", nil},
		{"image in a paragraph", `<p>a <img src="/a.jpg"> b</p>`, "<p>a</p>\n" + image("a.jpg") + "\n<p>b</p>", nil},
		{"embed in a paragraph", `<p>a <iframe src="//www.youtube.com/embed/1" width=560 height=315></iframe> b</p>`,
			"<p>a</p>\n" + video + "\n<p>b</p>", nil},
		{"image in a link", `<p>a <a href="/l"><img src="/a.jpg"></a> b</p>`, "<p>a</p>\n" + image("a.jpg") + "\n<p>b</p>", nil},
		{"image in bold in a link", `<p>a <a href="/l"><b>c <img src="/a.jpg"> d</b></a> b</p>`, "<p>a <a href=\"https://example.org/l\"><b>c</b></a></p>\n" +
			image("a.jpg") + "\n<p><a href=\"https://example.org/l\"><b>d</b></a> b</p>", nil},
		{"image in a list item", `<ul><li>a <img src="/a.jpg"> b</li><li>c</li></ul>`,
			"<ul><li>a</li></ul>\n" + image("a.jpg") + "\n<ul><li>b</li><li>c</li></ul>", nil},
		{"nested lists", `<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>`, "<ul><li>a</li><li>b</li><li>c</li></ul>", []string{"flattened"}},
		{"bare text and breaks", `a<br>b<p>c</p>d`, "<p>a<br>b</p>\n<p>c</p>\n<p>d</p>", nil},
		{"blocks in a quote", `<blockquote><div>a</div><p>b <span>c</span></p></blockquote>`, "<blockquote>a<br><br>b c</blockquote>", nil},
		{"headings", `<h1>a</h1><h3>b</h3><h6>c</h6>`, "<h1>a</h1>\n<h2>b</h2>\n<h2>c</h2>", nil},
		{"names of bold and italic", `<p><strong>a</strong><em>b</em><b>c</b><i>d</i></p>`, "<p><b>a</b><i>b</i><b>c</b><i>d</i></p>", nil},
		{"caption in a paragraph", `<div class="wp-caption"><img src="/a.jpg"><br><p class="wp-caption-text">b</p></div>`,
			`<figure><img src="https://example.org/a.jpg"><figcaption>b</figcaption></figure>`, nil},
		{"caption with a credit", `<figure><img src="/a.jpg"><figcaption>b <cite>c</cite></figcaption></figure>`,
			`<figure><img src="https://example.org/a.jpg"><figcaption>b<cite>c</cite></figcaption></figure>`, nil},
		{"caption of a title alone", `<figure><img src="/a.jpg"><figcaption><h1>b</h1></figcaption></figure>`,
			`<figure><img src="https://example.org/a.jpg"><figcaption>b</figcaption></figure>`, nil},
		{"empty caption", `<figure><img src="/a.jpg"><figcaption>&nbsp;</figcaption></figure>`, image("a.jpg"), nil},
		{"classic gallery", `<div class="gallery"><dl class="gallery-item"><dt><a href="x"><img src="/a.jpg"></a></dt><dd class="wp-caption-text gallery-caption">one</dd></dl>` +
			`<dl class="gallery-item"><dt><img src="/b.jpg"></dt></dl><br></div>`,
			`<figure class="op-slideshow"><figure><img src="https://example.org/a.jpg"><figcaption>one</figcaption></figure>` + image("b.jpg") + `</figure>`, nil},
		{"block gallery", `<figure class="wp-block-gallery"><ul class="blocks-gallery-grid"><li class="blocks-gallery-item"><figure><img src="/a.jpg"><figcaption>one</figcaption></figure></li>` +
			`<li class="blocks-gallery-item"><figure><img src="/b.jpg"></figure></li></ul><figcaption class="blocks-gallery-caption">all</figcaption></figure>`,
			`<figure class="op-slideshow"><figure><img src="https://example.org/a.jpg"><figcaption>one</figcaption></figure>` + image("b.jpg") + `<figcaption>all</figcaption></figure>`, nil},
		{"copies in a slider", `<div class="swiper-wrapper"><img src="/a.jpg"><img src="/b.jpg"><img src="/a.jpg"></div>`,
			`<figure class="op-slideshow">` + image("a.jpg") + image("b.jpg") + `</figure>`, nil},
		{"gallery in an attribute", `<div class="jetpack-slideshow" data-gallery="[{&quot;src&quot;:&quot;\/a.jpg&quot;,&quot;caption&quot;:&quot;&lt;b&gt;one&lt;/b&gt;&quot;},{&quot;src&quot;:&quot;/b.jpg&quot;}]"></div>`,
			`<figure class="op-slideshow"><figure><img src="https://example.org/a.jpg"><figcaption><b>one</b></figcaption></figure>` + image("b.jpg") + `</figure>`, nil},
		{"original file of a gallery image", `<img src="/a-300x200.jpg" data-orig-file="/a.jpg">`, image("a.jpg"), nil},
		{"post of a network with its script", `<blockquote class="instagram-media" data-instgrm-version="14"><p>a</p></blockquote><p></p><script async src="//www.instagram.com/embed.js"></script><p>b</p>`,
			`<figure class="op-interactive"><iframe><blockquote class="instagram-media" data-instgrm-version="14"><p>a</p></blockquote><script async src="https://www.instagram.com/embed.js"></script></iframe></figure>` + "\n<p>b</p>", nil},
		{"post of a network without its script", `<blockquote class="tiktok-embed" cite="https://www.tiktok.com/@a/video/1"><section>a</section></blockquote>`,
			`<figure class="op-interactive"><iframe><blockquote class="tiktok-embed" cite="https://www.tiktok.com/@a/video/1"><section>a</section></blockquote><script async src="https://www.tiktok.com/embed.js"></script></iframe></figure>`, nil},
		{"post with a script of another", `<blockquote class="quote">a</blockquote><script src="https://evil.example/x.js"></script>`, "<blockquote>a</blockquote>", []string{"left out: script"}},
		{"post of Facebook", `<div class="fb-post" data-href="https://www.facebook.com/a/posts/1"></div>`,
			`<figure class="op-interactive"><iframe><div class="fb-post" data-href="https://www.facebook.com/a/posts/1"></div><script async src="https://connect.facebook.net/en_US/sdk.js#xfbml=1&amp;version=v3.2"></script></iframe></figure>`, nil},
		{"lazy frame", `<iframe data-src="https://www.youtube.com/embed/1" src="about:blank" width=560 height=315></iframe>`, video, nil},
		{"embed of a block editor", `<figure class="wp-block-embed"><div class="wp-block-embed__wrapper"><iframe src="https://www.youtube.com/embed/1" width="560" height="315"></iframe></div><figcaption>a</figcaption></figure>`,
			strings.Replace(video, "</figure>", "<figcaption>a</figcaption></figure>", 1), nil},
		{"size in percent", `<iframe src="https://www.youtube.com/embed/1" width="100%" height="315"></iframe>`, video, []string{"repaired"}},
		{"table", `<table class="x"><tr><td>1<td>2</table>`, `<figure class="op-interactive"><iframe><table><tr><td>1</td><td>2</td></tr></table></iframe></figure>`, nil},
		{"words around what a table cannot hold", `<table><tr><td>1<b>2</b><iframe src="/f"></iframe>3<center>4</center>5<td><b><iframe src="/f"></iframe></b></table>`,
			`<figure class="op-interactive"><iframe><table><tr><td>1<b>2</b> 3 4 5</td><td><b></b></td></tr></table></iframe></figure>`, []string{"left out: iframe", "left out: iframe"}},
		{"empty elements", "<p>\u00a0</p><p>&nbsp;</p><p><b> </b></p><h2></h2><ul><li></li></ul><p>0</p>", "<p>0</p>", nil},
		{"entities", `<p>Test &amp; Test &amp;amp; <a href="/a?b=1&c=2">x</a></p>`, `<p>Test &amp; Test &amp;amp; <a href="https://example.org/a?b=1&amp;c=2">x</a></p>`, nil},
		{"base element", `<base href="https://other.example/dir/"><p><a href="x">a</a></p>`, `<p><a href="https://other.example/dir/x">a</a></p>`, nil},
		{"links that lead nowhere", `<p><a href="#a">a</a> <a href="tel:1">b</a> <a name="c">c</a></p>`, "<p>a b c</p>", []string{"unwrapped", "unwrapped"}},
		{"lazy image with its twin", `<img class="lazy" src="/blank.gif"><noscript><img src="/a.jpg"></noscript>`, image("a.jpg"), nil},
		{"data image with its twin", `<p><img src="data:image/gif;base64,x"><noscript><img src="/a.jpg"></noscript></p>`, image("a.jpg"), nil},
		{"picture with a twin", `<picture><img src="data:image/gif;base64,x"></picture><noscript><img src="/a.jpg"></noscript>`, image("a.jpg"), nil},
		{"box in a box", `<table><tr><td><table><tr><td><p>a</p></td></tr></table></td></tr></table>`, "<p>a</p>", nil},
		{"srcset alone", `<img srcset="/s.jpg 300w, /l.jpg 1200w, /m.jpg 600w">`, image("l.jpg"), nil},
		{"picture", `<picture><source srcset="/a.webp"><img src="/a.jpg"></picture>`, image("a.jpg"), nil},
		{"AMP", `<amp-img src="/a.jpg" width=1 height=2></amp-img><amp-youtube data-videoid="1"></amp-youtube>`, image("a.jpg") + "\n" + video, nil},
		{"pull quote of a block editor", `<figure class="wp-block-pullquote"><blockquote><p>a</p><cite>b</cite></blockquote></figure>`, "<aside>a<cite>b</cite></aside>", nil},
		{"card of Ghost", `<figure class="kg-card kg-image-card"><img src="/a.jpg" class="kg-image"><figcaption><span>a</span></figcaption></figure>`,
			`<figure><img src="https://example.org/a.jpg"><figcaption>a</figcaption></figure>`, nil},
		{"four related articles", `<ul class="op-related-articles"><li><a href="/1"></a></li><li><a href="/2"></a></li><li><a href="/3"></a></li><li><a href="/4"></a></li></ul>`,
			`<ul class="op-related-articles"><li><a href="https://example.org/1"></a></li><li><a href="https://example.org/2"></a></li><li><a href="https://example.org/3"></a></li></ul>` +
				"\n" + `<p><a href="https://example.org/4">https://example.org/4</a></p>`, []string{"moved"}},
		{"addresses of players", `<figure class="media"><oembed url="https://www.youtube.com/watch?v=1&t=2"></oembed></figure><p>a</p><iframe src="https://youtu.be/1" width=560 height=315></iframe>` +
			`<p>b</p><lite-youtube videoid="1"></lite-youtube>`, video + "\n<p>a</p>\n" + video + "\n<p>b</p>\n" + video, nil},
		{"pull quote of a newspaper", `<pull-quote><pull-quote-text><p>a</p></pull-quote-text><pull-quote-source>b</pull-quote-source></pull-quote>`, "<aside>a<cite>b</cite></aside>", nil},
		{"images of emoji", `<p>a <img src="/e.png" class="wp-smiley" alt="😀"> b</p>`, "<p>a 😀 b</p>", nil},
		{"words for those who cannot play it", `<figure><video src="/v.mp4"><p>No <a href="/v.mp4">video</a></p></video></figure>`,
			`<figure><video><source src="https://example.org/v.mp4"></video><figcaption>No <a href="https://example.org/v.mp4">video</a></figcaption></figure>`, nil},
		{"the same image before a figure", `<img src="/a.jpg"><figure><img src="/a.jpg"><p>b</p></figure>`,
			image("a.jpg") + "\n" + `<figure><img src="https://example.org/a.jpg"><figcaption>b</figcaption></figure>`, nil},
		{"invisible frame", `<p>a</p><noscript><iframe src="https://stats.example/ns.html" height="0" width="0" style="display:none"></iframe></noscript>`,
			"<p>a</p>\n" + `<figure class="op-tracker"><iframe src="https://stats.example/ns.html"></iframe></figure>`, nil},
		{"footer of a blog", `<footer class="entry-footer">Filed under <a href="/x">x</a></footer>`, `<p>Filed under <a href="https://example.org/x">x</a></p>`, nil},
		{"header of a blog", `<header><h1>Story</h1><p>By A</p></header>`, "<h1>Story</h1>\n<p>By A</p>", nil},
		{"sound in a figure without an image", `<figure><audio controls src="/a.mp3"></audio><figcaption>a</figcaption></figure>`,
			`<figure class="op-interactive"><iframe><audio controls><source src="https://example.org/a.mp3"></audio></iframe><figcaption>a</figcaption></figure>`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := instant.Fragment(article(tt.content), instant.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want+"\n", got); diff != "" {
				t.Errorf("body differs (-want +got):\n%s", diff)
			}
			if len(warnings) != len(tt.warn) {
				t.Fatalf("warnings: got %+v, want %q", warnings, tt.warn)
			}
			for i, w := range warnings {
				if !strings.HasPrefix(w.Message, tt.warn[i]) || w.Place == "" || w.Code == "" {
					t.Errorf("warning: got %+v, want %q", w, tt.warn[i])
				}
			}
			document, _, err := transform(article(tt.content), instant.Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkSound(t, tt.content, document)
		})
	}
}
