package daemon

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// listed starts a daemon with a source, whose entries are in the group sport.
func listed(t *testing.T, yaml string) *daemon {
	d := start(t, storetest.RedisAOF(t), yaml)
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(3)...)
	d.add(web.URL+"/feed.xml", nil)
	for _, number := range []string{"1", "2", "3"} {
		d.do(http.MethodPut, "/api/v1/groups/sport/entries/"+number, nil, nil)
	}
	return d
}

func TestListIsAPageAndFeeds(t *testing.T) {
	t.Parallel()
	d := listed(t, "")
	public := d.app.cfg().PublicURL
	page, header := d.fetched("/lists/sport")
	if !strings.Contains(page, wiretest.Posts(1)[0].Title) || !strings.HasPrefix(header.Get("Content-Type"), "text/html") {
		t.Errorf("the page is %v\n%s", header, page)
	}
	for format, kind := range map[string]string{"rss": "application/rss+xml", "atom": "application/atom+xml", "json": "application/feed+json"} {
		body, header := d.fetched("/lists/sport." + format)
		if !strings.Contains(body, wiretest.Posts(1)[0].Title) || !strings.HasPrefix(header.Get("Content-Type"), kind) {
			t.Errorf("the feed is %v\n%s", header, body)
		}
		if link := header.Get("Link"); link != `<`+public+`/hub>; rel="hub", <`+public+`/lists/sport.`+format+`>; rel="self"` {
			t.Errorf("%s names %s", format, link)
		}
	}
	if n := d.metric("feedwire_http_requests_total", "route", listFeedRoute); n != 3 {
		t.Errorf("%v requests of feeds are counted", n)
	}
	for path, want := range map[string]int{"/lists/none": 404, "/lists/none.rss": 404, "/lists": 200} {
		if got := d.status(path); got != want {
			t.Errorf("%s: got %d, want %d", path, got, want)
		}
	}
}

func TestTakedownReachesTheSubscribersOfAListAtOnce(t *testing.T) {
	t.Parallel()
	d := listed(t, "")
	subscriber := newReader(t)
	d.subscribes(subscriber, d.app.cfg().PublicURL+"/lists/sport.json", subscriber.URL+"/push")
	d.app.engine.CheckLists()
	wiretest.Eventually(t, "the list", func() bool { return len(subscriber.deliveries()) == 1 })
	var gone feed.Entry
	d.do(http.MethodGet, "/api/v1/entries/1", nil, &gone)
	if body := subscriber.deliveries()[0].Form.Get("body"); !strings.Contains(body, gone.Title) {
		t.Fatalf("the list is %s", body)
	}
	d.do(http.MethodDelete, "/api/v1/entries/1", nil, nil)
	wiretest.Eventually(t, "the list without the entry", func() bool {
		all := subscriber.deliveries()
		return len(all) > 1 && !strings.Contains(all[len(all)-1].Form.Get("body"), gone.Title)
	})
}

// The entries of a private source and of a removed one are in the list of editors only. No change is accepted after the loss of all data.
func TestArrangedListReachesSubscribersAndAPartner(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "feeds: {partner: {profile: full-text, from: list:front, top: 2}}\n")
	open, private := wiretest.NewOrigin(t), wiretest.NewOrigin(t)
	open.Set("/feed.xml", wiretest.Posts(3)...)
	private.Set("/feed.xml", wiretest.Post("secret", "For members", "<p>Hidden."))
	source := d.add(open.URL+"/feed.xml", map[string]any{"feeds": []string{}})
	d.add(private.URL+"/feed.xml", map[string]any{"feeds": []string{}, "request": map[string]string{"username": "ann", "password": "tide"}})
	d.arranges("front", "Front page", "1", "2", "4", "3") // the newest on top: 3, 4, 2, 1
	title := make(map[string]string)
	for _, n := range []string{"1", "2", "3", "4"} {
		var e feed.Entry
		d.do(http.MethodGet, "/api/v1/entries/"+n, nil, &e)
		title[n] = e.Title
	}
	place := func(number string, position int) {
		d.do(http.MethodPut, "/api/v1/lists/front/entries/"+number, map[string]int{"position": position}, nil)
	}
	has := func(text string, numbers ...string) bool {
		at := -1
		for _, n := range numbers {
			next := strings.Index(text, title[n])
			if next <= at {
				return false
			}
			at = next
		}
		return !strings.Contains(text, title["4"])
	}
	subscriber := newReader(t)
	d.subscribes(subscriber, d.app.cfg().PublicURL+"/lists/front.json", subscriber.URL+"/push")
	delivered := func(what string, numbers ...string) {
		t.Helper()
		wiretest.Eventually(t, what, func() bool {
			d.app.engine.CheckLists()
			all := subscriber.deliveries()
			return len(all) > 0 && has(all[len(all)-1].Form.Get("body"), numbers...)
		})
	}
	delivered("the list", "3", "2", "1")
	place("1", 1)
	delivered("the moved entry", "1", "3", "2")
	d.do(http.MethodPost, "/-/reload", nil, nil) // reads the list at once, otherwise within a minute
	published := func() (titles []string) {
		for _, a := range d.articles("feed=partner&state=published") {
			titles = append(titles, a.Title)
		}
		slices.Sort(titles)
		return titles
	}
	want := []string{title["1"], title["3"]}
	slices.Sort(want)
	wiretest.Eventually(t, "the first two entries that anyone may see", func() bool { return slices.Equal(published(), want) })
	if page, _ := d.fetched("/lists/front"); !has(page, "1", "3", "2") {
		t.Errorf("the page is\n%s", page)
	}
	d.do(http.MethodDelete, "/api/v1/sources/"+source.ID, nil, nil)
	wiretest.Eventually(t, "the list without the removed source", func() bool {
		d.app.engine.CheckLists()
		all := subscriber.deliveries()
		last := all[len(all)-1].Form.Get("body")
		return !strings.Contains(last, title["1"]) && !strings.Contains(last, title["4"])
	})

	storetest.Commands(t, redis.Dial).Do("FLUSHALL")
	refused := func(method, path string, body any) bool {
		err := d.Call(t.Context(), method, path, body, nil)
		if err == nil {
			t.Errorf("%s %s is done in a store that was emptied", method, path)
		}
		refusal, ok := errors.AsType[*client.Error](err)
		return ok && refusal.Status == http.StatusServiceUnavailable
	}
	// At once: the list would be there after a restart with the empty store.
	for _, change := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPut, "/api/v1/lists/new", map[string]string{"title": "New"}}, {http.MethodPut, "/api/v1/lists/front/entries/1", map[string]int{"position": 2}},
		{http.MethodDelete, "/api/v1/lists/front", nil}, {http.MethodPost, "/api/v1/sources", map[string]string{"url": "https://a.example/feed"}},
	} {
		if !refused(change.method, change.path, change.body) {
			t.Errorf("%s %s is not answered as while Redis is unavailable", change.method, change.path)
		}
	}
}

func TestSubmissionsReachSubscribersAndAPartner(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "community: {enabled: true}\nfeeds: {partner: {profile: full-text, from: list:news.top, top: 2}}\n")
	var first, second feed.News
	for user, n := range map[string]*feed.News{"ann": &first, "bob": &second} {
		d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": user, "role": "member"}, nil)
		d.do(http.MethodPost, "/api/v1/submissions?user="+user, map[string]string{"title": "By " + user, "text": "Text"}, n)
	}
	subscriber := newReader(t)
	d.subscribes(subscriber, d.app.cfg().PublicURL+"/lists/news.cron.json", subscriber.URL+"/push")
	delivered := func(what string, has ...bool) {
		t.Helper()
		wiretest.Eventually(t, what, func() bool {
			d.app.engine.CheckLists()
			all := subscriber.deliveries()
			if len(all) == 0 {
				return false
			}
			last := all[len(all)-1].Form.Get("body")
			return strings.Contains(last, first.Title) == has[0] && strings.Contains(last, second.Title) == has[1]
		})
	}
	delivered("the submissions", true, true)
	d.do(http.MethodPost, "/-/reload", nil, nil) // reads the list at once, otherwise within a minute
	wiretest.Eventually(t, "two articles", func() bool { return len(d.articles("feed=partner&state=published")) == 2 })
	d.do(http.MethodPut, fmt.Sprintf("/api/v1/submissions/%d/state", second.ID), map[string]string{"state": "hidden"}, nil)
	delivered("the list without the hidden one", true, false)
	if body, _ := d.fetched("/lists/news.top.rss"); !strings.Contains(body, first.Title) || strings.Contains(body, second.Title) {
		t.Errorf("the feed is\n%s", body)
	}
}

func TestListsCanBeClosed(t *testing.T) {
	t.Parallel()
	d := listed(t, "lists: {public: false}\n")
	for path, want := range map[string]int{"/lists/sport.rss": 401, "/lists/none.rss": 401} {
		if got := d.status(path); got != want {
			t.Errorf("%s: got %d, want %d", path, got, want)
		}
	}
}

// arranges makes a list of entries by their numbers, the last one on top.
func (d *daemon) arranges(name, title string, numbers ...string) {
	d.t.Helper()
	d.do(http.MethodPut, "/api/v1/lists/"+name, map[string]string{"title": title}, nil)
	for _, n := range numbers {
		d.do(http.MethodPut, "/api/v1/lists/"+name+"/entries/"+n, map[string]string{}, nil)
	}
}
