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
			"feedwire:signals?kind=feed_created&kind=feed_modified&kind=post_created&kind=post_modified&kind=post_deleted&kind=comment_created&kind=entry_voted&kind=list_modified",
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

func TestFilterSelectsItsKindsOfItsSource(t *testing.T) {
	for _, kind := range feed.SignalKinds() {
		s := feed.Signal{Kind: kind, FeedURL: blog}
		for filter, want := range map[*feed.SignalFilter]bool{
			{}: kind.OfSource(),
			{Kinds: []feed.SignalKind{kind}, Source: blog}:                                                    true,
			{Kinds: []feed.SignalKind{kind}, Source: "https://other.example/"}:                                false,
			{Kinds: slices.DeleteFunc(feed.SignalKinds(), func(k feed.SignalKind) bool { return k == kind })}: false,
		} {
			if filter.Matches(&s) != want {
				t.Errorf("%s selects %s: %v", filter, kind, !want)
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
