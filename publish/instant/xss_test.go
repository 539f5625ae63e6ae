package instant_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
	"github.com/feedwire/feedwire/publish/instant/validate"
	"github.com/feedwire/feedwire/publish/xsstest"
)

// knownScript reports whether a script embeds posts of a social network. No other script is allowed.
func knownScript(src string) bool {
	u, err := url.Parse(src)
	return err == nil && u.Scheme == "https" && slices.Contains([]string{"platform.twitter.com", "www.instagram.com",
		"www.tiktok.com", "www.threads.net", "embed.bsky.app", "embed.reddit.com", "s.imgur.com", "connect.facebook.net", "assets.pinterest.com"}, u.Host)
}

func webFrame(src string) bool {
	u, err := url.Parse(src)
	return src == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// executable returns everything in a document and its frames that a browser would run.
func executable(document string) []string {
	root, err := html.Parse(strings.NewReader(document))
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Script:
			found = append(found, "script "+attribute(n, "src"))
		case atom.Iframe:
			if !webFrame(attribute(n, "src")) {
				found = append(found, "frame "+attribute(n, "src"))
			}
			if n.FirstChild != nil {
				found = append(found, xsstest.Faults(n.FirstChild.Data, xsstest.Allowed{Script: knownScript})...)
			}
		case atom.Style, atom.Object, atom.Embed, atom.Form, atom.Base, atom.Svg, atom.Math, atom.Template, atom.Input, atom.Button:
			found = append(found, n.Data)
		case atom.Meta:
			if attribute(n, "http-equiv") != "" {
				found = append(found, "meta http-equiv")
			}
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || slices.Contains([]string{"style", "srcdoc", "formaction", "action", "ping"}, a.Key) {
				found = append(found, a.Key+" of "+n.Data)
			}
			if a.Key == "href" || a.Key == "src" {
				if u, err := url.Parse(a.Val); err != nil || !slices.Contains([]string{"", "http", "https", "mailto"}, u.Scheme) {
					found = append(found, fmt.Sprintf("%s=%q of %s", a.Key, a.Val, n.Data))
				}
			}
		}
	}
	return found
}

// around returns places for a payload in a page.
func around() []string {
	return []string{
		"%s", "<p>%s</p>", "<figure><img src=/i.jpg><figcaption>%s</figcaption></figure>", "<table><tr><td>a<td>%s</table>",
		"<ul><li>%s</ul>", `<blockquote class="twitter-tweet"><p>%s</p></blockquote><script src="https://platform.twitter.com/widgets.js"></script>`,
		"<iframe>%s</iframe>", `<figure class="op-interactive"><iframe>%s</iframe></figure>`, `<figure class="op-ad"><iframe>%s</iframe></figure>`,
		`<figure class="op-tracker"><iframe>%s</iframe></figure>`, `<figure class="op-map"><script type="application/json" class="op-geotag">%s</script></figure>`,
		"<noscript>%s</noscript>", "<svg><style>%s</style></svg>", "<math><mtext><table><mglyph><style>%s", "<!--%s-->", "<textarea>%s</textarea>",
		`<img src="/i.jpg" alt="%s">`, `<a href="%s">x</a>`, `<iframe src='%s'></iframe>`, `<div class="fb-post" data-href='%s'></div>`,
		`<amp-youtube data-videoid='%s'></amp-youtube>`, "<header><time class=op-published></time><h2>%s</h2><address>%s</address></header>",
		`<div class="jetpack-slideshow" data-gallery='[{"src":"/a.jpg","caption":"%s"}]'></div>`,
	}
}

// No payload runs at any place in a page.
func TestNoPayloadRuns(t *testing.T) {
	for i, place := range around() {
		t.Run(place, func(t *testing.T) {
			for _, payload := range xsstest.Payloads() {
				content := "<p>safe</p>" + strings.ReplaceAll(place, "%s", payload) + "<p>end</p>"
				document, _, err := transform(article(content), instant.Options{})
				if err != nil {
					continue // there is no document
				}
				for _, fault := range executable(document) {
					t.Errorf("%s\n%s", fault, payload)
				}
				for _, f := range validate.Document(document, validate.Options{}) {
					t.Errorf("not valid: %+v\n%s", f, payload)
				}
				if i == 0 {
					_, rest, _ := strings.Cut(document, "</header>")
					rest, _, _ = strings.Cut(rest, "</article>")
					for _, fault := range xsstest.Faults(rest, xsstest.Allowed{Frame: webFrame}) {
						t.Errorf("%s\n%s\n%s", fault, payload, rest)
					}
				}
			}
		})
	}
}

// No payload runs in the other fields of an article.
func TestNoPayloadRunsInTheHead(t *testing.T) {
	for _, payload := range xsstest.Payloads() {
		a := article("<p>x</p>")
		a.Title, a.Authors, a.Summary, a.Categories, a.Image = "T "+payload, []string{payload}, payload, []string{payload}, payload
		a.Canonical = "https://example.org/" + payload
		file, _ := json.Marshal(map[string]string{"style_name": payload}) // strings always encode
		styled, _, err := rulesfile.Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		o := instant.Options{Rules: styled, Language: payload, Copyright: payload}
		document, _, err := transform(a, o)
		if err != nil {
			continue // the canonical URL is invalid
		}
		for _, fault := range executable(document) {
			t.Errorf("%s\n%s", fault, payload)
		}
	}
}

func FuzzTransformIsValid(f *testing.F) {
	for _, payload := range xsstest.Payloads() {
		f.Add(payload)
	}
	f.Fuzz(func(t *testing.T, content string) {
		document, _, err := transform(article(content), instant.Options{})
		if err != nil {
			return
		}
		if found := validate.Document(document, validate.Options{}); len(found) > 0 {
			t.Errorf("%+v\n%s", found, document)
		}
		if found := executable(document); len(found) > 0 {
			t.Errorf("%q\n%s", found, document)
		}
	})
}
