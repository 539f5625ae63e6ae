package feed_test

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
)

const blog = "https://blog.example/feed?a=b&c=d"

func TestFiltersAreNamesOfTopics(t *testing.T) {
	for _, c := range []struct {
		filter feed.SignalFilter
		topic  string
		back   feed.SignalFilter
	}{
		{feed.SignalFilter{}, "feedwire:signals?", feed.SignalFilter{}},
		{feed.SignalFilter{Kinds: feed.DefaultSignalKinds()}, "feedwire:signals?", feed.SignalFilter{}},
		{
			feed.SignalFilter{Kinds: feed.SignalKinds()},
			"feedwire:signals?kind=feed_created&kind=feed_modified&kind=post_created&kind=post_modified&kind=post_deleted&kind=comment_created",
			feed.SignalFilter{Kinds: feed.SignalKinds()},
		},
		{
			feed.SignalFilter{Kinds: []feed.SignalKind{feed.PostModified, feed.FeedCreated, feed.PostModified}, Source: blog},
			"feedwire:signals?kind=feed_created&kind=post_modified&source=https%3A%2F%2Fblog.example%2Ffeed%3Fa%3Db%26c%3Dd",
			feed.SignalFilter{Kinds: []feed.SignalKind{feed.FeedCreated, feed.PostModified}, Source: blog},
		},
	} {
		topic := c.filter.Topic()
		back, ok := feed.ParseSignalTopic(topic)
		if topic != c.topic || !ok || !cmp.Equal(back, c.back) {
			t.Errorf("%+v is %s, which is %+v, %v", c.filter, topic, back, ok)
		}
	}
	for _, other := range []string{
		"", blog, "feedwire:signals", "feedwire:signals?x=y", "feedwire:signals?kind=post_erased", "feedwire:signals?%",
		"feedwire:signals?kind=post_modified&kind=feed_created",
	} {
		if f, ok := feed.ParseSignalTopic(other); ok {
			t.Errorf("%q is taken for the filter %+v", other, f)
		}
	}
}

// Whatever a filter is, the topics of a source's signals hold it exactly where it may take one of them.
func TestSignalTopicsAreThoseOfAllFilters(t *testing.T) {
	topics := append(feed.SignalTopics(blog), feed.SignalTopics("")...)
	if unique := slices.Compact(slices.Sorted(slices.Values(topics))); len(unique) != len(topics) || len(topics) != 126 {
		t.Errorf("there are %d topics, %d different ones", len(topics), len(unique))
	}
	for _, topic := range topics {
		f, ok := feed.ParseSignalTopic(topic)
		if !ok {
			t.Errorf("%s is no filter", topic)
		}
		for _, kind := range feed.SignalKinds() {
			s := feed.Signal{Kind: kind, FeedURL: blog}
			if f.Matches(&s) != (len(f.Kinds) == 0 && kind != feed.CommentCreated || slices.Contains(f.Kinds, kind)) {
				t.Errorf("%s takes %s: %v", topic, kind, f.Matches(&s))
			}
			if s.FeedURL = "https://other.example/"; f.Source != "" && f.Matches(&s) {
				t.Errorf("%s takes a signal of another source", topic)
			}
		}
	}
}

func TestWebhookSecretsAreChecked(t *testing.T) {
	if key, err := feed.WebhookKey(feed.NewWebhookSecret()); err != nil || len(key) != 32 {
		t.Errorf("a new secret is %d bytes, %v", len(key), err)
	}
	of := func(n int) string { return "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	for secret, good := range map[string]bool{
		of(24): true, of(64): true, of(23): false, of(65): false, "": false, "whsec_": false, "whsec_%": false,
		strings.TrimPrefix(of(32), "whsec_"): false,
	} {
		if _, err := feed.WebhookKey(secret); (err == nil) != good || err != nil && !errors.Is(err, feed.ErrInvalid) {
			t.Errorf("%q: %v", secret, err)
		}
	}
}
