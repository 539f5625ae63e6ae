package websub_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/signals/websub"
)

const base = "https://me.example/blog/feed"

func TestDiscoverFindsHubAndSelf(t *testing.T) {
	t.Parallel()
	want := websub.Topic{Hubs: []string{"https://hub.example/"}, Self: "https://me.example/feed"}
	for name, c := range map[string]struct {
		header []string
		body   string
		want   websub.Topic
	}{
		"headers": {header: []string{`<https://hub.example/>; rel="hub"`, `</feed>; rel=self`}, want: want},
		"Atom": {body: `<?xml version="1.0" encoding="iso-8859-1"?><feed xmlns="http://www.w3.org/2005/Atom"><title>é</title>
			<link rel="self" href="../feed"/><link rel="hub" href="https://hub.example/#x"/></feed>`, want: want},
		"RSS": {body: `<rss xmlns:a="http://www.w3.org/2005/Atom"><channel><link>https://me.example/</link>
			<a:link rel="hub" href="https://hub.example/"/><a:link rel="self" href="/feed"/></channel></rss>`, want: want},
		"RSS, undeclared prefix": {body: `<rss><channel><atom10:link rel="hub" href="https://hub.example/"/>
			<atom10:link rel="self" href="/feed"/><item></item></channel></rss>`, want: want},
		"JSON": {body: `{"title":"x","feed_url":"https://me.example/feed",
			"hubs":[{"type":"rssCloud","url":"https://no.example/"},{"type":"WebSub","url":"https://hub.example/"}],"items":[]}`, want: want},
		"HTML": {body: `<!DOCTYPE html><html><head><link rel="Hub" href="https://hub.example/"><link rel=self href=/feed></head></html>`, want: want},
		"headers before the document": {
			header: []string{`<https://hub.example/>; rel="hub", </feed>; rel=self`},
			body: `<feed xmlns="http://www.w3.org/2005/Atom"><link rel="hub" href="https://wrong.example/"/>
				<link rel="self" href="https://wrong.example/feed"/></feed>`,
			want: want,
		},
		"hub in the headers, self in the document": {
			header: []string{`<https://hub.example/>; rel="hub"`},
			body: `<feed xmlns="http://www.w3.org/2005/Atom"><link rel="hub" href="https://wrong.example/"/>
				<link rel="self" href="/feed"/></feed>`,
			want: want,
		},
		"several hubs": {
			header: []string{`<https://a.example/>; rel=hub, <https://b.example/>; rel=hub, <https://a.example/>; rel=hub`},
			want:   websub.Topic{Hubs: []string{"https://a.example/", "https://b.example/"}},
		},
		"Atom, after an entry": {body: `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link rel="hub" href="https://wrong.example/"/></entry>
			<link rel="self" href="../feed"/><entry/><link rel='hub' href="https://hub.example/"/></feed>`, want: want},
		"RSS, after an item": {body: `<rss xmlns:a="http://www.w3.org/2005/Atom"><channel><item><a:link rel="hub" href="https://wrong.example/"/></item>
			<a:link rel="hub" href="https://hub.example/"/><a:link rel="self" href="/feed"/></channel></rss>`, want: want},
		"JSON, after the items": {body: `{"items":[{"id":"1","hubs":[{"type":"WebSub","url":"https://wrong.example/"}]}],
			"feed_url":"https://me.example/feed","hubs":[{"type":"WebSub","url":"https://hub.example/"}]}`, want: want},
		"links of entries":          {body: `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link rel="hub" href="https://hub.example/"/></entry></feed>`},
		"links of another element":  {body: `<feed xmlns="http://www.w3.org/2005/Atom"><source><link rel="hub" href="https://hub.example/"/></source></feed>`},
		"links in the body of HTML": {body: `<html><head></head><body><link rel=hub href="https://hub.example/"></body></html>`},
		"links from elsewhere":      {header: []string{`<https://hub.example/>; rel=hub; anchor="https://x.example/"`}},
		"addresses of no web": {header: []string{`<ftp://hub.example/>; rel=hub, <javascript:1>; rel=hub, <https://me:x@hub.example/>; rel=hub`,
			`<https://hub.example/` + strings.Repeat("a", 2048) + `>; rel=hub, <http://[::1>; rel=hub, <http:///x>; rel=hub, <>; rel=self`}},
		"nothing": {body: "   "},
	} {
		t.Run(name, func(t *testing.T) {
			got := websub.Discover(http.Header{"Link": c.header}, []byte(c.body), base)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestDiscoverIgnoresEntriesAndBody(t *testing.T) {
	t.Parallel()
	body := `<feed xmlns="http://www.w3.org/2005/Atom"><title>` + strings.Repeat("x", 300<<10) + `</title><link rel="hub" href="https://hub.example/"/></feed>`
	if got := websub.Discover(nil, []byte(body), base); got.Hubs != nil {
		t.Errorf("got %v", got)
	}
	deep := strings.Repeat("<a>", 100) + `<link rel="hub" href="https://hub.example/"/>`
	if got := websub.Discover(nil, []byte(deep), base); got.Hubs != nil {
		t.Errorf("got %v", got)
	}
}

func FuzzDiscover(f *testing.F) {
	f.Add(`<https://hub.example/>; rel=hub`, `<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="x"/></feed>`)
	f.Add(``, `{"feed_url":"/x","hubs":[{"type":"WebSub","url":"https://hub.example/"}]}`)
	f.Add(``, `<html><head><link rel=hub href=//hub.example/></head>`)
	f.Add(`<http://u:p@[::1%25lo]:1/#x>; rel="hub self"`, `<rss><channel><a:link rel="hub" href="?"/><atom:link rel=self href="http:"/></channel>`)
	f.Fuzz(func(t *testing.T, link, body string) {
		found := websub.Discover(http.Header{"Link": {link}}, []byte(body), base)
		if len(found.Hubs) > 8 {
			t.Errorf("got %d hubs", len(found.Hubs))
		}
		for _, raw := range append(found.Hubs, found.Self) {
			u, err := url.Parse(raw)
			if raw == "" && found.Self == "" {
				continue
			}
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Fragment != "" || len(raw) > 2048 {
				t.Errorf("got %q, %v", raw, err)
			}
		}
	})
}
