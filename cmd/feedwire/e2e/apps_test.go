package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
)

// appForm is how an app uses the API of Google Reader, as its requests to other servers show.
type appForm struct {
	name, mount string
	id          string // format of ids in calls
	token       string // T of changes; empty: the answer of the call token
	ids         int    // of an answer
	contents    int    // of a call
	streams     bool   // contents are read by stream, not by id
}

const longID = "tag:google.com,2005:reader/item/"

var appForms = []appForm{
	{name: "NetNewsWire", mount: "/api/greader.php", id: longID + "%x", ids: 1000, contents: 150},
	{name: "Reeder", id: "%016x", token: "x", ids: 10_000, contents: 1000},
	{name: "FeedMe", mount: "/api/greader.php", id: longID + "%016x", ids: 1000, contents: 500, streams: true},
	{name: "Liferea", id: "%d", ids: 1000, contents: 100},
}

const (
	readingList = "user/-/state/com.google/reading-list"
	starredTag  = "user/-/state/com.google/starred"
	readTag     = "user/-/state/com.google/read"
)

// readerApp is an app with what it has stored.
type readerApp struct {
	appForm
	tb      testing.TB
	base    string // of the API
	auth    string
	T       string
	synced  time.Time // zero: never
	titles  map[int64]string
	unread  []int64
	starred []int64
}

// newReaderApp returns an app that has signed in.
func newReaderApp(tb testing.TB, form appForm, site, account, password string) *readerApp {
	tb.Helper()
	a := &readerApp{appForm: form, tb: tb, base: site + form.mount, titles: make(map[int64]string), T: form.token}
	answer := string(a.post("/accounts/ClientLogin", url.Values{"Email": {account}, "Passwd": {password}}))
	_, a.auth, _ = strings.Cut(strings.TrimSpace(answer), "Auth=")
	if a.T == "" {
		a.T = string(a.get("/reader/api/0/token"))
	}
	return a
}

func (a *readerApp) get(path string) []byte { return a.call(http.MethodGet, path, nil) }

func (a *readerApp) post(path string, form url.Values) []byte {
	return a.call(http.MethodPost, path, form)
}

func (a *readerApp) call(method, path string, form url.Values) []byte {
	a.tb.Helper()
	r, err := http.NewRequestWithContext(a.tb.Context(), method, a.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		a.tb.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if a.auth != "" {
		r.Header.Set("Authorization", "GoogleLogin auth="+a.auth)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		a.tb.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		a.tb.Fatalf("%s: %s gets %d, %v: %.300s", a.name, path, resp.StatusCode, err, body)
	}
	return body
}

// appAnswer is what apps read of answers.
type appAnswer struct {
	Subscriptions []struct {
		ID         string
		Categories []struct{ ID string }
	}
	Tags         []struct{ ID string }
	ItemRefs     []struct{ ID string }
	Items        []struct{ ID, Title string }
	Continuation string
}

func (a *readerApp) decode(body []byte) (answer appAnswer) {
	a.tb.Helper()
	if err := json.Unmarshal(body, &answer); err != nil {
		a.tb.Fatalf("%s: %v in %.300s", a.name, err, body)
	}
	return answer
}

// pages returns all parts of a stream.
func (a *readerApp) pages(call, query string) (all []appAnswer) {
	a.tb.Helper()
	for next := ""; ; {
		page := a.decode(a.get(call + "?output=json" + query + next))
		if all = append(all, page); page.Continuation == "" {
			return all
		}
		next = "&c=" + page.Continuation
	}
}

// ids returns the ids of a stream in ascending order.
func (a *readerApp) ids(query string) (ids []int64) {
	a.tb.Helper()
	for _, page := range a.pages("/reader/api/0/stream/items/ids", fmt.Sprint("&n=", a.appForm.ids, "&s=", query)) {
		for _, ref := range page.ItemRefs {
			id, err := strconv.ParseInt(ref.ID, 10, 64)
			if err != nil {
				a.tb.Fatal(err)
			}
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// store stores the entries of an answer.
func (a *readerApp) store(answer *appAnswer) {
	a.tb.Helper()
	for _, item := range answer.Items {
		id, err := strconv.ParseInt(strings.TrimPrefix(item.ID, longID), 16, 64)
		if err != nil {
			a.tb.Fatal(err)
		}
		a.titles[id] = item.Title
	}
}

// form returns a form with ids.
func (a *readerApp) form(ids []int64) url.Values {
	form := url.Values{"T": {a.T}, "output": {"json"}}
	for _, id := range ids {
		form.Add("i", fmt.Sprintf(a.id, id))
	}
	return form
}

// sync syncs, and returns the number of subscriptions.
func (a *readerApp) sync() int {
	a.tb.Helper()
	begun := time.Now()
	since := begun.AddDate(0, -3, 0)
	if !a.synced.IsZero() {
		since = a.synced.Add(-time.Minute) // timestamps are whole seconds
	}
	a.decode(a.get("/reader/api/0/tag/list?output=json"))
	subscriptions := a.decode(a.get("/reader/api/0/subscription/list?output=json")).Subscriptions
	for _, s := range subscriptions {
		if len(s.Categories) == 0 || !strings.HasPrefix(s.ID, "feed/") {
			a.tb.Errorf("%s gets the subscription %+v", a.name, s)
		}
	}
	a.unread, a.starred = a.ids(readingList+"&xt="+readTag), a.ids(starredTag)
	if a.streams {
		a.get("/reader/api/0/unread-count?output=json")
		query := fmt.Sprint("&n=", a.contents, "&xt=", readTag)
		if !a.synced.IsZero() {
			query += fmt.Sprint("&ot=", since.Unix())
		}
		for _, page := range a.pages("/reader/api/0/stream/contents/"+readingList, query) {
			a.store(&page)
		}
	}
	wanted := slices.Concat(a.unread, a.starred, a.ids(fmt.Sprint(readingList, "&ot=", since.Unix())))
	slices.Sort(wanted)
	missing := slices.DeleteFunc(slices.Compact(wanted), func(id int64) bool { return a.titles[id] != "" })
	for some := range slices.Chunk(missing, a.contents) {
		answer := a.decode(a.post("/reader/api/0/stream/items/contents", a.form(some)))
		a.store(&answer)
	}
	a.synced = begun
	return len(subscriptions)
}

// tag adds a tag to entries.
func (a *readerApp) tag(ids []int64, tag string) {
	a.tb.Helper()
	form := a.form(ids)
	form.Set("a", tag)
	if answer := a.post("/reader/api/0/edit-tag", form); string(answer) != "OK" {
		a.tb.Errorf("%s: edit-tag answers %q", a.name, answer)
	}
}

// check compares what the app has with how many entries there are.
func (a *readerApp) check(entries, unread, starred int) {
	a.tb.Helper()
	has := func(id int64) bool { return a.titles[id] != "" }
	lacks := func(id int64) bool { return !has(id) }
	if len(a.titles) != entries || len(slices.Compact(slices.Clone(a.unread))) != unread || len(a.unread) != unread || len(a.starred) != starred ||
		slices.ContainsFunc(a.unread, lacks) || slices.ContainsFunc(a.starred, lacks) {
		a.tb.Errorf("%s has %d entries, %d unread, %d starred; want %d, %d, %d", a.name, len(a.titles), len(a.unread), len(a.starred), entries, unread, starred)
	}
}

// The first sync of each app, then one after it marked entries, and one after entries arrived and others were read elsewhere.
func TestReaderAppsSync(t *testing.T) {
	const sources, posts = 12, 100 // NetNewsWire reads more than one page of ids
	p, web := wiretest.BuildProgram(t, ""), wiretest.NewOrigin(t)
	p.Start()
	p.Ready()
	c := p.Client()
	call := func(method, path string, in, out any) {
		t.Helper()
		if err := c.Call(t.Context(), method, path, in, out); err != nil {
			t.Fatal(err)
		}
	}
	for i := range sources {
		web.Set(fmt.Sprint("/", i), wiretest.Posts(posts)...)
		call(http.MethodPost, "/api/v1/sources", map[string]string{"url": fmt.Sprint(web.URL, "/", i)}, nil)
	}
	apps, passwords := make([]*readerApp, len(appForms)), make([]string, len(appForms))
	for i, form := range appForms {
		name := strings.ToLower(form.name)
		call(http.MethodPost, "/api/v1/users", map[string]string{"name": name, "role": "viewer"}, nil)
		for n := range sources {
			call(http.MethodPost, "/api/v1/me/follows?user="+name, map[string]string{"url": fmt.Sprint(web.URL, "/", n), "folder": []string{"", "Sea"}[n%2]}, nil)
		}
		var app struct{ Token string }
		call(http.MethodPost, "/api/v1/me/apps?user="+name, map[string]string{"name": form.name}, &app)
		passwords[i] = app.Token
	}
	await := func(unread int) {
		t.Helper()
		wiretest.Eventually(t, fmt.Sprint(unread, " unread entries"), func() bool {
			var counts struct{ Unread int }
			call(http.MethodGet, "/api/v1/me/read?user=reeder", nil, &counts)
			return counts.Unread == unread
		})
	}
	await(sources * posts)
	for i, form := range appForms {
		a := newReaderApp(t, form, c.Base, strings.ToLower(form.name), passwords[i])
		if n := a.sync(); n != sources {
			t.Errorf("%s has %d subscriptions", form.name, n)
		}
		a.check(sources*posts, sources*posts, 0)
		a.tag(a.unread[:1000], readTag)
		a.tag(a.unread[:1], starredTag)
		a.sync()
		a.check(sources*posts, sources*posts-1000, 1)
		apps[i] = a
	}
	web.Set("/0", wiretest.Posts(posts+3)...)
	call(http.MethodPost, "/api/v1/sources/"+feed.SourceID(web.URL+"/0")+"/poll", nil, nil)
	await(sources*posts - 1000 + 3)
	for _, a := range apps {
		elsewhere := map[string]any{"entries": []string{fmt.Sprint(a.unread[0]), fmt.Sprint(a.unread[1])}}
		call(http.MethodPost, "/api/v1/me/read?user="+strings.ToLower(a.name), elsewhere, nil)
		a.sync()
		a.check(sources*posts+3, sources*posts-1000+3-2, 1)
	}
}
