package topics_test

import (
	"context"
	"testing"

	"github.com/feedwire/feedwire/signals/topics"
	"github.com/feedwire/feedwire/store/feed"
)

// movedStore is a store of a catalog with subscribers of some topics.
type movedStore struct {
	catalogStore
	urls       []string
	subscribed map[string]bool
}

func (s *movedStore) AddPublicURL(_ context.Context, url string) ([]string, error) {
	for _, known := range s.urls {
		if known == url {
			return append([]string(nil), s.urls...), nil
		}
	}
	s.urls = append(s.urls, url)
	return append([]string(nil), s.urls...), nil
}

func (s *movedStore) ForgetPublicURL(_ context.Context, url string) error {
	for i, known := range s.urls {
		if known == url {
			s.urls = append(s.urls[:i:i], s.urls[i+1:]...)
		}
	}
	return nil
}

func (s *movedStore) HaveSubscribers(_ context.Context, topics []string) (have []bool, err error) {
	for _, topic := range topics {
		have = append(have, s.subscribed[topic])
	}
	return have, nil
}

func TestTopicsOfAFormerPublicURLAreAliasesWhileTheyHaveSubscribers(t *testing.T) {
	const before, now = "https://old.example/wire", "https://new.example"
	s := &movedStore{urls: []string{before}, subscribed: map[string]bool{before + "/feed/production": true}}
	c := topics.New(s, topics.Options{PublicURL: now, Republished: noFeeds{}, Outgoing: outgoing{now + "/feed/production": "production"}})
	served := func() (all []string) {
		for _, s := range c.Served() {
			all = append(all, s.Topic)
		}
		return all
	}
	resolve := func(topic, want string) {
		t.Helper()
		if got, _ := c.ResolveTopic(t.Context(), topic); got != want {
			t.Errorf("%s is %q, want %q", topic, got, want)
		}
	}
	resolve(before+"/feed/production", before+"/feed/production")
	resolve(now+"/feed/production", now+"/feed/production")
	resolve(before+"/feed/other", "")
	if got := served(); len(got) != 2 || got[1] != before+"/feed/production" {
		t.Errorf("distributed are %v", got)
	}
	if err := c.UpdateAliases(t.Context(), []feed.Topic{{URL: before + "/feed/production"}}); err != nil || len(s.urls) != 2 {
		t.Errorf("the public URLs are %v, %v", s.urls, err)
	}
	s.subscribed = nil // the leases have ended
	resolve(before+"/feed/production", "")
	for range 2 {
		if err := c.UpdateAliases(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := served(); len(got) != 1 || len(s.urls) != 1 {
		t.Errorf("distributed are %v, the public URLs are %v", got, s.urls)
	}
}
