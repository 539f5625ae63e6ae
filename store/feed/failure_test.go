package feed_test

import (
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

func TestEachFailureHasAWayOut(t *testing.T) {
	unknown := feed.Advice("?", 0)
	for _, class := range []feed.FailureClass{
		feed.FailureDNS, feed.FailureConnect, feed.FailureTLS, feed.FailureTimeout, feed.FailureBlockedAddress, feed.FailureRedirectLimit,
		feed.FailureHTTP4xx, feed.FailureHTTP429, feed.FailureHTTP5xx, feed.FailureTooLarge, feed.FailureNotAFeed, feed.FailureParse,
		feed.FailureLimits, feed.FailureStore, feed.FailureOutage,
	} {
		if got := feed.Advice(class, 0); got == "" || got == unknown {
			t.Errorf("%s: %q", class, got)
		}
	}
	seen := map[string]int{}
	for _, status := range []int{400, 401, 403, 404, 410} {
		text := feed.Advice(feed.FailureHTTP4xx, status)
		if before := seen[text]; before != 0 {
			t.Errorf("%d has the way out of %d", status, before)
		}
		seen[text] = status
	}
	if got := (&feed.PollState{}).Advice(); got != "" {
		t.Errorf("no failure: %q", got)
	}
}
