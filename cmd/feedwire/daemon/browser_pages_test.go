//go:build !race

package daemon

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	chromepage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// place is a page of the desk, and how one comes there.
type place struct {
	name string // of its picture
	path string
	then func(p *tab) // what one does there; nil: nothing
}

// newsroom starts a daemon with one object of each kind and signs in an account that can see all pages.
func newsroom(t *testing.T, b *browser) (p *tab, places []place) {
	t.Helper()
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "people: {sign_up: open}\ncommunity: {enabled: true, name: Harbour Talk}\nmail: {host: localhost, port: 1, tls: none, from: wire@example.org}\nsearch: {enabled: true}\n")
	p = b.editor(t, d)
	site, other := world(t), world(t)
	harbour := d.add(site+"/harbour.rss", map[string]any{"feeds": []string{"production", "development"}, "publish": "auto"})
	d.add(site+"/observatory.atom", map[string]any{"feeds": []string{"production"}})
	d.add(site+"/garden.json", map[string]any{"feeds": []string{"development"}})
	d.add(site+"/broken.xml", nil)
	for _, address := range []string{"/harbour.rss", "/observatory.atom", "/garden.json"} {
		d.do(http.MethodPost, "/api/v1/me/follows?user=ann", map[string]string{"url": site + address, "folder": "City"}, nil)
	}
	reader, _, _ := useWays(t, d, redis, harbour)
	wiretest.Eventually(t, "published", func() bool { return len(d.articles("feed=production&state=published")) == 6 })
	for n := 1.0; n <= 2; n++ {
		d.fetch("production", wiretest.Facebook, nil)
		wiretest.Eventually(t, "counted", func() bool { return d.metric("feedwire_impressions_total", "outcome", "counted") == 6*n })
	}
	wiretest.Eventually(t, "visited", func() bool {
		state, err := d.app.store.Articles.FeedState(t.Context(), "production", 1, 10)
		return err == nil && len(state.Visits) == 2
	})
	var job feed.Job
	d.do(http.MethodPost, "/api/v1/opml", client.Raw(`<opml version="2.0"><body><outline type="rss" text="The Allotment" xmlUrl="`+site+`/garden.json"/></body></opml>`), &job)
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "bob", "role": "viewer"}, nil)
	d.do(http.MethodPatch, "/api/v1/me/profile?user=ann", map[string]string{"about": "I look after the northern pier.\n\nhttps://pier.example", "email": "ann@example.org"}, nil)
	d.do(http.MethodPost, "/api/v1/tokens", map[string]any{"name": "nightly", "scopes": []string{"read"}}, nil)
	d.person(t).sends("/login", url.Values{"name": {"ann"}, "password": {password}})
	d.groups("sport", harbour)
	d.arranges("front", "Front page", "5", "1", "3", "6")
	signal := d.signals()[1].ID
	kinds := make(map[string]string) // the number of the entry of each kind of source
	podcast := ""
	for _, kind := range sourceKinds() {
		entry := d.addKind(wiretest.NewOrigin(t), kind, nil)
		if kinds[kind] = entry.Number(); kind == "podcast" {
			podcast = feed.SourceID(entry.FeedURL)
		}
	}
	notes, note := d.notes("Low tide at noon", "<p>Mind the slipway.</p>")
	uuid := feed.ArticleUUID(harbour.URL, "harbour-crane-seven")
	talk := d.talk()
	d.untilIndexed()
	return p, []place{
		{"overview", "/", nil},
		{"read", "/read", nil},
		{"read-source", "/read?source=" + harbour.ID, func(p *tab) { p.clicks("Settings of this source") }},
		{"read-saved", "/read/saved", nil},
		{"read-imported", "/read", func(p *tab) {
			p.clicks("Import from OPML")
			p.uploads(`<opml version="2.0"><body><outline text="No address" xmlUrl="mailto:ann@example.org"/>` +
				`<outline text="Harbour" xmlUrl="` + harbour.URL + `"/></body></opml>`)
			p.sees("1 source cannot be followed.", "0 followed · 1 followed before · 1 refused", "mailto:ann@example.org")
		}},
		{"read-entry", "/read/entries/" + kinds["podcast"], nil},
		{"inbox", "/inbox", nil},
		{"articles", "/articles", nil},
		{"article", "/articles/" + uuid, nil},
		{"article-text", "/articles/" + uuid + "/text", nil},
		{"article-preview", "/articles/" + uuid + "/preview?feed=production", nil},
		{"article-changed", "/articles", func(p *tab) { p.meets(d, uuid) }},
		{"sources", "/sources", nil},
		{"source", "/sources/" + harbour.ID, nil},
		{"source-podcast", "/sources/" + podcast, func(p *tab) {
			value[bool](p, `(document.querySelector("#about").scrollIntoView(), true)`)
		}},
		{"entry-podcast", "/entries/" + kinds["podcast"], nil},
		{"entry-youtube", "/entries/" + kinds["youtube"], nil},
		{"entry-photos", "/entries/" + kinds["photos"], nil},
		{"entry-geo", "/entries/" + kinds["geo"], nil},
		{"entry-forum", "/entries/" + kinds["forum"], nil},
		{"source-edit", "/sources/" + harbour.ID + "/edit", nil},
		{"source-edit-refused", "/sources/" + harbour.ID + "/edit", func(p *tab) { p.fills("Timeout", "soon"); p.follows("Save") }},
		{"source-trace", "/sources/" + harbour.ID, func(p *tab) { p.follows("Trace poll") }},
		{"source-add", "/sources/add", nil},
		{"source-found", "/sources/add", func(p *tab) { p.finds(site) }},
		{"source-preview", "/sources/add", func(p *tab) { p.finds(other); p.follows("Preview " + other + "/observatory.atom") }},
		{"source-import", "/sources/import", nil},
		{"source-local", "/sources/" + notes, nil},
		{"entry", "/entries/" + note, nil},
		{"entry-add", "/sources/" + notes + "/entries/add", nil},
		{"entry-edit", "/entries/" + note + "/edit", func(p *tab) { p.follows("Preview") }},
		{"entry-remove", "/entries/" + note + "/remove", nil},
		{"import", "/imports/" + job.ID, nil},
		{"feeds", "/feeds", nil},
		{"feed", "/feeds/production", nil},
		{"signals", "/signals", nil},
		{"signal", "/signals/" + signal, nil},
		{"subscriptions", "/subscriptions", nil},
		{"subscription", "/subscriptions/" + reader.ID, nil},
		{"hub", "/hub", func(p *tab) {
			p.fills("Callback", reader.Callback)
			p.fills("Secret of the subscription", reader.Secret)
			p.follows("Show subscriptions")
			p.sees("paused, since", "Send a test")
		}},
		{"topic", "/topics/" + feed.TopicID(reader.Topic), nil},
		{"dead-letters", "/dead-letters", nil},
		{"settings", "/settings", nil},
		{"users", "/users", nil},
		{"tokens", "/tokens", nil},
		{"audit", "/audit", nil},
		{"search", "/search", nil},
		{"search-found", "/search?q=crane", nil},
		{"search-refused", "/search?q=after:today", nil},
		{"lists", "/lists", nil},
		{"list", "/lists/sport", nil},
		{"list-arrange", "/lists/front/arrange", func(p *tab) {
			value[bool](p, `(document.querySelectorAll(".handle")[1].focus(), true)`)
			p.types(" ")
		}},
		{"list-delete", "/lists/front/delete", nil},
		{"list-add", "/entries/1/lists", nil},
		{"default-follows", "/default-follows", nil},
		{"account", "/account", nil},
		{"nothing-here", "/sources/none", nil},
		{"link-that-ended", "/welcome?once=none", nil},
		{"community", "/community", nil},
		{"community-new", "/community/latest", nil},
		{"community-news", "/community/news/" + talk, nil},
		{"community-comment", "/community/comment/" + talk + "/1", nil},
		{"community-submit", "/community/submit", nil},
		{"community-saved", "/community/saved", nil},
		{"community-replies", "/community/replies", nil},
		{"community-user", "/community/user/ann", nil},
		{"community-submissions", "/community/usernews/ann", nil},
		{"community-comments", "/community/usercomments/ann", nil},
		{"community-edit", "/community/editnews/" + talk, nil},
		{"community-reply", "/community/reply/" + talk + "/1", nil},
		{"community-edit-comment", "/community/editcomment/" + talk + "/1", nil},
		{"community-refused", "/community/news/none", nil},
		{"community-about", "/community/about", nil},
		{"community-report", "/community/report/" + talk + "/2", nil},
		{"community-report-submission", "/community/report/" + talk, nil},
		{"community-queue", "/community/moderation", func(p *tab) { value[bool](p, `(document.querySelector(".reports input").click(), true)`) }},
		{"community-review", "/community/moderation/review", nil},
		{"community-decisions", "/community/moderation/decisions", nil},
		{"community-bans", "/community/moderation/bans", nil},
		{"community-invitations", "/community/moderation/invitations/ann", nil},
		{"sign-in", "/login", nil}, // last, since one has to sign out for it
		{"sign-up", "/sign-up", nil},
		{"reset-password", "/reset-password", nil},
	}
}

// groups adds the entries of a source to a group.
func (d *daemon) groups(name string, src feed.Source) {
	d.t.Helper()
	var all feed.Page[feed.Entry]
	d.do(http.MethodGet, "/api/v1/sources/"+src.ID+"/entries", nil, &all)
	for _, e := range all.Items {
		d.do(http.MethodPut, "/api/v1/groups/"+name+"/entries/"+e.Number(), nil, nil)
	}
}

// notes adds a local source with an entry, and returns the id of the source and the number of the entry.
func (d *daemon) notes(title, content string) (source, number string) {
	d.t.Helper()
	url := feed.LocalURL("notes")
	d.do(http.MethodPost, "/api/v1/sources", map[string]any{"url": url, "feeds": []string{}, "about": map[string]string{"title": title}}, nil)
	var e feed.Entry
	d.do(http.MethodPost, "/api/v1/sources/"+feed.SourceID(url)+"/entries", map[string]string{"title": title, "content": content}, &e)
	return feed.SourceID(url), e.Number()
}

// talk fills the site of the community and returns the number of a submission of ann with comments.
func (d *daemon) talk() string {
	d.t.Helper()
	submits := func(user, title, url, text string) string {
		var n feed.News
		d.do(http.MethodPost, "/api/v1/submissions?user="+user, map[string]string{"title": title, "url": url, "text": text}, &n)
		return strconv.FormatInt(n.ID, 10)
	}
	submits("bob", "Why the printed tide table still sells", "https://www.harbourpost.example/tides", "")
	submits("ann", "Twelve cranes, one register: the oldest database of the harbour", "https://archive.example/cranes", "")
	submits("ann", "A seat on the night ferry", "https://longreads.example/ferry", "")
	n := submits("ann", "Ask: how do you keep a ferry schedule readable on a small screen?", "",
		"We run a display at the landing stage, 240 px wide.\n\n> Please no marquees.\n\nThe template:\n\n    {{range .Ferries}}{{.Time}} {{.To}}{{end}}")
	says := func(user, body string, parent int64) (c struct{ ID int64 }) {
		d.do(http.MethodPost, "/api/v1/entries/"+n+"/comments?user="+user, map[string]any{"body": body, "parent_id": parent}, &c)
		return c
	}
	first := says("ann", "Two lines for each ferry, and never more than 18 characters for the destination.", feed.NoParent)
	answer := says("bob", "Have you tried `text-overflow: ellipsis`? See https://www.w3.org/TR/css-overflow-3/", first.ID)
	says("ann", "It loses the end, and that is where our names differ.", answer.ID)
	says("bob", "Print them.", feed.NoParent)
	d.do(http.MethodPut, "/api/v1/submissions/"+n+"/vote?user=bob", map[string]string{"vote": "up"}, nil)
	for _, name := range []string{"carla", "dora"} {
		d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": name, "role": "member"}, nil)
	}
	watches := submits("carla", "Watches, up to 90 % off", "https://watches.example/?ref=harbour", "")
	waits := submits("dora", "Which tide tables do you trust?", "", "Mine and those of the harbour office differ by twelve minutes.")
	d.do(http.MethodPut, "/api/v1/submissions/"+waits+"/state", map[string]string{"state": "held"}, nil)
	rude := says("dora", "Whoever needs a *screen* to find a ferry should stay at home.", feed.NoParent)
	reports := func(user, n, reason string, comment int64) {
		d.do(http.MethodPost, "/api/v1/submissions/"+n+"/reports?user="+user, map[string]any{"reason": reason, "comment": comment}, nil)
	}
	reports("bob", watches, "spam", 0)
	reports("dora", watches, "spam: the same link as yesterday", 0)
	reports("bob", n, "abuse: it does not answer the question", rude.ID)
	d.do(http.MethodPut, "/api/v1/entries/"+n+"/comments/"+strconv.FormatInt(rude.ID, 10)+"/state", map[string]string{"state": "hidden"}, nil)
	d.do(http.MethodPut, "/api/v1/moderation/bans/dora?reason=The+third+insult+this+week", nil, nil)
	reports("carla", n, "off topic: printing was not the question", 4)
	return n
}

// meets withdraws an article that another one has withdrawn since it was shown.
func (p *tab) meets(d *daemon, uuid string) {
	p.t.Helper()
	p.scripts(false) // lest the page follow
	p.opens("/articles")
	d.do(http.MethodPost, "/api/v1/articles/"+uuid+"/withdraw", map[string]string{"feed": "production"}, nil)
	p.follows("Withdraw " + crane + " from production")
	p.scripts(true)
	p.sees("Someone else changed this")
}

// uploads imports an OPML file by the form of a page.
func (p *tab) uploads(list string) {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), "list.opml")
	if err := os.WriteFile(path, []byte(list), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.does(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{path}))
	p.follows("Import")
}

// finds looks for the feeds of a site.
func (p *tab) finds(site string) {
	p.t.Helper()
	p.fills("Address of a site, a page or a feed", site)
	p.follows("Find feeds")
}

func (p *tab) goes(to place) {
	p.t.Helper()
	if to.path == "/login" {
		call(p, network.ClearBrowserCookies, cdp.Empty{})
	}
	p.opens(to.path)
	if to.then != nil {
		to.then(p)
	}
}

// testPages looks at all pages: they can be read by everyone, in both schemes of colours, and none is wider than a
// telephone.
func testPages(t *testing.T, b *browser) {
	p, places := newsroom(t, b)
	axe, unseen := newAxe(t), pagePatterns(t)
	for _, to := range places {
		// The policy of a preview lets nothing run in it, which keeps axe out as well.
		call(p, chromepage.SetBypassCSP, chromepage.SetBypassCSPParams{Enabled: strings.Contains(to.path, "/preview?")})
		p.goes(to)
		unseen.look(to.path)
		for _, scheme := range []string{"light", "dark"} {
			p.prefers(scheme)
			if *screens != "" {
				p.keeps(filepath.Join(*screens, to.name+"-"+scheme+".png"))
			}
			for _, fault := range axe.faults(p, scheme == "dark") {
				t.Errorf("%s, %s: %s", to.name, scheme, fault)
			}
		}
		p.does(chromedp.EmulateViewport(390, 844))
		if wide := value[[]string](p, tooWide); len(wide) > 0 {
			t.Errorf("%s is wider than a telephone: %s", to.name, strings.Join(wide, ", "))
		}
		p.does(chromedp.EmulateViewport(1280, 800))
	}
	p.calm()
	for pattern := range unseen.patterns {
		t.Errorf("no test visits the page %s", pattern)
	}
}

// patterns holds the routes that no test has visited yet.
type patterns struct {
	mux      *http.ServeMux
	patterns map[string]bool
}

// pagePatterns are the routes of the desk that are pages.
func pagePatterns(t *testing.T) patterns {
	t.Helper()
	all := patterns{http.NewServeMux(), make(map[string]bool)}
	noPage := regexp.MustCompile(`^/(api|assets|read/images|media|community/(api|avatar))/|/(live|alive|export|decisions\.(csv|json)|document|preview|worker\.js|manifest\.webmanifest|rss|rss/top|random)$`)
	postsAPI := regexp.MustCompile(`^/(feed|users/feed|posts|posts/\{post\})$`)
	for _, route := range deskRoutes("/") {
		if path, ok := strings.CutPrefix(route, "GET "); ok && !noPage.MatchString(path) && !postsAPI.MatchString(path) {
			all.patterns[route] = true
			all.mux.HandleFunc(route, http.NotFound)
		}
	}
	if len(all.patterns) < 15 {
		t.Fatalf("the desk has only %d pages", len(all.patterns))
	}
	return all
}

func (p patterns) look(path string) {
	_, pattern := p.mux.Handler(httptest.NewRequest(http.MethodGet, path, nil))
	delete(p.patterns, pattern)
}

var screens = flag.String("screens", "", "a folder for pictures of all pages; empty: they are not taken")

// keeps takes a picture of what the window shows. What it shows is text on plain grounds, so that few colours are enough.
func (p *tab) keeps(path string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, tabPatience)
	defer cancel()
	shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatalf("take a picture: %v", err)
	}
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		p.t.Fatal(err)
	}
	small := image.NewPaletted(full.Bounds(), palette(full))
	draw.Draw(small, small.Bounds(), full, image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, small); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// palette is that of the most frequent colours of a picture.
func palette(of image.Image) color.Palette {
	const most = 48
	counts := map[color.Color]int{}
	for y := range of.Bounds().Dy() {
		for x := range of.Bounds().Dx() {
			counts[of.At(x, y)]++
		}
	}
	all := slices.SortedFunc(maps.Keys(counts), func(a, b color.Color) int { return counts[b] - counts[a] })
	return all[:min(most, len(all))]
}

// tooWide names what makes a page scroll sideways.
const tooWide = `(() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return ["the page"].concat([...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > width + 1)
    .map(e => e.tagName.toLowerCase() + "." + e.className + " " + e.textContent.slice(0, 40)));
})()`

// axe is the checker of accessibility of that name, as it stands in the npm registry.
type axe string

const (
	axePath = "testdata/axe/axe.min.js" // axe-core 4.14.1
	axeSum  = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
)

func newAxe(t *testing.T) axe {
	t.Helper()
	text, err := os.ReadFile(axePath)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != axeSum {
		t.Fatalf("%s is another one than it was", axePath)
	}
	return axe(text)
}

// faults returns what axe finds on the page of the tab, without its frames: a preview is a page of its own here. colours limits
// it to the rules that depend on colours, for a page that was checked in another scheme.
func (a axe) faults(p *tab, colours bool) []string {
	p.t.Helper()
	if !value[bool](p, `"axe" in window`) {
		p.does(chromedp.Evaluate[chromedp.Void](string(a)))
	}
	options := map[string]any{"iframes": false}
	if colours {
		options["runOnly"] = []string{"color-contrast", "link-in-text-block"}
	}
	return value[[]string](p, `axe.run(%s).then(found => found.violations.flatMap(v =>
  v.nodes.map(n => v.id + ": " + v.help + ": " + n.html.slice(0, 200) + " " + (n.any[0] || {message: ""}).message)))`, options)
}
