//go:build !race

package readers_test

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
)

// follow300 makes ann follow 300 sources that have 10,000 entries.
func (a *app) follow300() {
	a.t.Helper()
	for i := range 300 {
		a.followNumber(i)
	}
	for i := range 10_000 {
		a.publish(i%300, i)
	}
}

// The first sync of NetNewsWire, FeedMe and Reeder with 10,000 unread entries, and then one with a few changes.
func TestAppsSyncTenThousandEntries(t *testing.T) {
	a := newApp(t)
	a.follow300()
	a.mount = "/api/greader.php"
	// NetNewsWire: tags, subscriptions, the ids of unread, starred and recent entries in pages of 1,000, contents in calls of 150.
	if n := len(get[subscriptions](a, "/reader/api/0/subscription/list?output=json").Subscriptions); n != 300 {
		t.Fatalf("%d subscriptions", n)
	}
	unread := a.ids(unreadOf + "&n=1000")
	if sorted := slices.Compact(slices.Sorted(slices.Values(unread))); len(sorted) != 10_000 || len(unread) != 10_000 {
		t.Fatalf("%d unread entries, %d different ones", len(unread), len(sorted))
	}
	if n := len(a.ids(allItems + "&n=1000&ot=1")); n != 10_000 {
		t.Errorf("%d entries", n)
	}
	if n := len(a.contents(unread[:1500], 150, shortForm)); n != 1500 {
		t.Errorf("%d contents", n)
	}
	// Reeder: all ids at once, contents with bare ids, 1,000 entries marked in one call.
	if n := len(a.ids(unreadOf + "&n=10000")); n != 10_000 {
		t.Errorf("%d ids at once", n)
	}
	if n := len(a.contents(unread[:1000], 1000, hexForm)); n != 1000 {
		t.Errorf("%d contents in one call", n)
	}
	a.edit(unread[:1000], hexForm, "read", "")
	// FeedMe: counts, and contents of streams.
	page := get[stream](a, "/reader/api/0/stream/contents/"+state+"reading-list?n=500&xt="+state+"read")
	if len(page.Items) != 500 || page.Continuation == "" {
		t.Errorf("%d items, then %q", len(page.Items), page.Continuation)
	}
	if n := len(a.ids("s=user/-/label/Folder%203&n=1000&xt=" + state + "read")); n == 0 || n > 1500 {
		t.Errorf("%d unread entries of a label", n)
	}
	// Later.
	a.publish(0, 10_000)
	if n := len(a.ids(unreadOf + "&n=1000")); n != 9001 {
		t.Errorf("%d unread entries later", n)
	}
	a.edit(unread, decimalForm, "read", "")
	if n := len(a.ids(unreadOf)); n != 1 {
		t.Errorf("%d unread entries after 10,000 were marked in one call", n)
	}
	a.call(http.StatusOK, "/reader/api/0/mark-all-as-read", url.Values{"s": {state + "reading-list"}})
	if n := len(a.ids(unreadOf)); n != 0 {
		t.Errorf("%d unread entries after all were read", n)
	}
}
