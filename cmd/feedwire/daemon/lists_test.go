package daemon

import (
	"net/http"
	"strings"
	"testing"

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

func TestListsCanBeClosed(t *testing.T) {
	t.Parallel()
	d := listed(t, "lists: {public: false}\n")
	for path, want := range map[string]int{"/lists/sport.rss": 401, "/lists/none.rss": 401} {
		if got := d.status(path); got != want {
			t.Errorf("%s: got %d, want %d", path, got, want)
		}
	}
}
