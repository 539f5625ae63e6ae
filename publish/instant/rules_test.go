package instant_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
)

// fragment returns the body that a list of rules, as JSON objects, makes of content.
func fragment(t *testing.T, list, content string) (string, []hypertext.Warning) {
	t.Helper()
	parsed, notes, err := rulesfile.Parse([]byte(`{"rules":[` + list + `]}`))
	if err != nil || len(notes) > 0 {
		t.Fatalf("rules: %v %q", err, notes)
	}
	body, warnings, err := instant.Fragment(article(content), instant.Options{Rules: parsed})
	if err != nil {
		t.Fatal(err)
	}
	return body, warnings
}

func TestRules(t *testing.T) {
	tests := []struct{ name, rules, content, want string }{
		{"the last rule wins", `{"class":"H2Rule","selector":"p.x"},{"class":"BlockquoteRule","selector":"p.x"}`,
			`<p class="x">a</p>`, "<blockquote>a</blockquote>"},
		{"a rule applies in its context only", `{"class":"PassThroughRule","selector":"p"},{"class":"ParagraphRule","selector":"p"}`,
			`<ul><li><p>a</p></li></ul><p>b</p>`, "<ul><li>a</li></ul>\n<p>b</p>"},
		{"properties directly on the rule", `{"class":"ImageRule","selector":"div.i","image.url":{"type":"string","selector":"a","attribute":"href"}}`,
			`<div class="i"><a href="/a.jpg"></a></div>`, `<figure><img src="https://example.org/a.jpg"></figure>`},
		{"the children of a script", `{"class":"AnalyticsRule","selector":"div.t","analytics.embed":{"type":"children","selector":"script"}}`,
			`<div class="t"><script>count()</script>a</div>`,
			`<figure class="op-tracker"><iframe><script>count()</script></iframe></figure>` + "\n<p>a</p>"},
		{"a qualified class in another case", `{"class":"Some\\Name\\Space\\Compat\\H2RULE","selector":"p"}`, `<p>a</p>`, "<h2>a</h2>"},
		{"image with caption and credit", `{"class":"ImageRule","selector":"div.i","properties":{
			"image.url":{"type":"string","selector":"img","attribute":"src"},
			"image.caption":{"type":"element","selector":".t"},"image.credit":{"type":"string","selector":".c"},
			"fullscreen":{"type":"exists","selector":"div.wide"}}}`,
			`<div class="i"><div class="wide"><img src="/a.jpg"></div><p class="t">b <i>c</i></p><p class="c">d</p></div>`,
			`<figure data-mode="fullscreen"><img src="https://example.org/a.jpg"><figcaption>b <i>c</i><cite>d</cite></figcaption></figure>`},
		{"caption from another attribute", `{"class":"ImageRule","selector":"img","properties":{
			"image.url":{"type":"string","attribute":"src"},"image.caption":{"type":"string","attribute":"alt"}}}`,
			`<img src="/a.jpg" alt="b &lt;i&gt;">`, `<figure><img src="https://example.org/a.jpg"><figcaption>b &lt;i&gt;</figcaption></figure>`},
		{"a rule that finds nothing gives way", `{"class":"ImageRule","selector":"p","properties":{"image.url":{"type":"string","selector":"img","attribute":"src"}}}`,
			`<p>a</p>`, "<p>a</p>"},
		{"an element and its sibling", `{"class":"InteractiveRule","selector":"div.quiz","properties":{"interactive.iframe":{"type":"multiple","children":[
			{"type":"element","selector":"div.quiz"},{"type":"next-sibling-element-of","selector":"div.quiz","sibling.selector":"script"}]}}}`,
			`<div class="quiz" data-id="1"></div> <script src="//quiz.example/q.js"></script><script src="z.js"></script>`,
			`<figure class="op-interactive"><iframe><div class="quiz" data-id="1"></div><script async src="https://quiz.example/q.js"></script></iframe></figure>`},
		{"an inline script that a rule asks for", `{"class":"InteractiveRule","selector":"div.quiz","properties":{"interactive.iframe":{"type":"children"}}}`,
			`<div class="quiz"><script>if (a && b < c) start()</script></div>`,
			`<figure class="op-interactive"><iframe><script>if (a && b < c) start()</script></iframe></figure>`},
		{"markup of the rule", `{"class":"InteractiveRule","selector":"div.quiz","properties":{
			"interactive.iframe":{"type":"fragment","fragment":"<div></div><script src='https://a.example/s.js'></script>"},
			"no-margin":{"type":"exists"},"interactive.height":{"type":"int","attribute":"data-h"},"interactive.width":{"type":"constant","value":300}}}`,
			`<div class="quiz" data-h="200px"></div>`,
			`<figure class="op-interactive"><iframe class="no-margin" width="300" height="200"><div></div><script async src="https://a.example/s.js"></script></iframe></figure>`},
		{"address in parts", `{"class":"InteractiveRule","selector":"div.v","properties":{
			"interactive.url":{"type":"multiple","children":[{"type":"constant","value":"https://v.example/"},{"type":"string","attribute":"data-id","suffix":"?x=1"}]},
			"interactive.width":{"type":"constant","value":"300"},"interactive.height":{"type":"constant","value":200}}}`,
			`<div class="v" data-id="7"></div>`, `<figure class="op-interactive"><iframe src="https://v.example/7?x=1" width="300" height="200"></iframe></figure>`},
		{"a link to the large image", `{"class":"ImageRule","selector":"div.i","image.url":{"type":"string","selector":"a","attribute":"href"}}`,
			`<div class="i"><a href="/a.jpg"><img src="/small.jpg">words</a></div>`,
			`<figure><img src="https://example.org/a.jpg"><figcaption><a href="https://example.org/a.jpg">words</a></figcaption></figure>`},
		{"a video's words", `{"class":"VideoRule","selector":"div","containsChild":"video"}`, `<div><video src="/v.mp4">words</video></div>`,
			`<figure><video><source src="https://example.org/v.mp4"></video></figure>` + "\n<p>words</p>"},
		{"an embed without anything in it", `{"class":"InteractiveRule","selector":"p","properties":{"interactive.iframe":{"type":"element","selector":"input"}}}`,
			`<p>a<input>b</p>`, "<p>ab</p>"},
		{"an old social embed", `{"class":"SocialEmbedRule","selector":"figure.op-social","properties":{"socialembed.url":{"type":"string","selector":"iframe","attribute":"src"},
			"socialembed.width":{"type":"int","selector":"iframe","attribute":"width"},"socialembed.height":{"type":"constant","value":9}}}`,
			`<figure class="op-social"><iframe src="https://s.example/1" width="300"></iframe><figcaption>c</figcaption></figure>`,
			`<figure class="op-interactive"><iframe src="https://s.example/1" width="300" height="9"></iframe><figcaption>c</figcaption></figure>`},
		{"a frame is passed through", `{"class":"PassThroughRule","selector":"iframe"}`, `<iframe><p>a</p></iframe>`, "<p>a</p>"},
		{"a map by rule", `{"class":"MapRule","selector":"div.m"},{"class":"GeoTagRule","selector":"div.m span","properties":{"map.geotag":{"type":"string","attribute":"data-geo"}}}`,
			`<div class="m"><span data-geo='{"type": "Feature"}'></span></div>`,
			`<figure class="op-map"><script type="application/json" class="op-geotag">{"type":"Feature"}</script></figure>`},
		{"sound by rule", `{"class":"AudioRule","selector":"span.s","properties":{"audio.url":{"type":"string","attribute":"data-s"},"audio.title":{"type":"constant","value":"T"},
			"audio.autoplay":{"type":"exists","selector":".auto"}}}`,
			`<figure><img src="/a.jpg"><span class="s auto" data-s="/a.mp3"></span></figure>`,
			`<figure><img src="https://example.org/a.jpg"><audio title="T" autoplay><source src="https://example.org/a.mp3"></audio></figure>`},
		{"a post whose script is not there", `{"class":"InteractiveRule","selector":"blockquote.twitter-tweet","properties":{"interactive.iframe":{"type":"multiple","children":[
			{"type":"element","selector":"blockquote"},{"type":"next-sibling-element-of","selector":"blockquote"}]}}}`,
			`<blockquote class="twitter-tweet">a</blockquote><p>b</p>`,
			`<figure class="op-interactive"><iframe><blockquote class="twitter-tweet">a</blockquote></iframe></figure>` + "\n<p>b</p>"},
		{"all sponsors of a list", `{"class":"SponsorRule","selector":"ul.op-sponsors","properties":{"sponsor.page_url":{"type":"string","selector":"a","attribute":"href"}}}`,
			`<header><time class="op-published" datetime="2026-11-19T08:00:00Z">x</time><ul class="op-sponsors"><li><a href="/a">a</a></li><li><a href="/b">b</a></li></ul></header><p>c</p>`, "<p>c</p>"},
		{"the title of a page is no heading", `{"class":"H1Rule","selector":"title"}`, `<head><title>Some page</title></head><p>a</p>`, "<p>a</p>"},
		{"a video and the image before it", `{"class":"VideoRule","selector":"figure","containsChild":"video","properties":{"video.url":{"type":"string","selector":"source","attribute":"src"}}}`,
			`<figure class="fb-feed-cover"><img src="/p.jpg"><video><source src="/v.mp4" type="video/mp4"></video></figure>`,
			`<figure class="fb-feed-cover"><img src="https://example.org/p.jpg"><video><source src="https://example.org/v.mp4" type="video/mp4"></video></figure>`},
		{"text of the node after", `{"class":"ImageRule","selector":"img","properties":{"image.url":{"type":"string","attribute":["data-x","src"]},
			"image.caption":{"type":"sibling","selector":"img"}}}`,
			`<p><img data-x="/a.jpg" src="/b.jpg">words</p>`, `<figure><img src="https://example.org/a.jpg"><figcaption>words</figcaption></figure>`},
		{"video by what it contains", `{"class":"VideoRule","selector":"div","containsChild":"video","properties":{"video.url":{"type":"string","selector":"source","attribute":"src"},
			"video.type":{"type":"string","selector":"source","attribute":"type"},"video.playback":{"type":"exists","selector":"video","attribute":"data-still"}}}`,
			`<div><video data-still><source src="/v.mp4" type="video/mp4"></video></div><div>a</div>`,
			`<figure><video data-fb-disable-autoplay><source src="https://example.org/v.mp4" type="video/mp4"></video></figure>` + "\n<p>a</p>"},
		{"slideshow with titles and credits", `{"class":"SlideshowRule","selector":"ul.s"},{"class":"SlideshowImageRule","selector":"ul.s li","properties":{
			"image.url":{"type":"string","selector":"img","attribute":"src"},"caption.title":{"type":"string","selector":".t"},"caption.credit":{"type":"string","selector":".c"}}}`,
			`<ul class="s"><li><img src="/a.jpg"><p class="t">one</p><p class="c">me</p></li><li><img src="/b.jpg"></li></ul>`,
			`<figure class="op-slideshow"><figure><img src="https://example.org/a.jpg"><figcaption><h1>one</h1><cite>me</cite></figcaption></figure>` +
				`<figure><img src="https://example.org/b.jpg"></figure></figure>`},
		{"advertisement and tracker", `{"class":"AdRule","selector":"div.ad","properties":{"ad.url":{"type":"string","attribute":"data-u"},"ad.width":{"type":"constant","value":300},
			"ad.height":{"type":"constant","value":250}}},{"class":"AnalyticsRule","selector":"//script[contains(@src,'stats.example')]","properties":{"analytics.embed":{"type":"element"}}}`,
			`<p>a</p><div class="ad" data-u="https://ads.example/1"></div><script src="https://stats.example/s.js"></script>`,
			"<p>a</p>\n" + `<figure class="op-ad"><iframe src="https://ads.example/1" width="300" height="250"></iframe></figure>` + "\n" +
				`<figure class="op-tracker"><iframe><script async src="https://stats.example/s.js"></script></iframe></figure>`},
		{"a paragraph of images", `{"class":"SlideshowRule","selector":"//p[img and not(*[not(self::img)])]"}`,
			`<p><img src="/a.jpg"><img src="/b.jpg"></p><p><img src="/c.jpg"><b>c</b></p>`,
			`<figure class="op-slideshow"><figure><img src="https://example.org/a.jpg"></figure><figure><img src="https://example.org/b.jpg"></figure></figure>` +
				"\n<figure><img src=\"https://example.org/c.jpg\"></figure>\n<p><b>c</b></p>"},
		{"a whole page", `{"class":"GlobalRule","selector":"html","properties":{"article.title":{"type":"string","selector":"h1"},"author.name":{"type":"string","selector":".by"},
			"article.body":{"type":"element","selector":"div.story"},"article.canonical":{"type":"string","selector":"link","attribute":"href"}}}`,
			`<html><body><nav>menu</nav><h1>t</h1><p class="by">A</p><div class="story"><p>a</p><p>b</p></div></body></html>`, "<p>a</p>\n<p>b</p>"},
		{"a rule over a built-in one", `{"class":"ParagraphRule","selector":"h3"},{"class":"PassThroughRule","selector":"figure.wp-block-gallery"}`,
			`<h3>a</h3><figure class="wp-block-gallery"><figure><img src="/a.jpg"></figure><figure><img src="/b.jpg"></figure></figure>`,
			"<p>a</p>\n<figure><img src=\"https://example.org/a.jpg\"></figure>\n<figure><img src=\"https://example.org/b.jpg\"></figure>"},
		{"links by rule", `{"class":"AnchorRule","selector":"span.l","properties":{"anchor.href":{"type":"string","attribute":"data-href"},"anchor.rel":{"type":"constant","value":"nofollow x"}}}`,
			`<p><span class="l" data-href="/a">a</span></p>`, `<p><a href="https://example.org/a" rel="nofollow">a</a></p>`},
		{"a caption that is the element itself", `{"class":"ImageRule","selector":"figure.c","properties":{"image.url":{"type":"string","selector":"img","attribute":"src"},
			"image.caption":{"type":"element","selector":"figure.c"}}}`,
			`<figure class="c"><img src="/a.jpg">words</figure>`, `<figure><img src="https://example.org/a.jpg"><figcaption>words</figcaption></figure>`},
		{"a caption from all text of the element", `{"class":"ImageRule","selector":"div.c","properties":{"image.url":{"type":"string","selector":"img","attribute":"src"},
			"image.caption":{"type":"string"}}}`,
			`<div class="c"><img src="/a.jpg">words <b>x</b><img src="/b.jpg"></div>`,
			`<figure><img src="https://example.org/a.jpg"><figcaption>words x</figcaption></figure>` + "\n" + `<figure><img src="https://example.org/b.jpg"></figure>`},
		{"the content of a frame inside", `{"class":"InteractiveRule","selector":"div.x","properties":{"interactive.iframe":{"type":"children","selector":"iframe"}}}`,
			`<div class="x"><iframe><p>a</p></iframe></div>`, `<figure class="op-interactive"><iframe><p>a</p></iframe></figure>`},
		{"the content of a tracker's frame", `{"class":"AnalyticsRule","selector":"figure.op-tracker","properties":{"analytics.embed":{"type":"children","selector":"iframe"}}}`,
			`<p>a</p><figure class="op-tracker"><iframe><p>b</p></iframe></figure>`, "<p>a</p>\n" + `<figure class="op-tracker"><iframe><p>b</p></iframe></figure>`},
		{"an address with prefix and suffix", `{"class":"ImageRule","selector":"img","properties":{"image.url":{"suffix":"?w=9","attribute":"src","prefix":"https://cdn.example","type":"string"}}}`,
			`<img src="/a.jpg" srcset="/b.jpg 2000w">`, `<figure><img src="https://cdn.example/a.jpg?w=9"></figure>`},
		{"an address from a constant and an attribute", `{"class":"ImageRule","selector":"img","properties":{"image.url":{"type":"multiple","children":[
			{"type":"constant","value":"https://cdn.example"},{"type":"string","attribute":"src"}]}}}`,
			`<img src="/a.jpg">`, `<figure><img src="https://cdn.example/a.jpg"></figure>`},
		{"an address that is none", `{"class":"ImageRule","selector":"img","properties":{"image.url":{"type":"string","prefix":"javascript:","attribute":"src"}}}`,
			`<img src="/a.jpg">`, `<figure><img src="https://example.org/a.jpg"></figure>`},
		{"media for which a rule finds nothing", `{"class":"ImageRule","selector":"img","properties":{"image.url":{"type":"string","attribute":"data-x"}}},
			{"class":"VideoRule","selector":"video","properties":{"video.url":{"type":"string","attribute":"data-x"}}},
			{"class":"AudioRule","selector":"audio","properties":{"audio.url":{"type":"string","attribute":"data-x"}}},
			{"class":"InteractiveRule","selector":"iframe","properties":{"interactive.url":{"type":"string","attribute":"data-x"}}}`,
			`<img src="/a.jpg"><video src="/b.mp4"></video><audio src="/c.mp3"></audio><iframe src="/d" width="1" height="2"></iframe>`,
			`<figure><img src="https://example.org/a.jpg"></figure>` + "\n" +
				`<figure><video><source src="https://example.org/b.mp4"></video></figure>` + "\n" +
				`<figure class="op-interactive"><iframe><audio controls><source src="https://example.org/c.mp3"></audio></iframe></figure>` + "\n" +
				`<figure class="op-interactive"><iframe src="https://example.org/d" width="1" height="2"></iframe></figure>`},
		{"places of headings", `{"class":"H2Rule","selector":"h2","properties":{"op-center":{"type":"exists","selector":"h2.middle"}}}`,
			`<h2 class="middle">a</h2>`, `<h2 class="op-center">a</h2>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := fragment(t, tt.rules, tt.content)
			if diff := cmp.Diff(tt.want+"\n", got); diff != "" {
				t.Errorf("body differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIgnoredTextIsAWarning(t *testing.T) {
	body, warnings := fragment(t, `{"class":"IgnoreRule","selector":"div.newsletter"}`, `<p>a</p><section><div class="newsletter">b</div></section>`)
	if body != "<p>a</p>\n" || len(warnings) != 1 || warnings[0].Code != "ignored" || warnings[0].Place != "section > div.newsletter" {
		t.Errorf("got %q %+v", body, warnings)
	}
}

// The general rules are those of a feed.
func TestSourceRulesPrecedeGeneralRules(t *testing.T) {
	general, _, err := rulesfile.Parse([]byte(`{"rules":[{"class":"H2Rule","selector":"p.x"},{"class":"H2Rule","selector":"p.y"}],"style_name":"general"}`))
	if err != nil {
		t.Fatal(err)
	}
	own, _, err := rulesfile.Parse([]byte(`{"rules":[{"class":"BlockquoteRule","selector":"p.x"}],"ads":{"raw_html":"<script>ad('</iframe>')</script>"},"analytics":{"fb_pixel_id":7}}`))
	if err != nil {
		t.Fatal(err)
	}
	document, _, err := transform(article(`<p class="x">a</p><p class="y">b</p><p>c</p>`), instant.Options{Rules: own.Before(general)})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<blockquote>a</blockquote>\n<h2>b</h2>\n<p>c</p>\n", `content="general"`, `content="enable=true ad_density=default"`,
		`<figure class="op-ad"><iframe><script>ad('&lt;/iframe>')</script></iframe></figure>`,
		`<figure class="op-tracker"><iframe src="https://www.facebook.com/tr?id=7&amp;ev=PageView&amp;noscript=1"></iframe></figure>`} {
		if !strings.Contains(document, want) {
			t.Errorf("document lacks %s:\n%s", want, document)
		}
	}
}

func TestGlobalRulePrecedesTheArticle(t *testing.T) {
	set, _, err := rulesfile.Parse([]byte(`{"rules":[{"class":"GlobalRule","selector":"html","properties":{"article.title":{"type":"string","selector":"h1"},
		"author.name":{"type":"string","selector":".by"},"author.url":{"type":"string","selector":".by","attribute":"href"},
		"article.publish":{"type":"date","selector":".on","format":"j F Y H:i"},"image.url":{"type":"string","selector":"img","attribute":"src"},
		"article.body":{"type":"element","selector":"div"}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	page := `<html><h1>From the page</h1><a class="by" href="/bo">Bo</a> <span class="on">7 March 2024 15:30</span><img src="/c.jpg"><div><p>a</p></div></html>`
	d, _, err := instant.Transform(article(page), instant.Options{Rules: set})
	if err != nil {
		t.Fatal(err)
	}
	want := instant.Document{Title: "From the page", Authors: []string{"Bo"}, Published: time.Date(2024, 3, 7, 15, 30, 0, 0, time.UTC)}
	if diff := cmp.Diff(want, instant.Document{Title: d.Title, Authors: d.Authors, Published: d.Published}); diff != "" {
		t.Error(diff)
	}
	header := `<header>
<figure><img src="https://example.org/c.jpg"></figure>
<h1>From the page</h1>
<time class="op-published" datetime="2024-03-07T15:30:00Z">March 7, 2024</time>
<time class="op-modified" datetime="2024-03-07T15:30:00Z">March 7, 2024</time>
<address><a href="https://example.org/bo">Bo</a></address>
</header>
`
	if !strings.Contains(d.Markup, header) {
		t.Errorf("got\n%s\nwant\n%s", d.Markup, header)
	}
	if d, _, err = instant.Transform(article(`<div><p>a</p></div>`), instant.Options{Rules: set}); err != nil || d.Title != "Title & more" {
		t.Errorf("without a value of the page the title is %q (%v)", d.Title, err)
	}
}

// FuzzRules parses a rules file and transforms a page with it.
func FuzzRules(f *testing.F) {
	builtin, err := os.ReadFile("rulesfile/builtin.json")
	if err != nil {
		f.Fatal(err)
	}
	for rule := range strings.SplitSeq(string(builtin), "\n    ") {
		f.Add(`{"rules":[`+strings.TrimSuffix(strings.TrimSpace(rule), ",")+`]}`, `<div class="x"><p>a<img src="b"></p></div>`)
	}
	f.Fuzz(func(t *testing.T, file, content string) {
		set, _, err := rulesfile.Parse([]byte(file))
		if err != nil {
			return
		}
		document, _, err := transform(article(content), instant.Options{Rules: set})
		if err != nil && strings.Contains(err.Error(), "panic") {
			t.Fatal(err)
		}
		if document != hypertext.Clean(document) {
			t.Error("the document contains characters that XML forbids")
		}
	})
}

// These rules have an effect on the whole document only.
func TestRulesOfHeaderAndFooter(t *testing.T) {
	set, notes, err := rulesfile.Parse([]byte(`{"rules":[
		{"class":"GlobalRule","selector":"html","properties":{
			"article.title":{"type":"string","selector":".t"},"author.name":{"type":"string","selector":".by a"},
			"author.url":{"type":"string","selector":".by a","attribute":"href"},"author.description":{"type":"sibling","selector":".by a"},
			"article.publish":{"type":"date","selector":".d","format":"F jS, Y \\a\\t g:i A T"},
			"image.url":{"type":"xpath","selector":"//img[@class='lead']/@src"},"article.body":{"type":"children","selector":".story"}}},
		{"class":"FooterRule","selector":"div.end"},{"class":"ParagraphFooterRule","selector":"div.end p"},
		{"class":"FooterRelatedArticlesRule","selector":"div.end ul","properties":{"related.title":{"type":"constant","value":"More"}}},
		{"class":"RelatedItemRule","selector":"div.end li","properties":{"related.url":{"type":"string","selector":"a","attribute":"href"},
			"related.sponsored":{"type":"exists","selector":".paid"}}}],
		"ads":{"audience_network_placement_id":"1 2"},"style_name":"dusk"}`))
	if err != nil || len(notes) > 0 {
		t.Fatal(err, notes)
	}
	a := article(`<html><p class="t">Page title</p><p class="by"><a href="/ann">Ann</a> reports</p><span class="d">November 19th, 2026 at 7:46 PM UTC</span>` +
		`<img class="lead" src="/lead.jpg"><div class="story"><p>a</p><div class="end"><p>Credit</p><p>Two</p><ul><li class="paid"><a href="/r">r</a></li></ul></div></div></html>`)
	a.Title, a.Published, a.Authors = "", time.Time{}, nil
	document, _, err := transform(a, instant.Options{Rules: set.Before(nil)})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`content="dusk"`, `<h1>Page title</h1>`, `<address><a href="https://example.org/ann">Ann</a> reports</address>`,
		`<header>` + "\n" + `<figure><img src="https://example.org/lead.jpg"></figure>`, `"op-published" datetime="2026-11-19T19:46:00Z"`,
		`placement=1+2&amp;adtype=banner300x250" width="300" height="250"></iframe></figure>`, "</header>\n<p>a</p>\n<footer>",
		`<aside>Credit<br><br>Two</aside><ul class="op-related-articles" title="More"><li data-sponsored="true"><a href="https://example.org/r"></a></li></ul>`} {
		if !strings.Contains(document, want) {
			t.Errorf("document lacks %s:\n%s", want, document)
		}
	}
}

func TestVideoPagesBecomePlayers(t *testing.T) {
	for page, want := range map[string]string{
		"https://www.youtube.com/watch?v=a-1&t=3":    "https://www.youtube.com/embed/a-1",
		"https://m.youtube.com/shorts/a":             "https://www.youtube.com/embed/a",
		"https://youtu.be/a?si=x":                    "https://www.youtube.com/embed/a",
		"https://www.youtube.com/embed/a?rel=0":      "https://www.youtube.com/embed/a?rel=0",
		"https://vimeo.com/123":                      "https://player.vimeo.com/video/123",
		"https://vimeo.com/about":                    "https://vimeo.com/about",
		"https://www.dailymotion.com/video/x":        "https://www.dailymotion.com/embed/video/x",
		"https://youtube.com.evil.example/watch?v=a": "https://youtube.com.evil.example/watch?v=a",
	} {
		body, _, err := instant.Fragment(article(`<iframe width=1 height=2 src="`+page+`"></iframe>`), instant.Options{})
		if err != nil || !strings.Contains(body, `<iframe src="`+want+`" `) {
			t.Errorf("%s: got %v %s, want %s", page, err, body, want)
		}
	}
}

func TestRuleWithoutItsPropertyIsAWarning(t *testing.T) {
	const rule = `{"class":"ImageRule","selector":"p, x-photo","properties":{"image.url":{"type":"string","selector":"img","attribute":"src"}}}`
	body, warnings := fragment(t, rule, `<p>a</p><x-photo>b</x-photo>`)
	if body != "<p>a</p>\n<p>b</p>\n" || len(warnings) != 2 || warnings[0].Code != "rule" || warnings[0].Place != "x-photo" {
		t.Errorf("got %q %+v", body, warnings)
	}
}

func TestListRulesDoNotApplyInTheHeader(t *testing.T) {
	set, _, err := rulesfile.Parse([]byte(`{"rules":[{"class":"ListElementRule","selector":"ul"},{"class":"ListItemRule","selector":"li"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	const sponsors = `<ul class="op-sponsors"><li><a href="https://example.org/a" rel="facebook">a</a></li><li><a href="https://example.org/b" rel="facebook">b</a></li></ul>`
	document, _, err := transform(article(`<header><time class="op-published" datetime="2026-11-19T08:00:00Z">x</time>`+sponsors+`</header><p>c</p>`),
		instant.Options{Rules: set})
	if err != nil || !strings.Contains(document, sponsors+"\n</header>\n<p>c</p>\n") {
		t.Errorf("got %v\n%s", err, document)
	}
}
