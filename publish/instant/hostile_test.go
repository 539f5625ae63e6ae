package instant_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
	"github.com/feedwire/feedwire/store/feed"
)

// The rules search their element in expensive ways.
func TestTransformIsLinearForHostilePages(t *testing.T) {
	set, notes, err := rulesfile.Parse([]byte(`{"rules":[
		{"class":"ImageRule","selector":"div","properties":{"image.url":{"type":"string","selector":"img.none","attribute":"src"}}},
		{"class":"VideoRule","selector":"div","containsChild":"video"},
		{"class":"PassThroughRule","selector":"x div div div div div p"},
		{"class":"PassThroughRule","selector":"//x//div//div//div//p[not(b[c])]"},
		{"class":"PassThroughRule","selector":"p + p + p + x"},
		{"class":"ParagraphRule","selector":"div.twice","properties":{}},
		{"class":"ImageRule","selector":"p.again","properties":{"image.url":{"type":"constant","value":"/a.jpg"},
			"image.caption":{"type":"fragment","fragment":"<p class='again'>x</p>"}}}]}`))
	if err != nil || len(notes) > 0 {
		t.Fatal(err, notes)
	}
	for name, content := range map[string]string{
		"deep":        strings.Repeat("<div>", 250) + strings.Repeat("<p>x</p>", 6000),
		"deep boxes":  strings.Repeat(strings.Repeat("<div>", 250)+"x"+strings.Repeat("</div>", 250), 20),
		"many":        strings.Repeat("<p>x</p>", 6000),
		"comments":    strings.Repeat("a<!-- -->", 18_000) + strings.Repeat("<p>", 2000),
		"classes":     strings.Repeat("<p class='"+strings.Repeat("a ", 300)+"'>x", 400),
		"attributes":  "<p " + strings.Repeat("a=b ", 20_000) + ">x" + strings.Repeat("<p>y", 200),
		"frames":      strings.Repeat("<iframe>", 20_000),
		"figures":     strings.Repeat("<figure>", 250) + strings.Repeat("<img src=a.jpg>x", 1600),
		"galleries":   strings.Repeat("<div class=gallery>", 250) + strings.Repeat("<img src=a.jpg>", 4000),
		"itself":      strings.Repeat("<p class=again>x</p>", 100),
		"captions":    strings.Repeat("<figure><figcaption>", 120) + strings.Repeat("x<br>", 12_000),
		"related":     strings.Repeat("<ul class=op-related-articles>", 250) + strings.Repeat("<li><a href=b></a></li>", 4000),
		"warnings":    strings.Repeat("<x>", 38_000),
		"posts":       strings.Repeat("<blockquote class=twitter-tweet>", 250) + strings.Repeat("<p>x", 12_000),
		"bold links":  strings.Repeat("<a href=b><b>", 12_000) + "x",
		"table cells": "<table>" + strings.Repeat("<td>", 38_000),
	} {
		t.Run(name, func(t *testing.T) {
			before := processorTime(t)
			document, _, err := transform(article(content), instant.Options{Rules: set})
			if err != nil && !errors.Is(err, feed.ErrInvalid) && !errors.Is(err, instant.ErrEmpty) {
				t.Error(err)
			}
			if len(document) > 20<<20 {
				t.Errorf("%d bytes of markup made from %d", len(document), len(content))
			}
			took := processorTime(t) - before
			t.Logf("%s for %d bytes: %v", took, len(content), err)
			if took > 20*time.Second { // without the race detector below 1 s
				t.Errorf("it took %s", took)
			}
		})
	}
}

// The markup becomes something else if it is parsed a second time, or hides scripts.
func TestScriptsAreRemoved(t *testing.T) {
	for _, content := range []string{
		`<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">`,
		`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
		`<noscript><p title="</noscript><img src=x onerror=alert(1)>">x`,
		`<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style><img onerror=alert(1) src>">x`,
		`<iframe srcdoc="<script>alert(1)</script>"></iframe><p>x`,
		`<iframe src="javascript:alert(1)"></iframe><iframe src="data:text/html,<script>alert(1)</script>"></iframe><p>x`,
		`<iframe><script>alert(1)</script></iframe><p>x`,
		`<iframe><img src=x onerror=alert(1)><a href="javascript:alert(1)">y</a></iframe><p>x`,
		`<figure class="op-interactive"><iframe><script src="https://evil.example/x.js"></script>y</iframe></figure><p>x`,
		`<figure class="op-ad"><iframe><script>alert(1)</script>y</iframe></figure><p>x`,
		`<figure class="op-tracker"><iframe src="vbscript:x">y<style>*{}</style></iframe></figure><p>x`,
		`<figure class="op-map"><script type="application/json" class="op-geotag">{"a":"</script><script>alert(1)</script>"}</script></figure><p>x`,
		`<script class="op-geotag">{"a":1}</script><p>x`,
		`<blockquote class="twitter-tweet"><script>alert(1)</script><a href="java&#9;script:alert(1)" onclick=x>y</a></blockquote>`,
		`<table onmouseover=alert(1)><tr><td style="x:expression(alert(1))">1<td><img src=x onerror=alert(1)>2</table>`,
		`<object data="javascript:alert(1)"></object><embed src="javascript:alert(1)" type="text/html"><p>x`,
		`<a href="javascript:alert(1)">x</a><a href="data:text/html,x">y</a><a href=" &#1;javascript:alert(1)">z</a>`,
		`<img src="x" onerror="alert(1)"><img src="https://example.org/&quot;onload=alert(1)//x.jpg"><p>x`,
		`<video poster="javascript:alert(1)" src="javascript:alert(2)"><source src="https://example.org/v.mp4" type='"><script>alert(1)</script>'></video><p>x`,
		`<div class="fb-post" data-href="x" data-x="&quot;><script>alert(1)</script>"></div>`,
		`<div class="jetpack-slideshow" data-gallery='[{"src":"javascript:alert(1)"},{"src":"/a.jpg","caption":"<script>alert(1)</script><img src=x onerror=alert(1)>"}]'></div><p>x`,
		`<h1 class="op-left onload">x</h1><p class="op-x">y</p><amp-youtube data-videoid='"><script>alert(1)</script>'></amp-youtube>`,
		`<header><time class="op-published" datetime="&quot;><script>alert(1)</script>"></time><address><a href="javascript:alert(1)" title='"><script>'>A</a></address><ul class="op-sponsors"><li><a href="javascript:x">s</a></li></ul></header><p>x`,
		`<head><meta property="fb:article_style" content='"><script>alert(1)</script>'></head><p>x`,
	} {
		document, _, err := transform(article("<p>Text</p>"+content), instant.Options{})
		if err != nil {
			t.Errorf("%.60s: %v", content, err)
			continue
		}
		checkSound(t, "", document)
		root, err := html.Parse(strings.NewReader(document))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			for _, a := range n.Attr {
				if a.Key == "src" && !strings.HasPrefix(a.Val, "https://") {
					t.Errorf("%.60s: <%s src=%q>", content, n.Data, a.Val)
				}
				if a.Key == "srcdoc" {
					t.Errorf("%.60s: srcdoc survived", content)
				}
			}
		}
	}
}
