//go:build !race

package daemon

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	chromepage "github.com/chromedp/cdproto/page"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish/xsstest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// evil leaves whatever a text may stand in, and then runs a script.
const evil = `"'></title></textarea></pre></svg><script>alert(1)</script><img src=x onerror=alert(1)>`

// hostile serves sites that put scripts wherever a source may write.
func hostile(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/rss", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		w.Header().Set("Server", evil)
		_, _ = w.Write(hostileFeed())
	})
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `<!doctype html><title>%[1]s</title><link rel="alternate" type="application/rss+xml" title="%[1]s" href="/rss">`+
			`<link rel="alternate" type="application/rss+xml" title="%[1]s" href="/other?%[1]s">`, html.EscapeString(evil))
	})
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", `text/html; charset="`+evil+`"`)
		fmt.Fprintf(w, "<rss><%s", evil)
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "javascript:alert(1)//"+evil)
		w.WriteHeader(http.StatusMovedPermanently)
	})
	mux.HandleFunc("/control", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `<!doctype html><link rel=icon href="data:,"><title>%s`, evil)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

// hostileFeed has a post for each payload, and one with all of them in all that a feed may say.
func hostileFeed() []byte {
	payloads := xsstest.Payloads()
	var b bytes.Buffer
	text := func(element, s string) {
		fmt.Fprintf(&b, "<%s>", element)
		_ = xml.EscapeText(&b, []byte(s))
		name, _, _ := strings.Cut(element, " ")
		fmt.Fprintf(&b, "</%s>", name)
	}
	item := func(guid, link, s string) {
		b.WriteString("<item>")
		text(`guid isPermaLink="false"`, guid)
		text("link", link)
		for _, element := range []string{"title", "description", "author", "dc:creator", "category", "content:encoded"} {
			text(element, s)
		}
		text("pubDate", "Mon, 02 Nov 2026 10:00:00 GMT")
		b.WriteString("</item>")
	}
	b.WriteString(`<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>`)
	for _, element := range []string{"title", "description", "copyright", "generator", "language", "managingEditor", "category"} {
		text(element, evil)
	}
	text("link", "javascript:alert(1)")
	item(evil, "javascript:alert(1)", evil+strings.Join(payloads, "\n"))
	item("link", "https://evil.example/"+evil, evil)
	for i, s := range payloads {
		item(fmt.Sprintf("p%d%s", i, s), "javascript:alert(1)//"+s, `"'>`+s)
	}
	b.WriteString("</channel></rss>")
	return b.Bytes()
}

// Whatever sources write, in whatever field, runs on no page. The pages are seen twice: as they are, and without their
// Content-Security-Policy, where the escaping alone has to hold.
func testHostileSources(t *testing.T, b *browser) {
	redis := storetest.RedisAOF(t)
	title, _ := json.Marshal(evil) // strings always encode
	d := start(t, redis, fmt.Sprintf("feeds: {production: {title: %s}}\ncommunity: {enabled: true}\nsearch: {enabled: true}\n", title))
	site := hostile(t)
	p := b.editor(t, d)
	src := d.add(site+"/rss", map[string]any{
		"feeds": []string{"production"}, "publish": "auto", "categories": []string{evil},
		"filters": feed.Filters{Block: []feed.Filter{{Field: "title", Match: "never this " + evil}}},
		"request": map[string]any{"username": evil, "password": "x", "headers": map[string]string{"X-Note": evil}},
	})
	broken := d.add(site+"/broken", nil)
	moved := d.add(site+"/moved", nil)
	posts := len(xsstest.Payloads()) + 2
	if src.Poll.Entries != posts {
		t.Fatalf("the source has %d entries, want %d", src.Poll.Entries, posts)
	}
	sub := subscribeTo(t, d, src, `127.0.0.1:1/`+evil)
	wiretest.Eventually(t, "known", func() bool { return len(d.articles("")) == min(posts, 200) })
	d.fetch("production", evil, nil)
	d.poll(src)
	var job feed.Job
	list := `<opml version="2.0"><body><outline type="rss" text="` + html.EscapeString(evil) + `" category="` + html.EscapeString(evil) +
		`" xmlUrl="` + site + `/listed?` + html.EscapeString(evil) + `"/><outline type="rss" text="` + html.EscapeString(evil) + `" xmlUrl="javascript:alert(1)"/></body></opml>`
	d.do(http.MethodPost, "/api/v1/opml", client.Raw(list), &job)

	d.do(http.MethodPut, "/api/v1/me/follows/"+src.ID+"?user=ann", map[string]string{"folder": evil}, nil)
	d.do(http.MethodPut, "/api/v1/default-follows/"+src.ID, nil, nil)
	d.do(http.MethodPut, "/api/v1/groups/sport/entries/1", nil, nil)
	p.writesEvil(d, src)
	ann, err := d.app.store.People.Account(t.Context(), "ann")
	if err == nil {
		err = d.app.store.People.AddSession(t.Context(), feed.Session{
			Sum: feed.SessionSum("other"), AccountID: ann.ID, Created: time.Now(), Seen: time.Now(), Agent: evil, Address: evil, Generation: 1,
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	storetest.Commands(t, redis.Dial).Do("XADD", "hub:dead", "*", "subscription", sub.ID, "topic", sub.Topic, "first", 1, "last", 1, "reason", evil)
	d.untilIndexed()
	places := hostilePlaces(d, site, job.ID, sub.ID, src, broken, moved)
	p.opens(site + "/control")
	if troubles, _ := p.heard(); len(troubles) == 0 {
		t.Fatal("a page of which we know that it runs scripts is silent")
	}
	unseen := pagePatterns(t)
	delete(unseen.patterns, "GET /login")   // it leads those on who are signed in; what it shows of a form is in writesEvil
	delete(unseen.patterns, "GET /welcome") // the same
	delete(unseen.patterns, "GET /sign-up") // the same
	for _, bypass := range []bool{true, false} {
		call(p, chromepage.SetBypassCSP, chromepage.SetBypassCSPParams{Enabled: bypass})
		for _, to := range places {
			p.goes(to)
			p.harmless()
			unseen.look(to.path)
		}
		if n := p.turnsOver("/signals", p.harmless); n < 10 {
			t.Errorf("%d signals were looked at", n)
		}
		if n := p.turnsOver("/articles", p.harmless); n != posts {
			t.Errorf("%d articles were looked at, want %d", n, posts)
		}
	}
	for pattern := range unseen.patterns {
		t.Errorf("the page %s is not among those that are looked at", pattern)
	}
}

// writesEvil fills the forms of people with scripts: those that take them, and those that show what they refuse.
func (p *tab) writesEvil(d *daemon, src feed.Source) {
	p.t.Helper()
	d.do(http.MethodPost, "/api/v1/tokens", map[string]any{"name": evil[:64], "scopes": []string{"read"}}, nil)
	for _, form := range []struct{ path, label, button string }{
		{"/users", "Name", "Add user"}, {"/tokens", "Name", "Create token"},
		{"/sources/add", "Address of a site, a page or a feed", "Find feeds"},
		{"/sources/" + src.ID + "/edit", "Timeout", "Save"}, {"/sources/" + src.ID + "/edit", "Categories", "Save"},
	} {
		p.opens(form.path)
		p.fills(form.label, evil)
		p.follows(form.button)
		p.harmless()
	}
	p.opens("/users")
	p.fills("Name", evil)
	if err := d.app.store.People.ChangeAccount(p.t.Context(), "ann", feed.AccountChange{EndSessions: true}); err != nil {
		p.t.Fatal(err)
	}
	p.follows("Add user")
	p.harmless()
	p.fills("Name", evil)
	p.fills("Password", "not it at all")
	p.follows("Sign in")
	p.harmless()
	p.fills("Name", "ann")
	p.fills("Password", password)
	p.follows("Sign in")
	p.sees("Your form has not been submitted yet")
	p.harmless()
	p.follows("Submit form")
	p.harmless()
}

// hostilePlaces returns all pages that a signed-in person can see, in a daemon whose data is hostile.
func hostilePlaces(d *daemon, site, job, sub string, src, broken, moved feed.Source) []place {
	query := "?q=" + url.QueryEscape(evil)
	notes, note := d.notes(evil, strings.Join(xsstest.Payloads(), "\n"))
	d.arranges("front", evil, note, "1")
	places := []place{
		{path: "/sources/" + notes}, {path: "/sources/" + notes + "/entries/add"}, {path: "/entries/" + note}, {path: "/entries/1"},
		{path: "/entries/" + note + "/edit", then: func(p *tab) { p.follows("Preview") }}, {path: "/entries/" + note + "/remove"},
		{path: "/"}, {path: "/sources"}, {path: "/sources" + query}, {path: "/sources/" + src.ID}, {path: "/sources/" + broken.ID},
		{path: "/sources/" + moved.ID}, {path: "/sources/" + src.ID + "/edit"}, {path: "/sources/import"},
		{path: "/sources/" + src.ID, then: func(p *tab) { p.follows("Trace poll") }},
		{path: "/sources/" + broken.ID, then: func(p *tab) { p.follows("Trace poll") }},
		{path: "/sources/add", then: func(p *tab) { p.finds(site + "/page") }},
		{path: "/sources/add", then: func(p *tab) { p.finds(site + "/rss?other") }},
		{path: "/imports/" + job}, {path: "/feeds"}, {path: "/feeds/production"},
		{path: "/read"}, {path: "/read/saved"}, {path: "/read?layout=full"}, {path: "/read/entries/1"}, {path: "/read/entries/" + note},
		{path: "/lists"}, {path: "/lists/sport"}, {path: "/lists/front"}, {path: "/lists/front/arrange"}, {path: "/lists/front/delete"},
		{path: "/entries/" + note + "/lists"}, {path: "/default-follows"}, {path: "/subscriptions"}, {path: "/subscriptions/" + sub}, {path: "/topics/" + feed.TopicID(src.URL)},
		{path: "/dead-letters"}, {path: "/audit"}, {path: "/account"}, {path: "/reset-password"}, {path: "/users"}, {path: "/tokens"}, {path: "/settings"},
		{path: "/articles" + query}, {path: "/signals" + query}, {path: "/search" + query}, {path: "/search?q=script"}, {path: "/inbox"},
	}
	var news feed.News
	d.do(http.MethodPost, "/api/v1/submissions?user=ann", map[string]string{"title": evil, "text": "> " + evil + "\n\n    " + evil}, &news) // the test of the site has all payloads
	n := strconv.FormatInt(news.ID, 10)
	d.do(http.MethodPost, "/api/v1/entries/"+n+"/comments?user=ann", map[string]any{"body": evil, "parent_id": feed.NoParent}, nil)
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "zoe", "role": "member"}, nil)
	for _, body := range []map[string]any{{"reason": evil}, {"reason": evil, "comment": 1}} {
		d.do(http.MethodPost, "/api/v1/submissions/"+n+"/reports?user=zoe", body, nil)
	}
	d.do(http.MethodPut, "/api/v1/moderation/bans/zoe?"+url.Values{"reason": {evil}}.Encode(), nil, nil)
	for _, path := range []string{
		"", "/latest", "/news/" + n, "/comment/" + n + "/1", "/user/ann", "/usernews/ann", "/usercomments/ann", "/about", "/saved", "/replies",
		"/submit?t=" + url.QueryEscape(evil) + "&u=" + url.QueryEscape(evil), "/editnews/" + n, "/reply/" + n + "/1", "/editcomment/" + n + "/1",
		"/report/" + n, "/report/" + n + "/1", "/moderation", "/moderation/review", "/moderation/decisions", "/moderation/bans", "/moderation/invitations/ann",
	} {
		places = append(places, place{path: "/community" + path})
	}
	for _, s := range d.signals()[:3] {
		places = append(places, place{path: "/signals/" + s.ID})
	}
	for _, a := range d.articles("")[:5] {
		at := "/articles/" + a.UUID
		places = append(places, place{path: at}, place{path: at + "/preview?feed=production"}, place{path: at + "/text"})
	}
	return places
}

// turnsOver looks at all pages of a list, and returns how many rows they have.
func (p *tab) turnsOver(path string, look func()) (rows int) {
	p.t.Helper()
	p.opens(path)
	for {
		look()
		rows += value[int](p, `document.querySelectorAll("main tbody tr").length`)
		if !value[bool](p, `document.querySelector("main a[rel=next]") !== null`) {
			return rows
		}
		p.leaves(func() { value[bool](p, `document.querySelector("main a[rel=next]").click() || true`) })
	}
}

// harmless fails the test if anything of the page came from a source as more than text.
func (p *tab) harmless() {
	p.t.Helper()
	faults := value[[]string](p, `(() => {
  const all = [], ours = location.pathname.endsWith("/preview") ? document.querySelector("style") : null;
  const bookmarklet = location.pathname === "/community/about" ? document.querySelector("a.bookmarklet") : null; // a script of ours
  for (const e of document.querySelectorAll("*")) {
    if (e === bookmarklet) continue;
    for (const a of e.attributes) {
      if (/^on/i.test(a.name)) all.push(a.name + " of " + e.outerHTML);
      if (/^(href|src|action|formaction|data|srcdoc)$/i.test(a.name) && !/^(https?:|\/|#|\?)/i.test(a.value)) all.push(a.name + " of " + e.outerHTML);
    }
    if (e.matches("script:not([src^='/assets/']), base, object, embed, math:not(.text *), style, template") && e !== ours) all.push(e.outerHTML);
  }
  return all.map(s => s.slice(0, 300));
})()`)
	troubles, asked := p.heard()
	faults = append(faults, troubles...)
	for _, url := range asked {
		if !strings.HasPrefix(url, p.base+"/") {
			faults = append(faults, "it loads "+url)
		}
	}
	if len(faults) > 0 {
		where := value[string](p, `location.href`)
		p.t.Errorf("%s: %s", where, strings.Join(faults[:min(len(faults), 5)], "\n"))
	}
}
