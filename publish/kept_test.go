package publish_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// Each W is a word of its own: in an address or a text, and in the element that a warning would name.
var pieces = []string{
	`<p id=W>W</p>`, `<h2 id=W>W</h2>`, `<pre id=W>W</pre>`, `<sup id=W>W</sup>`, `<ruby id=W>W<rp>(</rp><rt>x</rt><rp>)</rp></ruby>`,
	`<picture><source id=W srcset="https://a.example/W-large.webp"><img id=W src="https://a.example/W.png"></picture>`,
	`<picture id=W><source id=W><img id=W src="https://a.example/W.png"></picture>`,
	`<img id=W src="https://a.example/W.png" width=1 height=1>`, `<img id=W src="data:image/png;base64,W">`,
	`<noscript><img id=W src="https://a.example/W.png"></noscript>`, `<amp-img id=W src="https://a.example/W.png"></amp-img>`,
	`<video id=W src="https://a.example/W.mp4"></video>`, `<video id=W><source id=W src="https://a.example/W.mp4"></video>`,
	`<audio id=W src="https://a.example/W.mp3"></audio>`, `<amp-audio id=W src="https://a.example/W.mp3"></amp-audio>`,
	`<object id=W data="https://a.example/W.swf"></object>`, `<object id=W data="/x.swf"><p>W</p></object>`,
	`<embed id=W src="https://a.example/W">`, `<iframe id=W src="https://ads.example/W"></iframe>`, `<iframe id=W></iframe>`,
	`<iframe id=W src="https://www.youtube.com/embed/W"></iframe>`, `<details id=W><summary>W</summary></details>`,
	`<math id=W alttext="W"><mi>W</mi></math>`, `<math id=W><mi>W</mi></math>`, `<svg id=W><text>W</text></svg>`,
	`<select id=W><option>W</option></select>`, `<textarea id=W>W</textarea>`, `<template id=W>W</template>`, `<button id=W>W</button>`,
	`<table id=W><caption>W</caption></table>`, `<dl id=W><dt>W</dt></dl>`, `<q id=W>W</q>`, `<center id=W>W</center>`,
}

// TestProfilesWarnOfExactlyWhatTheyLeaveOut places pieces of markup into different elements. Each is in the article of each profile,
// or else in a warning that it is left out.
func TestProfilesWarnOfExactlyWhatTheyLeaveOut(t *testing.T) {
	word := regexp.MustCompile(`w\d+w`)
	for _, name := range profile.Names() {
		p := publish.New(newMemory(), []feed.Outgoing{harbourFeed(name)}, publish.Options{})
		for _, around := range []string{"%s", "<p>text %s</p>", "<figure>%s</figure>", "<ul><li>text %s</li></ul>", "<table><tr><td>text %s</td><td>x</td></tr></table>"} {
			a := paper()[1]
			a.Content = "<p>The text of an article.</p>"
			for i, piece := range pieces {
				a.Content += fmt.Sprintf("<p>and</p>"+around, strings.ReplaceAll(piece, "W", fmt.Sprintf("w%dw", i)))
			}
			v, err := p.Preview(t.Context(), a, "news")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			shown, left := make(map[string]bool), make(map[string]string)
			for _, w := range word.FindAllString(v.Markup, -1) {
				shown[w] = true
			}
			for _, w := range v.Warnings {
				if strings.HasPrefix(w.Message, "left out: ") {
					left[word.FindString(w.Markup)] = w.Message
				}
			}
			for i, piece := range pieces {
				switch w := fmt.Sprintf("w%dw", i); {
				case shown[w] && left[w] != "":
					t.Errorf("%s, in %s: %s is shown, but a warning says %s", name, around, piece, left[w])
				case !shown[w] && left[w] == "" && strings.Count(piece, "W") > 1:
					t.Errorf("%s, in %s: %s is neither shown nor in a warning", name, around, piece)
				}
			}
		}
	}
}

func TestLinesOfPreformattedTextSurviveInEveryProfile(t *testing.T) {
	const text = "one\n  two\n\n\tthree <b>four\n  five</b>\n<i>six</i>"
	plain := strings.NewReplacer("<br/>", "\n", "<br>", "\n", "\u00a0", " ", "&nbsp;", " ", "\t", "    ", "<b>", "", "</b>", "", "<i>", "", "</i>", "", "<em>", "", "</em>", "", "<strong>", "", "</strong>", "")
	for _, name := range profile.Names() {
		p, _ := profile.Find(name, nil)
		for _, form := range p.Forms {
			if form == feedxml.Sitemap {
				continue // has no content
			}
			a := paper()[1]
			a.Content = "<p>" + strings.Repeat("The text of an article. ", 15) + "</p><pre>" + text + "</pre>"
			document, _ := edition(t, harbourFeed(name), "news."+form, publish.Options{}, a)
			for _, it := range accepted(t, name, form, document) {
				if !strings.Contains(plain.Replace(it.Content), plain.Replace(text)) {
					t.Errorf("%s.%s: the lines are lost:\n%s", name, form, it.Content)
				}
			}
		}
	}
}
