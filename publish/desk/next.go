package desk

import (
	"fmt"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// whatNext says in a sentence what becomes of an article in a feed, by itself or by a person.
func whatNext(p feed.Placement, f *feed.Outgoing, now time.Time) string {
	switch p.State {
	case feed.StatePublished:
		return leaves(p, f, now)
	case feed.StateImported:
		return "taken by its consumer" + when(p.Imported, now) + "; goes out again when its source changes it"
	case feed.StateExpired:
		return "aged out" + when(p.Expired, now) + " before it was taken often enough; can be published again"
	case feed.StateTakenBack:
		return "taken back" + when(p.TakenBack, now) + "; stays out until an editor publishes it again"
	}
	return "waits for an editor to publish it"
}

// leaves says when a published article leaves the feed: with the fetch that makes it imported, or by age.
func leaves(p feed.Placement, f *feed.Outgoing, now time.Time) string {
	left := f.RetireAfter - len(p.Impressions)
	until := p.Published.Add(f.Window)
	hours := span(f.Window)
	switch {
	case f.Window > 0 && !until.After(now):
		return "its " + hours + " are over; about to leave the feed"
	case f.Window > 0 && f.RetireAfter > 0:
		return fmt.Sprintf("leaves the feed after %s, or %s when its %s are over", fetches(left), at(until, now), hours)
	case f.RetireAfter > 0:
		return "leaves the feed after " + fetches(left)
	case f.Window > 0:
		return fmt.Sprintf("stays in the feed; leaves it %s when its %s are over", at(until, now), hours)
	}
	return "stays in the feed until it is taken back"
}

func fetches(left int) string {
	if left <= 1 {
		return "1 more fetch"
	}
	return fmt.Sprintf("%d more fetches", left)
}

// at puts a time to come into a sentence: "at 13:00", "on 21 Nov 10:04".
func at(t, now time.Time) string {
	text := clock(t, now)
	if len(text) == len("15:04") {
		return "at " + text
	}
	return "on " + text
}

// when puts a time that has been behind a verb, where it is known.
func when(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " " + ago(t, now).Text
}
