package placement

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

func TestNextInEveryKindOfFeed(t *testing.T) {
	now := time.Date(2026, 12, 31, 20, 0, 0, 0, time.UTC)
	published := func(ago time.Duration, impressions int) feed.Placement {
		return feed.Placement{
			State: feed.StatePublished, Published: now.Add(-ago), Impressions: make([]time.Time, impressions),
		}
	}
	retiring := feed.Outgoing{Window: 24 * time.Hour, RetireAfter: 4}
	for _, tt := range []struct {
		name   string
		placed feed.Placement
		in     feed.Outgoing
		want   string
	}{
		{"counted", published(22*time.Hour, 0), retiring, "leaves the feed after 4 more fetches, or at 22:00 when its 24 h are over"},
		{"over the year", published(0, 3), retiring, "leaves the feed after 1 more fetch, or on 1 Jan 2027 when its 24 h are over"},
		{"about to be promoted", published(22*time.Hour, 4), retiring, "leaves the feed after 1 more fetch, or at 22:00 when its 24 h are over"},
		{"too old", published(25*time.Hour, 1), retiring, "its 24 h are over; about to leave the feed"},
		{"by age only", published(22*time.Hour, 9), feed.Outgoing{Window: 24 * time.Hour}, "stays in the feed; leaves it at 22:00 when its 24 h are over"},
		{"by fetches only", published(time.Hour, 2), feed.Outgoing{RetireAfter: 4}, "leaves the feed after 2 more fetches"},
		{"standing", published(time.Hour, 2), feed.Outgoing{}, "stays in the feed until it is withdrawn"},
		{"never out", feed.Placement{}, retiring, "waits for an editor to publish it"},
		{"imported, when unknown", feed.Placement{State: feed.StateImported}, retiring, "imported; published again if its source changes it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Next(tt.placed, &tt.in, now); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
