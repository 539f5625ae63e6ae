//go:build !race

package publish_test

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/publish/xsstest"
	"github.com/feedwire/feedwire/store/feed"
)

// nasty are articles that have broken feeds.
func nasty() []feed.Article {
	long := strings.Repeat("A sentence of some length, as papers write them. ", 20)
	at := func(i int) time.Time { return day.Add(-time.Duration(i+1) * 45 * time.Minute) }
	var all []feed.Article
	for i, a := range []feed.Article{
		{Title: "A million characters in one article", Content: "<p>" + strings.Repeat("word ", 200_000) + "</p>"},
		{Title: "The end of a section ]]> in a title", Content: "<p>" + long + "]]> &lt;![CDATA[ ]]&gt;<b>]]></b></p>", Summary: "]]>"},
		{Title: "Control \x00\x0b\x1f characters here", Content: "<p>" + long + "\x00\x0b&#11;&#0;\x7f\ufffe</p>", Summary: "\x0b"},
		{Title: "Emoji 🏗️👩‍👩‍👧 and all of their joiners", Content: "<p>" + long + "🏗️👩‍👩‍👧\U0001F1E9\U0001F1EA</p>"},
		{Title: "Bytes \xff\xfe that are no UTF-8 at all", Content: "<p>" + long + "\xff\xc3(\xed\xa0\x80</p>", Authors: []string{"A\xff\x01"}},
		{Title: "Ten thousand elements in each other", Content: strings.Repeat("<div>", 10_000) + long + strings.Repeat("</div>", 10_000)},
		{Title: "An article without any content now", Content: " <p>\u00a0</p>"},
		{Title: "", Content: "<p>" + long + "</p>"},
		{Title: "Short", Content: "<p>" + long + "</p>"},
		{Title: strings.Repeat("A title without an end ", 40), Content: "<p>" + long + "</p>"},
		{Title: "Markup that is closed in the wrong order", Content: "<p><b><i>" + long + "</b></i><table><p>cell</table></script>"},
		{Title: "Categories and files that are nonsense", Content: "<p>" + long + "</p>", Categories: []string{"]]>", "\x0b", "R&D"},
			Enclosures: []feed.Enclosure{{URL: "https://x.example/\x0b.mp3", Type: "audio/\"><script>", Length: 1}, {URL: "javascript:alert(1)", Type: "audio/mpeg"}}},
		{Title: "<script>alert(1)</script> &amp; <b>markup", Content: "<p>" + long + "</p>", Authors: []string{"<i>Ann</i> & \"Ben\""}},
		{Title: "\u202eRight to left\u202c العربية עברית", Content: "<p dir=rtl>" + long + "\u202eالعربية</p>"},
		{Title: "Addresses that depend on the page", Content: "<p>" + long + `<a href="b.html?x=1&y=2#z">b</a><img src="/a b.jpg"><img src="//cdn.example/c.jpg"></p>`},
		{Title: "Addresses that no reader can follow", Content: "<p>" + long + `<a href="javascript:x()">j</a><a href="data:text/html,x">d</a>` +
			`<img src="data:image/png;base64,AAAA"><a href="#here">h</a><a href="http://[::1">x</a></p>`},
		{Title: "A table in a table, with wide cells", Content: "<p>" + long + "</p><table><caption>C</caption><tr><th colspan=2>wide<tr><td>" +
			"<table><tr><td>inner</table><td rowspan=9><p>cell</p><ul><li>item</ul></table>"},
		{Title: "Frames inside of a paragraph of text", Content: "<p>before <iframe src='https://www.youtube.com/embed/dQw4w9WgXcQ?start=3'></iframe> between " +
			"<iframe src='https://ads.example/x'></iframe> after</p><p>" + long + "</p>"},
		{Title: "Code that keeps its lines and tabs", Content: "<p>" + long + "</p><pre><code>if a &lt; b {\n\treturn\n\n}</code></pre>"},
		{Title: "Audio and video without any player", Content: "<p>" + long + "</p><video src='https://x.example/v.mp4' poster='https://x.example/p.jpg'></video>" +
			"<audio controls><source src='https://x.example/a.mp3' type='audio/mpeg'></audio><video></video>"},
		{Title: "Lists in lists, with images in them", Content: "<p>" + long + "</p><ul><li>one<ol><li>two<ul><li>three</ul></ol>" +
			"<li><img src='https://x.example/i.jpg' width=10 height=10>four<li></ul><dl><dt>t<dd>d</dl>"},
		{Title: "Quotes in quotes, and a long aside", Content: "<blockquote><p>" + long + "</p><blockquote>inner<p>said</blockquote></blockquote><aside>aside</aside><q>q</q>"},
		{Title: "Entities &amp;amp; of every &nbsp; kind", Content: "<p>" + long + "&amp;lt;b&amp;gt; &nbsp;&shy;&hearts;&bogus; &#x1F600; &#xD800; &#128;</p>"},
		{Title: "An image in a link in a paragraph", Content: `<p>left <a href="https://x.example/big"><img src="https://x.example/small.jpg" srcset="a 2x" alt='"a" & <b>'></a> right</p>` +
			"<p>" + long + "</p><figure><img src='https://x.example/f.jpg'><figcaption>A <b>caption</b> with <a href='https://x.example/'>a link</a></figcaption></figure><figure></figure>"},
		{Title: "Headings that hold what they should not", Content: "<h1>One <img src='https://x.example/h.jpg'> <a href='https://x.example/'>two</a></h1><h2></h2><h6>six<br>seven</h6><p>" + long + "</p>"},
		{Title: "One word of two thousand characters", Content: "<p>" + long + strings.Repeat("w", 2000) + "</p>"},
		{Title: "Text without any paragraph or block", Content: long + "<br><br>second <b>bold<br>line</b>" + long + "<hr>third"},
		{Title: "Comments and instructions of machines", Content: "<!--[if IE]><p>IE</p><![endif]--><?php echo 1 ?><p>" + long + "<!-- x --></p><![CDATA[cdata]]><style>p{}</style><form><input></form>"},
		{Title: "Formulas: 10<sup>6</sup> and others", Content: "<p>" + long + "10<sup>6</sup> H<sub>2</sub>O <math><mi>x</mi><mo>=</mo><mn>1</mn></math> <u>u</u><s>s</s><small>sm</small><mark>m</mark></p>"},
		{Title: "An address that has to be escaped & more", Canonical: "https://harbour.example/n?x='1'&y=%3C2%3E#z", Content: "<p>" + long + "</p>", Summary: "<p>One</p>\n<p>two &amp; three</p>"},
	} {
		a.GUID = fmt.Sprint(i)
		a.UUID = feed.ArticleUUID("https://harbour.example/feed", a.GUID)
		a.Canonical = cmp.Or(a.Canonical, "https://harbour.example/news/"+a.GUID+"?utm_source=x&a=b")
		if !strings.HasPrefix(a.Title, "An article without") {
			a.Image = "https://harbour.example/images/" + a.GUID + ".jpg"
		}
		sound := feed.Enclosure{URL: "https://harbour.example/sounds/" + a.GUID + ".mp3", Type: "audio/mpeg", Length: 1000}
		a.Enclosures = append(a.Enclosures, sound)
		a.Digest, a.Published, a.Modified = a.GUID, at(i), at(i)
		a.Feeds = map[string]feed.Placement{"news": {State: feed.StatePublished, Revision: 1, Published: at(i)}}
		all = append(all, a)
	}
	slices.Reverse(all) // oldest first
	return all
}

// blockedTitles returns the titles of the hostile articles that a profile blocks.
func blockedTitles(p *profile.Profile) (titles []string) {
	if p.Body == profile.BodyInstant {
		titles = append(titles, "")
	}
	if p.Body == profile.BodyInstant || slices.Contains(p.Require, profile.RequireBody) {
		titles = append(titles, "An article without")
	}
	if p.TitleMinimum > len("Short") {
		titles = append(titles, "Short")
	}
	if p.MaxBytes > 0 {
		titles = append(titles, "A million")
	}
	return titles
}

func TestHostileArticlesAreCleanedOrBlockedInEveryProfile(t *testing.T) {
	for _, name := range profile.Names() {
		p, _ := profile.Find(name, nil)
		for _, form := range p.Forms {
			t.Run(p.Name+"."+form, func(t *testing.T) {
				f := harbourFeed(p.Name)
				articles := nasty()
				for i := range articles {
					if p.Body == profile.BodyInstant { // whose canonical addresses have no query
						articles[i].Canonical, _, _ = strings.Cut(articles[i].Canonical, "?")
					}
				}
				document, _ := edition(t, f, "news."+form, publish.Options{}, articles...)
				read := accepted(t, p.Name, form, document)
				blocked := blockedTitles(&p)
				if want := len(articles) - len(blocked); len(read) != want {
					t.Errorf("got %d items, want %d: all but %q", len(read), want, blocked)
				}
				for title, want := range survives() {
					if form != feedxml.Sitemap && !slices.Contains(blocked, title) && !says(read, title, want) {
						t.Errorf("%q no longer says %.40q", title, want)
					}
				}
				if strings.Contains(document, "Control \uFFFD") {
					t.Error("control characters in a title are not simply gone")
				}
				for _, title := range blocked {
					if title != "" && strings.Contains(document, title) {
						t.Errorf("%q is in the feed", title)
					}
				}
			})
		}
	}
}

// survives is what a reader of nasty articles has to see, by the beginning of their title.
func survives() map[string]string {
	return map[string]string{
		"A million":            strings.TrimSpace(strings.Repeat("word ", 200_000)),
		"The end of a section": "]]> <![CDATA[ ]]>]]>",
		"Emoji 🏗️👩‍👩‍👧 and all": "🏗️👩‍👩‍👧\U0001F1E9\U0001F1EA",
		"Bytes \uFFFD": "\uFFFD(",
		"Ten thousand": "as papers write them.",
		"Markup that":  "cell",
	}
}

// says reports that the item whose title begins so says want.
func says(read []readItem, title, want string) bool {
	for _, it := range read {
		if strings.HasPrefix(it.Title, title) {
			return strings.Contains(hypertext.PlainText(it.Content, 2<<20), want)
		}
	}
	return false
}

func TestNoScriptRunsInAnyProfile(t *testing.T) {
	const harmless = "Before it stands some text. "
	payloads := xsstest.Payloads()
	var all []feed.Article
	for i, payload := range payloads {
		a := paper()[1]
		a.GUID = fmt.Sprint("x", i)
		a.UUID, a.Digest = feed.ArticleUUID("https://harbour.example/feed", a.GUID), a.GUID
		a.Canonical = "https://harbour.example/" + a.GUID
		a.Content = "<p>" + strings.Repeat(harmless, 20) + "</p><table><tr><td>a</td><td>" + payload +
			`</td></tr></table><blockquote class="twitter-tweet"><p>b</p>` + payload + "</blockquote>" + payload
		a.Summary, a.Title, a.Categories, a.Authors = payload, "A title as long as it takes "+payload, []string{payload}, []string{payload}
		all = append(all, a)
	}
	judged := make(map[string]bool) // what was found to be safe: most is the same in all profiles
	for _, name := range profile.Names() {
		p, _ := profile.Find(name, nil)
		if slices.Contains(p.Forms, feedxml.Sitemap) {
			continue // no content
		}
		t.Run(p.Name, func(t *testing.T) {
			f := harbourFeed(p.Name)
			f.MaxItems = 1000
			var bodies []string
			for _, form := range p.Forms {
				document, _ := edition(t, f, "news."+form, publish.Options{}, all...)
				read := readItems(t, form, document)
				if len(read) < len(payloads)*9/10 {
					t.Errorf("only %d of %d articles are in the feed as %s", len(read), len(payloads), form)
				}
				for _, it := range read {
					bodies = append(bodies, it.Content)
				}
			}
			publisher := publish.New(newMemory(), []feed.Outgoing{f}, publish.Options{})
			for i := range all {
				v, err := publisher.Preview(t.Context(), all[i], f.Type)
				if err != nil {
					t.Fatal(err)
				}
				bodies = append(bodies, v.Markup)
			}
			for _, body := range bodies {
				body = strings.ReplaceAll(body, harmless, "")
				key := body
				if p.Body == profile.BodyInstant || strings.Contains(body, "<iframe") {
					key = p.Name + " " + body // what may be in a frame is for each to say
				}
				if judged[key] {
					continue
				}
				judged[key] = true
				faults := executable
				if p.Body != profile.BodyInstant {
					faults = func(body string) []string {
						return xsstest.Faults(body, xsstest.Allowed{Frame: embeds(p.Embeds), Math: true})
					}
				}
				if found := faults(body); len(found) > 0 {
					t.Errorf("%q in\n%s", found, body)
				}
			}
		})
	}
}

// executable judges an Instant Articles document, and each document that one of its frames holds. Only the scripts that bring a
// post to life may run, and those in frames.
func executable(document string) []string {
	web := func(src string) bool {
		u, err := url.Parse(src)
		return src == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
	}
	known := func(src string) bool {
		u, err := url.Parse(src)
		return err == nil && u.Scheme == "https" && slices.Contains([]string{"platform.twitter.com", "www.instagram.com",
			"www.tiktok.com", "connect.facebook.net"}, u.Host)
	}
	_, article, _ := strings.Cut(document, "<article>")
	article, _, _ = strings.Cut(article, "</article>")
	faults := xsstest.Faults(article, xsstest.Allowed{Frame: web})
	root, err := html.Parse(strings.NewReader(document))
	if err != nil {
		return append(faults, err.Error())
	}
	for n := range root.Descendants() {
		if n.DataAtom == atom.Iframe && n.FirstChild != nil {
			faults = append(faults, xsstest.Faults(n.FirstChild.Data, xsstest.Allowed{Script: known})...)
		}
		if n.DataAtom == atom.Script || n.DataAtom == atom.Style || n.DataAtom == atom.Base {
			faults = append(faults, "a "+n.Data+" outside of frames")
		}
	}
	return faults
}

// embeds lets through frames of these hosts and their subdomains.
func embeds(hosts []string) func(src string) bool {
	return func(src string) bool {
		u, err := url.Parse(src)
		return err == nil && slices.ContainsFunc(hosts, func(host string) bool {
			return u.Scheme == "https" && (u.Hostname() == host || strings.HasSuffix(u.Hostname(), "."+host))
		})
	}
}
