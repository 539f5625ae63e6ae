package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish/desk/feeds"
	"github.com/feedwire/feedwire/store/feed"
)

// Five sources, votes, a list, an outgoing feed of the list and its consumer; and a subscriber of the list.
func TestVotedEntriesLeaveAsAFeed(t *testing.T) {
	t.Parallel()
	p := wiretest.BuildProgram(t, "hub: {allow_networks: [127.0.0.0/8]}\nfeeds:\n  partner:\n    profile: instant-articles\n    from: list:sport\n    top: 2\n")
	p.Start()
	p.Ready()
	c, base := p.Client(), "http://"+p.Address
	do := func(method, path string, in, out any) {
		t.Helper()
		if err := c.Call(t.Context(), method, path, in, out); err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	var entries []string // numbers by source
	for i := range 5 {
		web := wiretest.NewOrigin(t)
		web.Set("/feed.xml", wiretest.Post(guidOf(i), titleOf(i), "<p>A match.</p>"))
		var src feed.Source
		do(http.MethodPost, "/api/v1/sources", map[string]any{"url": web.URL + "/feed.xml", "feeds": []string{}}, &src)
		var page feed.Page[feed.Entry]
		wiretest.Eventually(t, "the entry of a source", func() bool {
			do(http.MethodGet, "/api/v1/sources/"+src.ID+"/entries", nil, &page)
			return len(page.Items) == 1
		})
		entries = append(entries, page.Items[0].Number())
		do(http.MethodPut, "/api/v1/groups/sport/entries/"+entries[i], nil, nil)
	}
	for user := range 3 {
		do(http.MethodPost, "/api/v1/users", map[string]string{"name": fmt.Sprint("user", user), "role": "member"}, nil)
	}
	vote := func(i, user int) {
		t.Helper()
		do(http.MethodPut, fmt.Sprintf("/api/v1/entries/%s/vote?user=user%d", entries[i], user), map[string]string{"vote": "up"}, nil)
	}
	for user := range 3 {
		vote(3, user)
	}
	vote(1, 0)
	vote(1, 1)
	do(http.MethodPost, "/-/reload", nil, nil) // reads the list at once, otherwise within a minute

	l := newListener(t)
	topic := base + "/lists/sport.json"
	resp, err := http.PostForm(base+"/hub", url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {l.URL + "/list"}})
	if err != nil || resp.StatusCode != http.StatusAccepted {
		t.Fatalf("subscribe: %v, %v", resp, err)
	}
	_ = resp.Body.Close()

	fetch := func(agent string) []string {
		t.Helper()
		guids, err := wiretest.Crawl(http.DefaultClient, base+"/feed/partner", agent)
		if err != nil {
			t.Fatal(err)
		}
		return guids
	}
	wiretest.Eventually(t, "the feed has the first two of the list", func() bool { return len(fetch("test")) == 2 })
	states := func() map[feed.State]int {
		var all feed.Page[feeds.Feed]
		do(http.MethodGet, "/api/v1/feeds", nil, &all)
		return all.Items[0].Articles
	}
	for n := 1; n <= feed.ImportAfter; n++ {
		guids := fetch(wiretest.Facebook)
		if len(guids) != 2 {
			t.Fatalf("fetch %d has %v", n, guids)
		}
		wiretest.Eventually(t, "the fetch is counted", func() bool {
			var articles feed.Page[feed.Article]
			do(http.MethodGet, "/api/v1/articles", nil, &articles)
			return len(articles.Items) == 2 && !slices.ContainsFunc(articles.Items, func(a feed.Article) bool {
				place := a.Feeds["partner"]
				return len(place.Impressions) < n && place.State != feed.StateImported
			})
		})
	}
	if got := states(); got[feed.StateImported] != 2 || len(fetch("test")) != 0 {
		t.Errorf("after %d fetches the articles are %v", feed.ImportAfter, got)
	}

	wiretest.Eventually(t, "the subscriber has the list", func() bool { return l.first("/list", titleOf(3)) })
	changed := time.Now()
	for user := range 3 {
		vote(1, user) // as many votes as the first one; the next votes decide
		do(http.MethodPut, fmt.Sprintf("/api/v1/entries/%s/vote?user=user%d", entries[3], user), map[string]string{"vote": "down"}, nil)
	}
	wiretest.Eventually(t, "the subscriber has the new order", func() bool { return l.first("/list", titleOf(1)) })
	if took := time.Since(changed); took > 75*time.Second { // the next minute begins in up to 60 s
		t.Errorf("the subscriber has the new order after %v", took)
	}
}

// first reports whether the last message to a path has the title before all others.
func (l *listener) first(path, title string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.got[path]
	if len(all) == 0 {
		return false
	}
	prefix, _, _ := strings.Cut(titleOf(0), "0")
	last := all[len(all)-1]
	return strings.Contains(last, title) && strings.Index(last, title) == strings.Index(last, prefix)
}
