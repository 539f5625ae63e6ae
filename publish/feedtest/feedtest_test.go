package feedtest_test

import (
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/feedtest"
)

// breach is a change of a valid feed and a part of the fault that it has to give.
type breach struct{ old, with, want string }

func checkBreaches(t *testing.T, valid string, check func([]byte) []string, breaches []breach) {
	t.Helper()
	if faults := check([]byte(valid)); len(faults) > 0 {
		t.Fatalf("the valid feed: %q", faults)
	}
	for _, b := range breaches {
		if !strings.Contains(valid, b.old) {
			t.Fatalf("the valid feed has no %s", b.old)
		}
		faults := check([]byte(strings.Replace(valid, b.old, b.with, 1)))
		if !strings.Contains(strings.Join(faults, "\n"), b.want) {
			t.Errorf("%s for %s: got %q, want %q", b.with, b.old, faults, b.want)
		}
	}
}

func TestRSS(t *testing.T) {
	const valid = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>A</title><link>https://a.example/</link><description>D</description><language>en-GB</language><ttl>60</ttl>
<lastBuildDate>Mon, 01 Jan 2024 10:00:00 +0000</lastBuildDate><managingEditor>a@a.example (A)</managingEditor>
<image><url>https://a.example/i.png</url><title>I</title><link>https://a.example/</link></image>
<atom:link href="https://a.example/feed" rel="self" type="application/rss+xml"/><atom:link href="https://a.example/hub" rel="hub"/>
<item><title>T1</title><link>https://a.example/1</link><guid>https://a.example/1</guid><pubDate>Mon, 01 Jan 2024 10:00:00 GMT</pubDate>
<author>b@a.example (B)</author><dc:creator>B</dc:creator><category>c1</category><description>&lt;p&gt;d&lt;/p&gt;</description>
<content:encoded><![CDATA[<p>x <img src="https://a.example/i.png"/></p>]]></content:encoded><source url="https://a.example/s">S</source>
<enclosure url="https://a.example/a.mp3" length="12" type="audio/mpeg"/></item>
<item><title>T2</title><guid isPermaLink="false">id 2</guid></item>
</channel></rss>`
	checkBreaches(t, valid, feedtest.RSS, []breach{
		{`</rss>`, ``, "not well-formed"},
		{`<title>A</title>`, "<title>\xff</title>", "UTF-8"},
		{`<rss version`, `<!DOCTYPE rss><rss version`, "document type"},
		{`<rss version="2.0"`, `<rss version="0.91"`, "version"},
		{`<title>A</title>`, ``, "channel: has no title"},
		{`<title>A</title>`, `<title> </title>`, "channel: has an empty "},
		{`<title>A</title>`, `<title>A</title><title>B</title>`, "2 elements "},
		{`<link>https://a.example/</link>`, `<link>/</link>`, "channel link"},
		{`<description>D</description>`, ``, "has no description"},
		{`<language>en-GB`, `<language>en_GB!`, "language tag"},
		{`<ttl>60`, `<ttl>an hour`, "whole number"},
		{`<lastBuildDate>Mon, 01 Jan 2024 10:00:00 +0000`, `<lastBuildDate>2024-01-01T10:00:00Z`, "not a date of RFC 822"},
		{`<lastBuildDate>Mon,`, `<lastBuildDate>Tue,`, "was a Mon"},
		{`10:00:00 GMT`, `10:00:00 CEST`, "time zone"},
		{`<pubDate>Mon, 01 Jan 2024`, `<pubDate>Mon, 01 Jan 0001`, "not plausible"},
		{`<managingEditor>a@a.example (A)`, `<managingEditor>A`, "mail address"},
		{`<url>https://a.example/i.png`, `<url>i.png`, "channel image url"},
		{`rel="self" type="application/rss+xml"`, `rel="self"`, "for the feed itself"},
		{`rel="self"`, `rel="alternate"`, "0 links to itself"},
		{`rel="hub"`, ``, "has no rel"},
		{`href="https://a.example/hub"`, `href="/hub"`, "channel atom:link"},
		{` xmlns:dc="http://purl.org/dc/elements/1.1/"`, ``, "prefix dc"},
		{`<category>`, `<category x="1" x="2">`, "twice"},
		{`<category>c1</category>`, `<category> </category>`, "empty category"},
		{`<dc:creator>B`, `<dc:creator>`, "empty dc:creator"},
		{`<category>c1</category>`, `<updated>x</updated>`, "does not define"},
		{`<ttl>60</ttl>`, `<updated>x</updated>`, "does not define"},
		{`<title>T1</title>`, `<title></title>`, "item 1: has an empty "},
		{`<title>T2</title>`, ``, "neither title nor description"},
		{`<link>https://a.example/1</link>`, `<link>1</link>`, "item 1 link"},
		{`<link>https://a.example/1</link>`, `<link>https://a.example/a b</link>`, "characters"},
		{`<author>b@a.example (B)`, `<author>B`, "item 1 author"},
		{`<guid>https://a.example/1</guid>`, `<guid>1</guid>`, "item 1 guid"},
		{`<guid>https://a.example/1</guid>`, `<guid> </guid>`, "empty guid"},
		{`<guid isPermaLink="false">id 2</guid>`, `<guid>https://a.example/1</guid>`, "of another item"},
		{`isPermaLink="false"`, `isPermaLink="no"`, "isPermaLink"},
		{`<guid isPermaLink="false">id 2</guid>`, ``, "has no guid"},
		{`&lt;/p&gt;`, ``, "does not close <p>"},
		{`x <img`, `x </b><img`, "closes <b>"},
		{`src="https://a.example/i.png"`, `src="i.png"`, "relative address"},
		{`x <img`, `<script>x</script><img`, "readers remove"},
		{`x <img`, `<img onload="x"`, "readers remove"},
		{`</content:encoded>`, `</content:encoded><content:encoded>y</content:encoded>`, "2 elements content:encoded"},
		{`url="https://a.example/s"`, ``, "item 1 source"},
		{`length="12"`, ``, "whole number"},
		{`type="audio/mpeg"`, `type="mp3"`, "media type"},
		{`url="https://a.example/a.mp3"`, ``, "item 1 enclosure"},
		{`<enclosure`, `<enclosure url="https://a.example/b.mp3" length="1" type="audio/mpeg"/><enclosure`, "2 elements enclosure"},
		{`<channel>`, `<channel/><channel>`, "2 channels"},
	})
	if len(feedtest.RSS([]byte(`<feed xmlns="http://www.w3.org/2005/Atom"/>`))) == 0 || len(feedtest.RSS(nil)) == 0 {
		t.Error("what is no RSS has no fault")
	}
}

func TestAtom(t *testing.T) {
	const valid = `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>https://a.example/feed</id><title>A</title><updated>2024-01-01T10:00:00Z</updated><subtitle>S</subtitle>
<link rel="self" href="https://a.example/feed" type="application/atom+xml"/><link rel="hub" href="https://a.example/hub"/><link href="https://a.example/"/>
<author><name>N</name><uri>https://a.example/n</uri><email>n@a.example</email></author><logo>https://a.example/l.png</logo>
<entry><id>urn:x:1</id><title type="html">&lt;b&gt;T1&lt;/b&gt;</title><updated>2024-01-01T10:00:00.5+01:00</updated><published>2024-01-01T09:00:00Z</published>
<link href="https://a.example/1"/><link rel="enclosure" href="https://a.example/a.mp3" type="audio/mpeg" length="12"/><category term="c"/>
<content type="html">&lt;p&gt;x&lt;/p&gt;</content><summary>s</summary></entry>
<entry><id>urn:x:2</id><title>T2</title><updated>2024-01-01T10:00:00Z</updated><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>x</p></div></content></entry>
</feed>`
	checkBreaches(t, valid, feedtest.Atom, []breach{
		{`<feed xmlns="http://www.w3.org/2005/Atom"`, `<feed`, "instead of atom:feed"},
		{`<id>https://a.example/feed</id>`, ``, "feed: has no atom:id"},
		{`<id>https://a.example/feed</id>`, `<id>feed</id>`, "not an absolute IRI"},
		{`<id>urn:x:2</id>`, `<id>urn:x:1</id>`, "of another item"},
		{`<title>A</title>`, ``, "feed: has no atom:title"},
		{`<title>T2</title>`, `<title/>`, "entry 2: has an empty "},
		{`<title>T2</title>`, `<title>T2</title><title>T3</title>`, "2 elements "},
		{`<updated>2024-01-01T10:00:00Z`, `<updated>2024-01-01`, "RFC 3339"},
		{`<published>2024-01-01T09:00:00Z`, `<published>Mon, 01 Jan 2024 10:00:00 GMT`, "entry 1 atom:published"},
		{`<updated>2024-01-01T10:00:00.5+01:00</updated>`, ``, "entry 1: has no atom:updated"},
		{`<author><name>N</name><uri>https://a.example/n</uri><email>n@a.example</email></author>`, ``, "no author"},
		{`<name>N</name>`, ``, "has no atom:name"},
		{`<uri>https://a.example/n</uri>`, `<uri>n</uri>`, "author atom:uri"},
		{`<email>n@a.example</email>`, `<email>n</email>`, "mail address"},
		{`rel="self"`, `rel="related"`, "0 links to itself"},
		{`<link href="https://a.example/"/>`, `<link href="https://a.example/"/><link rel="alternate" href="https://b.example/"/>`, "two alternates"},
		{`href="https://a.example/1"`, `href="1"`, "entry 1 link"},
		{`href="https://a.example/1"`, ``, "without href"},
		{`rel="hub"`, `rel=""`, "empty rel"},
		{`type="audio/mpeg" length="12"`, `type="mp3" length="12"`, "media type"},
		{`length="12"`, `length="x"`, "whole number"},
		{`<category term="c"/>`, `<category>c</category>`, "without a term"},
		{`<content type="html">&lt;p&gt;`, `<content type="html">&lt;p&gt;&lt;b&gt;`, "closes <p>"},
		{`<content type="html">&lt;p&gt;`, `<content type="html"><p/>&lt;p&gt;`, "text with elements"},
		{`<content type="html">&lt;p&gt;x&lt;/p&gt;</content>`, `<content type="html">&lt;img src="x"&gt;</content>`, "relative address"},
		{`<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>x</p></div>`, `<content type="xhtml"><p xmlns="http://www.w3.org/1999/xhtml">x</p>`, "one div"},
		{`<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>x</p></div></content>`, ``, "neither content nor an alternate"},
		{`<content type="html">&lt;p&gt;x&lt;/p&gt;</content><summary>s</summary>`, `<content type="audio/mpeg" src="https://a.example/a.mp3"/>`, "no summary"},
		{`<content type="html">`, `<content src="https://a.example/">`, "both content and the address"},
		{`<summary>`, `<summary type="markdown">`, "none of text, html, xhtml"},
		{`<summary>s`, `<summary><b>s</b>`, "text with elements"},
		{`<subtitle>S</subtitle>`, `<tagline>S</tagline>`, "does not define"},
		{`<subtitle>S</subtitle>`, `<x xmlns="">S</x>`, "does not define"},
		{`<logo>https://a.example/l.png`, `<logo>l.png`, "feed atom:logo"},
		{`<content type="html">`, `<content type="a b">`, "media type"},
	})
}

func TestJSONFeed(t *testing.T) {
	const valid = `{"version":"https://jsonfeed.org/version/1.1","title":"A","home_page_url":"https://a.example/","feed_url":"https://a.example/feed.json",
"description":"D","language":"en","expired":false,"authors":[{"name":"N","url":"https://a.example/n"}],"hubs":[{"type":"WebSub","url":"https://a.example/hub"}],"_x":1,
"items":[{"id":"1","url":"https://a.example/1","title":"T","content_html":"<p>x</p>","date_published":"2024-01-01T10:00:00Z","tags":["c"],
"authors":[{"name":"B"}],"attachments":[{"url":"https://a.example/a.mp3","mime_type":"audio/mpeg","size_in_bytes":12,"duration_in_seconds":1.5}]},
{"id":"2","content_text":""}]}`
	checkBreaches(t, valid, feedtest.JSONFeed, []breach{
		{`{"version"`, `["version"`, "not a JSON object"},
		{`"A"`, "\"\xff\"", "UTF-8"},
		{`version/1.1`, `version/1`, "version is"},
		{`"title":"A",`, ``, "title is not a text"},
		{`"home_page_url":"https://a.example/"`, `"home_page_url":"a"`, "feed home_page_url"},
		{`"feed_url":"https://a.example/feed.json",`, ``, "no feed_url"},
		{`"description":"D"`, `"description":1`, "description is not a text"},
		{`"language":"en"`, `"language":"e"`, "language tag"},
		{`"expired":false`, `"expired":"no"`, "expired"},
		{`{"name":"N","url":"https://a.example/n"}`, `{}`, "without a name"},
		{`[{"name":"N","url":"https://a.example/n"}]`, `"N"`, "authors is not a list"},
		{`{"name":"B"}`, `"B"`, "not an object"},
		{`"type":"WebSub"`, `"kind":"WebSub"`, "does not define"},
		{`"url":"https://a.example/hub"`, `"url":"/hub"`, "hub 1 url"},
		{`"items":[`, `"posts":[`, "has no items"},
		{`"id":"2"`, `"id":2`, "id is not a text"},
		{`"id":"2"`, `"id":"1"`, "of another item"},
		{`"url":"https://a.example/1"`, `"url":"1"`, "item 1 url"},
		{`"title":"T"`, `"title":1`, "title is not a text"},
		{`,"content_text":""`, ``, "neither content_html nor content_text"},
		{`<p>x</p>`, `<p>x`, "does not close <p>"},
		{`"2024-01-01T10:00:00Z"`, `"2024"`, "RFC 3339"},
		{`"tags":["c"]`, `"tags":"c"`, "tags"},
		{`"tags":["c"]`, `"tags":[""]`, "tags"},
		{`"mime_type":"audio/mpeg",`, ``, "mime_type is not a text"},
		{`"url":"https://a.example/a.mp3",`, ``, "url is not a text"},
		{`"size_in_bytes":12`, `"size":12`, "has size"},
		{`"size_in_bytes":12`, `"size_in_bytes":"12"`, "not a number"},
	})
	if len(feedtest.JSONFeed([]byte(`[]`))) == 0 {
		t.Error("a list is no feed")
	}
}

func FuzzCheckersAcceptAnyInput(f *testing.F) {
	f.Add([]byte(`<rss version="2.0"><channel><item><guid/><enclosure/></item></channel></rss>`))
	f.Add([]byte(`<feed xmlns="http://www.w3.org/2005/Atom"><entry><content type="xhtml"/><link/></entry></feed>`))
	f.Add([]byte(`{"items":[{"id":1,"tags":[null],"attachments":[{}],"authors":[{}]}],"hubs":[[]],"author":{"name":1}}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		for _, check := range []func([]byte) []string{feedtest.RSS, feedtest.Atom, feedtest.JSONFeed} {
			if first, again := check(document), check(document); len(first) != len(again) {
				t.Errorf("%q at first, %q again", first, again)
			}
		}
	})
}
