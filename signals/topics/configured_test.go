package topics_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/feedwire/feedwire/signals/topics"
	"github.com/feedwire/feedwire/store/feed"
)

// outgoing are outgoing feeds: names by topics.
type outgoing map[string]string

func (o outgoing) Topics() map[string]string { return o }

func (o outgoing) Document(_ context.Context, name string) (feed.Distribution, error) {
	return feed.Distribution{Topic: name}, nil
}

func TestOutgoingFeedsAreInTheOrderOfTheirTopics(t *testing.T) {
	feeds := make(outgoing)
	for n := range 20 {
		feeds[fmt.Sprintf("http://x.example/%02d", n)] = fmt.Sprint(n)
	}
	c := topics.New(nil, topics.Options{Outgoing: feeds})
	pings, served := c.Pings([]string{"http://hub.example/"}), c.Served()
	for n := range 20 {
		topic := fmt.Sprintf("http://x.example/%02d", n)
		if d, err := served[n].Get(t.Context()); served[n].Topic != topic || pings[n].Topic != topic || d.Topic != fmt.Sprint(n) || err != nil {
			t.Errorf("%d: got %s, which serves %s, and %s", n, served[n].Topic, d.Topic, pings[n].Topic)
		}
	}
}
