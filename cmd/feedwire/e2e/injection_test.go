package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
)

// injected ends a line of a header, a path and a text, and then begins something of its own.
const (
	mark     = "qz17"
	injected = "a\r\nX-Injected: " + mark + "\r\n\r\n\x00../../../" + mark + "\"'><script>" + mark + "</script><b onclick=" + mark + ">"
)

// injecting returns documents in all formats with the text in each value that a document may have. Each has a title that a
// test can wait for.
func injecting(base string) map[string]string {
	var xml strings.Builder
	for _, r := range injected {
		fmt.Fprintf(&xml, "&#%d;", r)
	}
	x := xml.String() + injected[:1]
	quoted, _ := json.Marshal(injected) // a string always encodes
	j := strings.Trim(string(quoted), `"`)
	return map[string]string{
		"/rss": `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>` + x + `</title><link>` + base + `/` + x + `</link>` +
			`<description>` + x + `</description><language>` + x + `</language><atom:link rel="hub" href="` + base + `/hub` + x + `"/>` +
			`<atom:link rel="self" href="` + base + `/self` + x + `"/><item><title>post of rss ` + x + `</title><guid>` + x + `</guid><link>` + base + `/post` + x +
			`</link><author>` + x + `</author><category domain="` + x + `">` + x + `</category><description>` + x + `</description><comments>` + base + x + `</comments>` +
			`<enclosure url="` + base + `/e` + x + `" type="audio/mpeg` + x + `" length="1` + x + `"/></item></channel></rss>`,
		"/atom": `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="` + x + `"><title>` + x + `</title><id>` + x + `</id><link rel="hub" href="` + base + `/hub` + x + `"/>` +
			`<link rel="self" href="` + base + `/self` + x + `"/><entry><title>post of atom ` + x + `</title><id>` + x + `</id><link href="` + base + `/post` + x + `"/>` +
			`<author><name>` + x + `</name></author><category term="` + x + `" scheme="` + x + `" label="` + x + `"/>` +
			`<link rel="enclosure" type="` + x + `" href="` + base + `/e` + x + `"/><content type="html" xml:base="` + base + `/b` + x + `">` + x + `</content></entry></feed>`,
		"/json": `{"version":"https://jsonfeed.org/version/1.1","title":"` + j + `","home_page_url":"` + base + `/` + j + `","language":"` + j + `",` +
			`"hubs":[{"type":"WebSub","url":"` + base + `/hub` + j + `"}],"feed_url":"` + base + `/self` + j + `","items":[{"id":"` + j + `","url":"` + base + `/post` + j + `",` +
			`"title":"post of json ` + j + `","content_html":"` + j + `","summary":"` + j + `","tags":["` + j + `"],"authors":[{"name":"` + j + `"}],"image":"` + base + j + `",` +
			`"attachments":[{"url":"` + base + `/e` + j + `","mime_type":"` + j + `"}]}]}`,
	}
}

// A document cannot add header fields to responses, requests and deliveries, name files, or run scripts in pages.
func TestNothingOfADocumentReachesAHeaderAPathOrAScript(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	bodies := make(map[string]string) // of deliveries by the path of the callback
	check := func(what string, header http.Header) {
		t.Helper()
		for name, values := range header {
			if text := name + strings.Join(values, " "); strings.Contains(text, mark) || strings.Contains(text, "Injected") {
				t.Errorf("%s has the header field %s: %q", what, name, values)
			}
		}
	}
	var documents map[string]string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		check("the request for "+r.URL.Path, r.Header)
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case r.URL.Query().Has("hub.challenge"):
			fmt.Fprint(w, r.URL.Query().Get("hub.challenge"))
		case strings.HasPrefix(r.URL.Path, "/push"):
			bodies[r.URL.Path] += string(body)
		case documents[r.URL.Path] != "":
			w.Header().Set("Content-Type", `application/xml; x="`+mark+`"`)
			w.Header().Set("ETag", `"1"`)
			fmt.Fprint(w, documents[r.URL.Path])
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(web.Close)
	documents = injecting(web.URL)

	p := wiretest.BuildProgram(t, "hub: {allow_networks: [127.0.0.0/8]}\nfeeds:\n  production: {}\n  readers: {profile: full-text, sources: [\"*\"]}")
	p.Start()
	p.Ready()
	c := p.Client()
	call := func(method, path string, in, out any) {
		t.Helper()
		if err := c.Call(t.Context(), method, path, in, out); err != nil {
			t.Fatal(err)
		}
	}
	call(http.MethodPost, "/api/v1/webhooks", map[string]any{"url": web.URL + "/push/webhook"}, nil)
	paths := []string{"/", "/sources", "/articles", "/signals", "/subscriptions", "/feed/production", "/feed/readers", "/feed/readers.atom", "/feed/readers.json",
		"/api/v1/sources", "/api/v1/signals", "/api/v1/articles?feed=readers"}
	for path := range documents {
		var s feed.Source
		call(http.MethodPost, "/api/v1/sources", map[string]any{"url": web.URL + path, "publish": "auto", "feeds": []string{"production", "readers"}}, &s)
		wiretest.Eventually(t, "polled", func() bool {
			call(http.MethodGet, "/api/v1/sources/"+s.ID, nil, &s)
			return !s.Poll.LastPoll.IsZero()
		})
		if s.Poll.Entries != 1 {
			t.Fatalf("%s: %d entries, %s", path, s.Poll.Entries, s.Poll.ErrorText)
		}
		paths = append(paths, "/sources/"+s.ID, "/sources/"+s.ID+"/edit", "/api/v1/sources/"+s.ID+"/entries", "/articles?source="+url.QueryEscape(s.URL))
		for i, topic := range s.Republished {
			u, err := url.Parse(topic)
			if err != nil {
				t.Fatal(err)
			}
			paths = append(paths, u.Path)
			resp, err := http.PostForm("http://"+p.Address+"/hub", url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic},
				"hub.callback": {fmt.Sprintf("%s/push%s/%d", web.URL, path, i)}})
			if err != nil || resp.StatusCode != http.StatusAccepted {
				t.Fatalf("subscribing to %s: %v, %v", topic, resp, err)
			}
			_ = resp.Body.Close()
		}
		mu.Lock()
		documents[path] = strings.ReplaceAll(documents[path], "post of", "edited post of")
		mu.Unlock()
		call(http.MethodPost, "/api/v1/sources/"+s.ID+"/poll", nil, nil)
	}
	var articles feed.Page[feed.Article]
	wiretest.Eventually(t, "published", func() bool {
		call(http.MethodGet, "/api/v1/articles?feed=readers&state=published", nil, &articles)
		return len(articles.Items) == 3
	})
	for _, a := range articles.Items {
		paths = append(paths, "/articles/"+a.UUID, "/api/v1/articles/"+a.UUID)
	}
	wiretest.Eventually(t, "delivered", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(bodies) == 3*3+1
	})
	for _, path := range paths {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+p.Address+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+wiretest.Token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		check(path, resp.Header)
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d, %v", path, resp.StatusCode, err)
		}
		if strings.Contains(string(body), "\x00") {
			t.Errorf("%s has NUL", path)
		}
		if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
			checkScripts(t, path, string(body))
		}
	}
	files := filepath.WalkDir(filepath.Dir(p.Config), func(path string, _ fs.DirEntry, err error) error {
		if strings.Contains(path, mark) {
			t.Errorf("there is the file %q", path)
		}
		return err
	})
	if files != nil {
		t.Error(files)
	}
}

// checkScripts reports scripts of a document in a page.
func checkScripts(t *testing.T, path, page string) {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(page))
	script := false
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		token := z.Token()
		if kind == html.TextToken && script && strings.Contains(token.Data, mark) {
			t.Errorf("%s has the script %q", path, token.Data)
		}
		script = kind == html.StartTagToken && token.Data == "script"
		for _, a := range token.Attr {
			if strings.HasPrefix(a.Key, "on") || (a.Key == "href" || a.Key == "src") && strings.HasPrefix(a.Val, "javascript:") {
				t.Errorf("%s has the attribute %s=%q", path, a.Key, a.Val)
			}
		}
	}
}
