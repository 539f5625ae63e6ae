package daemon

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/store/storetest"
)

// listReader subscribes to lists, each at a path with the name of the list.
type listReader struct {
	*reloader
	*reader
}

func (l *listReader) topic(list string) string {
	return l.app.cfg().PublicURL + "/lists/" + list + ".json"
}

// requests sends a request for the topic of a list.
func (l *listReader) requests(mode, list, path string) (int, string) {
	return l.hub(url.Values{"hub.mode": {mode}, "hub.topic": {l.topic(list)}, "hub.callback": {l.URL + path}})
}

// active returns the paths that have subscriptions.
func (l *listReader) active() (paths []string) {
	found, err := l.app.store.Hub.Subscriptions(l.t.Context(), "", "", 10)
	if err != nil {
		l.t.Fatal(err)
	}
	for _, sub := range found {
		paths = append(paths, strings.TrimPrefix(sub.Callback, l.URL))
	}
	slices.Sort(paths)
	return paths
}

// denied returns the reasons of the denials of a list.
func (l *listReader) denied(list string) (reasons []string) {
	for _, q := range l.asked() {
		if q.Get("hub.mode") == "denied" && q.Get("hub.topic") == l.topic(list) {
			reasons = append(reasons, q.Get("hub.reason"))
		}
	}
	return reasons
}

// received returns what a path received.
func (l *listReader) received(path string) (bodies []string) {
	for _, d := range l.deliveries() {
		if d.URL.Path == path {
			bodies = append(bodies, d.Form.Get("body"))
		}
	}
	return bodies
}

// await waits until the subscribers of lists have received the title of an entry last.
func (l *listReader) await(title string, lists ...string) {
	l.t.Helper()
	var checked time.Time
	wiretest.Eventually(l.t, title+" at the subscribers", func() bool {
		if time.Since(checked) > 200*time.Millisecond { // each check reads all lists
			l.app.engine.CheckLists()
			checked = time.Now()
		}
		return !slices.ContainsFunc(lists, func(list string) bool {
			got := l.received("/" + list)
			return len(got) == 0 || !strings.Contains(got[len(got)-1], title)
		})
	})
}

// ends waits until the subscription to a list is denied, and only those at some paths are left.
func (l *listReader) ends(list string, rest ...string) {
	l.t.Helper()
	wiretest.Eventually(l.t, "the denial of "+list, func() bool { return len(l.denied(list)) > 0 && slices.Equal(l.active(), rest) })
	if got := l.denied(list); !slices.Equal(got, []string{"the topic is no longer distributed here"}) {
		l.t.Errorf("%s is denied for %q", list, got)
	}
	if code, reason := l.requests("subscribe", list, "/again"); code != http.StatusNotFound || !strings.HasPrefix(reason, "hub.topic: ") {
		l.t.Errorf("a subscription to %s got %d %q", list, code, reason)
	}
	if code, _ := l.requests("unsubscribe", list, "/"+list); code != http.StatusAccepted {
		l.t.Errorf("unsubscribing from %s got %d", list, code)
	}
}

// WebSub 5.2. A second hub of the same store checks for removed topics more often than that of the daemon.
func TestSubscribersOfAListThatEndsAreDenied(t *testing.T) {
	t.Parallel()
	const ruled = politeness + "groups: {ruled: \"title:post\"}\n"
	l := &listReader{startReloader(t, storetest.RedisAOF(t), ""), newReader(t)}
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(1)...)
	l.must(ruled)
	source := l.add(web.URL+"/feed.xml", map[string]any{"feeds": []string{}})
	fill := func(number string) {
		l.arranges("front", "Front page", number)
		l.do(http.MethodPut, "/api/v1/groups/sport/entries/"+number, nil, nil)
	}
	fill("1")
	wiretest.Eventually(t, "the group by rule", func() bool { return l.status("/lists/ruled") == http.StatusOK })
	for _, list := range []string{"front", "sport", "ruled", "time"} {
		l.subscribes(l.reader, l.topic(list), l.URL+"/"+list)
	}
	l.subscribes(l.reader, l.topic("front"), l.URL+"/leaves")
	l.await("Post 0", "front", "sport", "ruled", "time", "leaves")

	l.do(http.MethodDelete, "/api/v1/lists/front", nil, nil)
	if code, reason := l.requests("unsubscribe", "front", "/leaves"); code != http.StatusAccepted {
		t.Errorf("unsubscribing before the denial got %d %s", code, reason)
	}
	wiretest.Eventually(t, "unsubscribed", func() bool { return slices.Equal(l.active(), []string{"/front", "/ruled", "/sport", "/time"}) })
	second := hub.NewFront(l.app.store.Nouns(), l.app.catalog, l.app.outgoing(l.app.callbackNetworks), hub.FrontOptions{RemovedEvery: 200 * time.Millisecond})
	var running sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	running.Go(func() { _ = second.Run(ctx) })
	t.Cleanup(running.Wait)
	t.Cleanup(cancel)
	l.ends("front", "/ruled", "/sport", "/time")
	l.do(http.MethodDelete, "/api/v1/groups/sport", nil, nil)
	l.ends("sport", "/ruled", "/time")

	// Lists with the same names have no subscribers. A group that loses its rule stays a list.
	l.must(politeness)
	web.Set("/feed.xml", wiretest.Posts(2)...)
	l.do(http.MethodPost, "/api/v1/sources/"+source.ID+"/poll", nil, nil)
	wiretest.Eventually(t, "another entry", func() bool {
		return l.Call(t.Context(), http.MethodGet, "/api/v1/entries/2", nil, nil) == nil
	})
	before := len(l.received("/front")) + len(l.received("/sport"))
	fill("2")
	l.do(http.MethodPut, "/api/v1/groups/ruled/entries/2", nil, nil)
	l.await("Post 1", "ruled", "time")
	l.must(politeness + "lists: {public: false}\n")
	l.ends("time")
	l.ends("ruled")
	if got := len(l.received("/front")) + len(l.received("/sport")); got != before {
		t.Errorf("after the denial the subscribers got %d messages", got-before)
	}
}
