package topics_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/signals/topics"
	"github.com/feedwire/feedwire/store/feed"
)

// listStore has the list sport, whose topics have subscribers.
type listStore struct {
	topics.Store
	subscribed bool
}

func (listStore) Lists(context.Context) ([]feed.EntryList, error) {
	return []feed.EntryList{{Name: "sport"}}, nil
}

func (listStore) AddPublicURL(context.Context, string) ([]string, error) {
	return []string{"https://old.example", "https://new.example"}, nil
}

func (s listStore) HaveSubscribers(_ context.Context, topics []string) ([]bool, error) {
	return slices.Repeat([]bool{s.subscribed}, len(topics)), nil
}

// listFeeds are the feeds of the list sport in one format.
type listFeeds struct{ noFeeds }

func (listFeeds) ListURLs(list string) []string {
	return []string{"https://new.example/lists/" + list + ".rss"}
}

func (listFeeds) ListOf(topic string) string {
	list, _ := feed.CutListFormat(strings.TrimPrefix(topic, "https://new.example/lists/"))
	if strings.Contains(list, "/") {
		return ""
	}
	return list
}

func (listFeeds) Document(_ context.Context, topic string) (feed.Distribution, error) {
	if !strings.HasSuffix(topic, "/sport.rss") {
		return feed.Distribution{}, feed.ErrNotFound
	}
	return feed.Distribution{Topic: topic, Body: []byte("sport")}, nil
}

func TestFeedsOfListsAreTopics(t *testing.T) {
	c := topics.New(listStore{subscribed: true}, topics.Options{PublicURL: "https://new.example", Outgoing: noFeeds{}, Republished: listFeeds{}})
	const topic, former = "https://new.example/lists/sport.rss", "https://old.example/lists/sport.rss"
	for _, url := range []string{topic, former} {
		if got, err := c.ResolveTopic(t.Context(), url); got != url || err != nil {
			t.Errorf("%s is %q, %v", url, got, err)
		}
		if d, err := c.Document(t.Context(), url, feed.EntryRange{}); string(d.Body) != "sport" || err != nil {
			t.Errorf("%s has %q, %v", url, d.Body, err)
		}
		if err := c.RefreshTopic(t.Context(), url); err != nil {
			t.Errorf("refresh of %s: %v", url, err)
		}
	}
	if _, err := c.ResolveTopic(t.Context(), "https://new.example/lists/other.rss"); !errors.Is(err, feed.ErrNotFound) {
		t.Errorf("an unknown list: %v", err)
	}
	served, err := c.Lists(t.Context())
	if err != nil || len(served) != 2 || served[0].Topic != topic || served[1].Topic != former {
		t.Fatalf("the lists are %+v, %v", served, err)
	}
	for _, s := range served {
		if d, err := s.Get(t.Context()); string(d.Body) != "sport" || err != nil {
			t.Errorf("%s is distributed as %q, %v", s.Topic, d.Body, err)
		}
	}
}
