package demo

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"text/template"
	"time"
)

// Timetable of the origin since its start.
const (
	postEvery       = 5 * time.Second  // until the next post of harbour
	gardenLimits    = 6 * time.Second  // the next request gets a 429
	observatoryEdit = 8 * time.Second  // an old entry gets a new title
	brokenGone      = 12 * time.Second // the broken feed responds 410 from now on
)

// demoFeeds lists the feeds of the origin.
func demoFeeds() []string {
	return []string{"/harbour.rss", "/observatory.atom", "/garden.json", "/broken.xml"}
}

var (
	//go:embed stories.xml
	stories []byte
	//go:embed templates
	templates embed.FS
)

// story is a post. Its body is HTML and well-formed XML with relative links.
type story struct {
	Feed      string    `xml:"feed,attr"` // harbour, observatory or garden
	Slug      string    `xml:"slug,attr"`
	Author    string    `xml:"author,attr"`
	Title     string    `xml:"title"`
	Summary   string    `xml:"summary"`
	Body      body      `xml:"body"`
	Published time.Time `xml:"-"`
	Updated   time.Time `xml:"-"`
}

type body struct {
	XML string `xml:",innerxml"`
}

// readStories returns all stories, oldest first.
func readStories() []story {
	var all struct {
		Stories []story `xml:"story"`
	}
	if err := xml.Unmarshal(stories, &all); err != nil {
		panic("demo: stories.xml: " + err.Error())
	}
	return all.Stories
}

// demoOrigin serves four feeds that change over time, with their posts and pictures. Its responses depend only on the time
// since its start, except for one 429.
type demoOrigin struct {
	http.Handler
	templates *template.Template
	stories   []story
	now       func() time.Time
	started   time.Time
	limited   atomic.Bool // the 429 was sent
	living    bool        // see NewLivingOrigin
}

// NewOrigin returns an origin whose timetable starts now.
func NewOrigin(now func() time.Time) *demoOrigin {
	o := &demoOrigin{stories: readStories(), now: now, started: now().Truncate(time.Second)}
	o.templates = template.Must(template.New("").Funcs(template.FuncMap{"json": func(parts ...string) (string, error) {
		text, err := json.Marshal(strings.Join(parts, ""))
		return string(text), err
	}}).ParseFS(templates, "templates/*"))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", o.index)
	mux.HandleFunc("GET /harbour.rss", o.harbour)
	mux.HandleFunc("GET /observatory.atom", o.observatory)
	mux.HandleFunc("GET /garden.json", o.garden)
	mux.HandleFunc("GET /broken.xml", o.broken)
	mux.HandleFunc("GET /posts/{slug}", o.post)
	mux.HandleFunc("GET /img/{name}", o.picture)
	o.Handler = mux
	return o
}

func (o *demoOrigin) elapsed() time.Duration { return o.now().Sub(o.started) }

// posts returns the published stories of a feed: the first ones before the start, an hour apart, then one every few seconds.
func (o *demoOrigin) posts(feed string, first int) (posts []story) {
	if o.living {
		return o.livingPosts(feed)
	}
	for _, s := range o.stories {
		if s.Feed != feed {
			continue
		}
		n := time.Duration(len(posts) - first)
		at := n * time.Hour // since the start
		if n >= 0 {
			at = (n + 1) * postEvery
		}
		if at > o.elapsed() {
			break
		}
		s.Published = o.started.Add(at)
		s.Updated = s.Published
		posts = append(posts, s)
	}
	return posts
}

// harbour adds a post every few seconds.
func (o *demoOrigin) harbour(w http.ResponseWriter, r *http.Request) {
	o.serveFeed(w, r, "application/rss+xml; charset=utf-8", o.posts("harbour", 6))
}

// observatory edits the title of its oldest entry once.
func (o *demoOrigin) observatory(w http.ResponseWriter, r *http.Request) {
	posts := o.posts("observatory", 4)
	if !o.living && o.elapsed() >= observatoryEdit {
		posts[0].Title += ", and where to look for it"
		posts[0].Updated = o.started.Add(observatoryEdit)
	}
	o.serveFeed(w, r, "application/atom+xml; charset=utf-8", posts)
}

// garden responds 429 once.
func (o *demoOrigin) garden(w http.ResponseWriter, r *http.Request) {
	if o.fails(w) {
		return
	}
	if o.elapsed() >= gardenLimits && o.limited.CompareAndSwap(false, true) {
		w.Header().Set("Retry-After", "3")
		http.Error(w, "the gate is shut for three seconds", http.StatusTooManyRequests)
		return
	}
	o.serveFeed(w, r, "application/feed+json", o.posts("garden", 4))
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

// serveFeed renders posts with the template of the path, newest first.
func (o *demoOrigin) serveFeed(w http.ResponseWriter, r *http.Request, mediaType string, posts []story) {
	slices.Reverse(posts)
	modified := slices.MaxFunc(posts, func(a, b story) int { return a.Updated.Compare(b.Updated) }).Updated
	o.render(w, r, path.Base(r.URL.Path), mediaType, modified,
		map[string]any{"Site": "http://" + r.Host, "Updated": modified, "Posts": posts})
}

// render serves the output of a template.
func (o *demoOrigin) render(w http.ResponseWriter, r *http.Request, name, mediaType string, modified time.Time, data any) {
	var body bytes.Buffer
	if err := o.templates.ExecuteTemplate(&body, name, data); err != nil {
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

// index serves a page for discovery of the feeds.
func (o *demoOrigin) index(w http.ResponseWriter, r *http.Request) {
	page := story{Title: "The sources of the demo"}
	for _, path := range demoFeeds() {
		page.Body.XML += fmt.Sprintf("<p><a href=%q>%s</a></p>\n", path, path)
	}
	o.render(w, r, "page.html", "text/html; charset=utf-8", o.started, page)
}

// post serves the page of a story.
func (o *demoOrigin) post(w http.ResponseWriter, r *http.Request) {
	s, ok := o.find(r.PathValue("slug"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	o.render(w, r, "page.html", "text/html; charset=utf-8", o.started, s)
}
