package placement

import (
	"fmt"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Next returns what happens next to an article in a feed.
func Next(p feed.Placement, f *feed.Outgoing, now time.Time) string {
	switch p.State {
	case feed.StatePublished:
		return leaves(p, f, now)
	case feed.StateImported:
		return "imported" + When(p.Imported, now) + "; published again if its source changes it"
	case feed.StateExpired:
		return "expired" + When(p.Expired, now) + " before it was fetched often enough; can be published again"
	case feed.StateWithdrawn:
		return "withdrawn" + When(p.Withdrawn, now) + "; stays out until an editor publishes it again"
	}
	return "waits for an editor to publish it"
}

// leaves returns when a published article leaves the feed: imported after a fetch, or expired.
func leaves(p feed.Placement, f *feed.Outgoing, now time.Time) string {
	left := max(1, f.RetireAfter-len(p.Impressions))
	fetches := fmt.Sprintf("%d more %s", left, web.Pick(left, "fetch", "fetches"))
	end := p.Published.Add(f.Window)
	window := web.Span(f.Window)
	switch {
	case f.Window > 0 && !end.After(now):
		return "its " + window + " are over; about to leave the feed"
	case f.Window > 0 && f.RetireAfter > 0:
		return fmt.Sprintf("leaves the feed after %s, or %s when its %s are over", fetches, at(end, now), window)
	case f.RetireAfter > 0:
		return "leaves the feed after " + fetches
	case f.Window > 0:
		return fmt.Sprintf("stays in the feed; leaves it %s when its %s are over", at(end, now), window)
	}
	return "stays in the feed until it is withdrawn"
}

// at returns a future time within a sentence: "at 13:00", "on 21 Nov 10:04".
func at(t, now time.Time) string {
	text := web.Clock(t, now)
	if len(text) == len("15:04") {
		return "at " + text
	}
	return "on " + text
}

// When returns a past time to follow a verb, or "".
func When(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " " + web.Ago(t, now).Text
}
