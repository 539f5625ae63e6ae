package demo

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	texttemplate "text/template"
	"time"
)

// Timetable of the origin since its start.
const (
	harbourStart    = 6                // posts at first
	harbourEvery    = 5 * time.Second  // then another one, until all are out
	gardenLimits    = 6 * time.Second  // the next request gets a 429
	observatoryEdit = 8 * time.Second  // an old entry gets a new title
	brokenGone      = 12 * time.Second // the broken feed answers 410 from now on
)

// demoFeeds lists the feeds of the origin.
func demoFeeds() []string {
	return []string{"/harbour.rss", "/observatory.atom", "/garden.json", "/broken.xml"}
}

// demoOrigin serves four feeds that change over time, with their posts and pictures. Its responses depend only on the time
// since its start, except for one 429.
type demoOrigin struct {
	mux     *http.ServeMux
	now     func() time.Time
	started time.Time
	limited atomic.Bool // the 429 was sent
}

// NewOrigin returns an origin whose timetable starts now.
func NewOrigin(now func() time.Time) *demoOrigin {
	o := &demoOrigin{mux: http.NewServeMux(), now: now, started: now().Truncate(time.Second)}
	o.mux.HandleFunc("GET /{$}", o.index)
	o.mux.HandleFunc("GET /harbour.rss", o.harbour)
	o.mux.HandleFunc("GET /observatory.atom", o.observatory)
	o.mux.HandleFunc("GET /garden.json", o.garden)
	o.mux.HandleFunc("GET /broken.xml", o.broken)
	o.mux.HandleFunc("GET /posts/{slug}", o.post)
	o.mux.HandleFunc("GET /img/{name}", o.picture)
	return o
}

func (o *demoOrigin) ServeHTTP(w http.ResponseWriter, r *http.Request) { o.mux.ServeHTTP(w, r) }

func (o *demoOrigin) elapsed() time.Duration { return o.now().Sub(o.started) }

// demoPost is a story with its dates in a feed.
type demoPost struct {
	Slug, Title, Author, Summary, Body string
	Published, Updated                 time.Time
}

// posts returns stories that were published before the start, an hour apart.
func (o *demoOrigin) posts(stories []demoStory) []demoPost {
	posts := make([]demoPost, len(stories))
	for i, s := range stories {
		published := o.started.Add(-time.Duration(len(stories)-i) * time.Hour)
		posts[i] = demoPost{s.slug, s.title, s.author, s.summary, s.body, published, published}
	}
	return posts
}

// harbour adds a post every few seconds.
func (o *demoOrigin) harbour(w http.ResponseWriter, r *http.Request) {
	stories := harbourStories()
	added := max(0, min(int(o.elapsed()/harbourEvery), len(stories)-harbourStart))
	posts := o.posts(stories[:harbourStart])
	for i, s := range stories[harbourStart : harbourStart+added] {
		out := o.started.Add(time.Duration(i+1) * harbourEvery)
		posts = append(posts, demoPost{s.slug, s.title, s.author, s.summary, s.body, out, out})
	}
	o.serveFeed(w, r, "application/rss+xml; charset=utf-8", harbourTemplate, posts)
}

// observatory edits the title of its oldest entry once.
func (o *demoOrigin) observatory(w http.ResponseWriter, r *http.Request) {
	posts := o.posts(observatoryStories())
	if o.elapsed() >= observatoryEdit {
		posts[0].Title += ", and where to look for it"
		posts[0].Updated = o.started.Add(observatoryEdit)
	}
	o.serveFeed(w, r, "application/atom+xml; charset=utf-8", observatoryTemplate, posts)
}

// garden responds 429 once.
func (o *demoOrigin) garden(w http.ResponseWriter, r *http.Request) {
	if o.elapsed() >= gardenLimits && o.limited.CompareAndSwap(false, true) {
		w.Header().Set("Retry-After", "3")
		http.Error(w, "the gate is shut for three seconds", http.StatusTooManyRequests)
		return
	}
	posts := o.posts(gardenStories())
	items := make([]map[string]any, 0, len(posts))
	for _, p := range slices.Backward(posts) {
		items = append(items, map[string]any{
			"id":             site(r) + "/posts/" + p.Slug,
			"url":            site(r) + "/posts/" + p.Slug,
			"title":          p.Title,
			"summary":        p.Summary,
			"content_html":   p.Body,
			"date_published": p.Published.Format(time.RFC3339),
			"authors":        []map[string]string{{"name": p.Author}},
			"language":       "en",
		})
	}
	body, err := json.MarshalIndent(map[string]any{
		"version":       "https://jsonfeed.org/version/1.1",
		"title":         "The Allotment",
		"description":   "Nine gardens, one barrel",
		"home_page_url": site(r) + "/",
		"feed_url":      site(r) + "/garden.json",
		"items":         items,
	}, "", "  ")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	serveDocument(w, r, "application/feed+json", body, posts[len(posts)-1].Updated)
}

// broken serves a document with typical faults: a control character, no dates, no end. Later it responds 410.
func (o *demoOrigin) broken(w http.ResponseWriter, r *http.Request) {
	if o.elapsed() >= brokenGone {
		http.Error(w, "this feed has ended", http.StatusGone)
		return
	}
	const body = "<?xml version=\"1.0\"?>\n<rss version=\"2.0\"><channel><title>The Broken\x0b Wire</title>\n" +
		"<item><title>Fish & chips</title><guid>1</guid><description>An ampersand stands alone.</description></item>\n" +
		"<item><title>No date, no link</title><description>And then the line went"
	serveDocument(w, r, "text/xml", []byte(body), o.started)
}

// serveFeed renders posts, newest first.
func (o *demoOrigin) serveFeed(
	w http.ResponseWriter, r *http.Request, mediaType string, feed *texttemplate.Template, posts []demoPost,
) {
	slices.Reverse(posts)
	modified := slices.MaxFunc(posts, func(a, b demoPost) int { return a.Updated.Compare(b.Updated) }).Updated
	var body bytes.Buffer
	err := feed.Execute(&body, map[string]any{"Site": site(r), "Updated": modified, "Posts": posts})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	serveDocument(w, r, mediaType, body.Bytes(), modified)
}

// serveDocument supports conditional requests (RFC 9110 section 13) by ETag and date.
func serveDocument(w http.ResponseWriter, r *http.Request, mediaType string, body []byte, modified time.Time) {
	w.Header().Set("Content-Type", mediaType)
	sum := sha256.Sum256(body)
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sum[:8]))
	http.ServeContent(w, r, "", modified, bytes.NewReader(body))
}

// site returns the base URL of a request.
func site(r *http.Request) string { return "http://" + r.Host }

var feedFunctions = texttemplate.FuncMap{
	"xml": func(s string) (string, error) {
		var b strings.Builder
		err := xml.EscapeText(&b, []byte(s))
		return b.String(), err
	},
	"rfc822":  func(t time.Time) string { return t.UTC().Format(time.RFC1123Z) },
	"rfc3339": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
}

var harbourTemplate = texttemplate.Must(texttemplate.New("harbour").Funcs(feedFunctions).Parse(
	`<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
<title>Harbour Notes</title>
<link>{{xml .Site}}/</link>
<description>Small news from a working harbour</description>
<language>en</language>
<lastBuildDate>{{rfc822 .Updated}}</lastBuildDate>
{{range .Posts}}<item>
<title>{{xml .Title}}</title>
<link>{{xml $.Site}}/posts/{{.Slug}}</link>
<guid isPermaLink="false">harbour-{{.Slug}}</guid>
<pubDate>{{rfc822 .Published}}</pubDate>
<dc:creator>{{xml .Author}}</dc:creator>
<description>{{xml .Summary}}</description>
<content:encoded><![CDATA[{{.Body}}]]></content:encoded>
</item>
{{end}}</channel>
</rss>
`))

var observatoryTemplate = texttemplate.Must(texttemplate.New("observatory").Funcs(feedFunctions).Parse(
	`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<title>The Hill Observatory</title>
<subtitle>From a hill with little light</subtitle>
<id>{{xml .Site}}/observatory.atom</id>
<link rel="self" href="{{xml .Site}}/observatory.atom"/>
<link rel="alternate" href="{{xml .Site}}/"/>
<updated>{{rfc3339 .Updated}}</updated>
{{range .Posts}}<entry xml:base="{{xml $.Site}}/posts/">
<title>{{xml .Title}}</title>
<id>tag:observatory.example,2026:{{.Slug}}</id>
<link rel="alternate" href="{{.Slug}}"/>
<published>{{rfc3339 .Published}}</published>
<updated>{{rfc3339 .Updated}}</updated>
<author><name>{{xml .Author}}</name></author>
<summary>{{xml .Summary}}</summary>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">{{.Body}}</div></content>
</entry>
{{end}}</feed>
`))

var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Title}}</title>
<link rel="alternate" type="application/rss+xml" href="/harbour.rss">
<link rel="alternate" type="application/atom+xml" href="/observatory.atom">
<link rel="alternate" type="application/feed+json" href="/garden.json">
</head>
<body><article><h1>{{.Title}}</h1>
{{.Body}}</article></body></html>
`))

// index serves a page for discovery of the feeds.
func (o *demoOrigin) index(w http.ResponseWriter, r *http.Request) {
	var list strings.Builder
	for _, path := range demoFeeds() {
		fmt.Fprintf(&list, "<p><a href=%q>%s</a></p>\n", path, path)
	}
	o.servePage(w, r, "The sources of the demo", list.String())
}

// post serves the page of a story.
func (o *demoOrigin) post(w http.ResponseWriter, r *http.Request) {
	stories := slices.Concat(harbourStories(), observatoryStories(), gardenStories())
	i := slices.IndexFunc(stories, func(s demoStory) bool { return s.slug == r.PathValue("slug") })
	if i < 0 {
		http.NotFound(w, r)
		return
	}
	o.servePage(w, r, stories[i].title, stories[i].body)
}

func (o *demoOrigin) servePage(w http.ResponseWriter, r *http.Request, title, content string) {
	var body bytes.Buffer
	err := pageTemplate.Execute(&body, map[string]any{
		"Title": title,
		"Body":  template.HTML(content), //nolint:gosec // written above and in demo_stories.go, nothing of it by a client
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	serveDocument(w, r, "text/html; charset=utf-8", body.Bytes(), o.started)
}

// picture draws a landscape in colours derived from its name.
func (o *demoOrigin) picture(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if !strings.HasSuffix(name, ".svg") {
		http.NotFound(w, r)
		return
	}
	sum := sha256.Sum256([]byte(name))
	hue, height := int(sum[0])*360/256, 180+int(sum[1])/4
	body := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360">`+
		`<rect width="640" height="360" fill="hsl(%d,50%%,85%%)"/><circle cx="%d" cy="90" r="36" fill="#fff6d5"/>`+
		`<path d="M0 %d Q160 %d 320 %d T640 %d V360 H0Z" fill="hsl(%d,35%%,40%%)"/></svg>`+"\n",
		hue, 120+int(sum[2]), height, height-60, height, height, hue)
	serveDocument(w, r, "image/svg+xml", []byte(body), o.started)
}
