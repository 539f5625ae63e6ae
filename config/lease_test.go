package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
)

func TestTopicsHaveLeases(t *testing.T) {
	c := mustLoad(t, `
hub:
  topic_leases:
    - https://wire.example.net/feed/* 1h 24h 168h
    - http://a.example.org/feed?x=1  90s 90s 2m
`, nil)
	want := []feed.TopicLease{
		{Topics: "https://wire.example.net/feed/*", Lease: feed.Lease{Min: time.Hour, Default: 24 * time.Hour, Max: 168 * time.Hour}},
		{Topics: "http://a.example.org/feed?x=1", Lease: feed.Lease{Min: 90 * time.Second, Default: 90 * time.Second, Max: 2 * time.Minute}},
	}
	if diff := cmp.Diff(want, c.Hub.TopicLeases); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTopicLeasesThatCannotWorkAreRefusedWithTheirPlace(t *testing.T) {
	for lease, want := range map[string]string{
		"https://a.example.org/ 1h 2h":        "has 3 words, not 4",
		"feed/* 1h 2h 3h":                     "not an absolute http or https URL",
		"https://a.example.org/ 1h soon 3h":   `"soon" is not a duration`,
		"https://a.example.org/ 1ms 1h 2h":    "out of range",
		"https://a.example.org/ 1h 3h 2h":     "not in ascending order",
		"https://a.example.org/ 2h 1h 3h":     "not in ascending order",
		"https://a.example.org/ 1h 2h 87600h": "out of range",
	} {
		_, err := load(t, "hub:\n  topic_leases:\n    - "+lease+"\n", nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ":3:") {
			t.Errorf("%s: got %v, want %q with line 3", lease, err, want)
		}
	}
}
