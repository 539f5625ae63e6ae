package delivery_test

import (
	"fmt"
	"testing"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestNewsInPlaceOfAReplayIsNotMarked(t *testing.T) {
	dial := storetest.Memory(t)
	d, r := newHarness(t, dial), newReader(t, nil)
	id := d.subscribe(r.callback("/cb/1"), "secret/cb/1")
	_, stop := d.run(delivery.Options{Attempts: 1})
	d.news("one", false)
	eventually(t, "the result", func() bool { a, err := d.Hub.Attempts(t.Context(), id); return err == nil && len(a) == 1 })
	stop()
	d.wake = nil
	topic, err := d.Topics.Topic(t.Context(), feed.TopicID(harbour))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Hub.ReplaySubscription(t.Context(), id, 1); err != nil {
		t.Fatal(err)
	}
	d.news("two", false)
	storetest.Commands(t, dial).Do("DEL", fmt.Sprintf("hub:body:%s:%d", topic.ID, topic.Version)) // it expires
	d.run(delivery.Options{})
	eventually(t, "the news", func() bool { return len(r.got()) == 2 })
	if news := r.got()[1]; news.body != "two" || news.header.Get("X-Feedwire-Replay") != "" {
		t.Errorf("got %q with %v", news.body, news.header)
	}
}
