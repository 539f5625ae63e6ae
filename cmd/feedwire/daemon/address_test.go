//go:build !race

package daemon

import (
	"net/http"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

// A source with another address is polled there only, and nothing is signalled or published again.
func TestSourceWithAnotherAddressPublishesNothingAgain(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "")
	old, moved := wiretest.NewOrigin(t), wiretest.NewOrigin(t)
	old.Set("/feed.xml", wiretest.Posts(3)...)
	moved.Set("/new.xml", wiretest.Posts(3)...)
	src := d.add(old.URL+"/feed.xml", map[string]any{"publish": "auto", "feeds": []string{"production"}})
	wiretest.Eventually(t, "published", func() bool { return len(d.articles("feed=production&state=published")) == 3 })
	signals, articles, requests := len(d.signals()), d.articles(""), old.Requests("/feed.xml")

	polled := d.source(src.URL).Poll.LastPoll // the response to the change may be from after the next poll
	d.do(http.MethodPatch, "/api/v1/sources/"+src.ID, map[string]string{"address": moved.URL + "/new.xml"}, &src)
	wiretest.Eventually(t, "polled at its address", func() bool {
		return moved.Requests("/new.xml") > 0 && d.source(src.URL).Poll.LastPoll.After(polled)
	})
	after := d.poll(src)
	if now := d.signals(); len(now) != signals || after.Poll.Entries != 3 {
		t.Errorf("%d signals, want %d: %+v", len(now), signals, now)
	}
	for i, a := range d.articles("") {
		if was := articles[i].Feeds["production"]; a.Feeds["production"].Revision != was.Revision || !a.Feeds["production"].Published.Equal(was.Published) {
			t.Errorf("%s was published again: %+v, before %+v", a.Title, a.Feeds["production"], was)
		}
	}
	moved.SetRaw("/new.xml", []byte("no feed"))
	for range 2 { // a redirect is checked at the old URL while polls fail
		after = d.poll(src)
	}
	if after.Poll.ErrorClass == "" || old.Requests("/feed.xml") != requests {
		t.Errorf("the old URL was polled %d times again: %+v", old.Requests("/feed.xml")-requests, after.Poll)
	}
}
