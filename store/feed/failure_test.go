package feed_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/feedwire/feedwire/store/feed"
)

func TestEachFailureHasAdvice(t *testing.T) {
	unknown := feed.Advice("?", 0)
	for _, class := range append(feed.FailureClasses(), feed.FailureOutage) {
		if got := feed.Advice(class, 0); got == "" || got == unknown {
			t.Errorf("%s: %q", class, got)
		}
	}
	seen := map[string]int{}
	for _, status := range []int{400, 401, 403, 404, 410} {
		text := feed.Advice(feed.FailureHTTP4xx, status)
		if before := seen[text]; before != 0 {
			t.Errorf("%d has the advice of %d", status, before)
		}
		seen[text] = status
	}
	if got := (&feed.PollState{}).Advice(); got != "" {
		t.Errorf("no failure: %q", got)
	}
}

func TestTextsOfFailuresAreShortAndClean(t *testing.T) {
	err := &feed.PollError{Class: feed.FailureParse, Reason: "bad", Err: errors.New("a\x00\n\xff" + strings.Repeat("ü", 10_000))}
	got := err.Error()
	if len(got) > 600 || !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\n") {
		t.Errorf("got %q", got)
	}
}
