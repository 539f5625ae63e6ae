//go:build !race

package daemon

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// An account follows an address with its token, new entries reach its timeline, and its removal leaves nothing that names it.
func TestFollowedAddressReachesTheTimelineUntilTheAccountIsRemoved(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "fetch: {allow_networks: [127.0.0.0/8], min_interval: 0s}\n")
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "ann", "role": "viewer"}, nil)
	_, token, err := d.app.people.CreateToken(t.Context(), &feed.Visitor{Name: "ann"}, "reader", []feed.Scope{feed.ScopeFollows}, 0)
	if err != nil {
		t.Fatal(err)
	}
	ann := *d
	ann.Client = client.New(d.Base, token, time.Minute)
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(2)...)

	var follow struct{ ID string }
	ann.do(http.MethodPost, "/api/v1/me/follows", map[string]string{"url": web.URL + "/feed.xml"}, &follow)
	titles := func() (all []string) {
		var page feed.Page[feed.Entry]
		ann.do(http.MethodGet, "/api/v1/me/feed", nil, &page)
		for i := range page.Items {
			all = append(all, page.Items[i].Title)
		}
		return all
	}
	wiretest.Eventually(t, "two entries", func() bool { return len(titles()) == 2 })
	web.Set("/feed.xml", wiretest.Posts(3)...)
	d.poll(feed.Source{ID: follow.ID})
	wiretest.Eventually(t, "the new entry", func() bool { return len(titles()) == 3 })
	if articles := d.articles("feed=production&state=published"); len(articles) != 0 {
		t.Errorf("the followed source is published: %+v", articles)
	}

	d.do(http.MethodDelete, "/api/v1/users/ann", nil, nil)
	raw := storetest.Commands(t, redis.Dial)
	left := slices.DeleteFunc(raw.Strings("KEYS", "*"), func(key string) bool {
		return !strings.HasPrefix(key, "user.") && !strings.HasPrefix(key, "feed:user:") && !strings.HasSuffix(key, ":followers")
	})
	if len(left) != 0 {
		t.Errorf("after the removal there are %v", left)
	}
}

// E11: an entry with a date in the future has the time at which it was received, so newer ones come before it.
func TestE11EntriesOfTheFutureDoNotStayOnTop(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "fetch: {allow_networks: [127.0.0.0/8], min_interval: 0s}\n")
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "ann", "role": "viewer"}, nil)
	web := wiretest.NewOrigin(t)
	set := func(titles ...string) {
		text := `<rss version="2.0"><channel><title>T</title>`
		for _, title := range titles {
			date := map[string]string{"future": "Fri, 01 Jan 2100 00:00:00 GMT", "old": "Tue, 05 Nov 1605 00:00:00 GMT"}[title]
			text += "<item><guid>" + title + "</guid><title>" + title + "</title><pubDate>" + date + "</pubDate></item>"
		}
		web.SetRaw("/feed.xml", []byte(text+"</channel></rss>"))
	}
	set("old", "future")
	src := d.add(web.URL+"/feed.xml", nil)
	d.do(http.MethodPut, "/api/v1/me/follows/"+src.ID+"?user=ann", map[string]string{}, nil)
	titles := func() (all []string) {
		var page feed.Page[feed.Entry]
		d.do(http.MethodGet, "/api/v1/me/feed?user=ann", nil, &page)
		for i := range page.Items {
			all = append(all, page.Items[i].Title)
		}
		return all
	}
	if got := titles(); !slices.Equal(got, []string{"future", "old"}) {
		t.Fatalf("the timeline has %v", got)
	}
	set("new", "old", "future")
	wiretest.Eventually(t, "the new entry is the first one", func() bool {
		d.poll(src)
		return slices.Equal(titles(), []string{"new", "future", "old"})
	})
}
