package desk

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

func TestWhatNextInEveryKindOfFeed(t *testing.T) {
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
		{"standing", published(time.Hour, 2), feed.Outgoing{}, "stays in the feed until it is taken back"},
		{"never out", feed.Placement{}, retiring, "waits for an editor to publish it"},
		{"imported, when unknown", feed.Placement{State: feed.StateImported}, retiring, "taken by its consumer; goes out again when its source changes it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := whatNext(tt.placed, &tt.in, now); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMomentsReadWell(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		got  moment
		want string
	}{
		{ago(now.Add(time.Second), now), "just now"}, // clocks differ
		{ago(now.Add(-59*time.Second), now), "59 s ago"},
		{ago(now.Add(-90*time.Minute), now), "1 h ago"},
		{ago(now.Add(-13*time.Hour), now), "19 Nov 23:00"},
		{ago(now.AddDate(-1, 0, 0), now), "20 Nov 2025"},
		{ago(time.Time{}, now), ""},
		{ahead(now.Add(-time.Hour), now), "now"},
		{ahead(now.Add(90*time.Second), now), "in 1 min"},
		{ahead(now.Add(48*time.Hour), now), "22 Nov 12:00"},
		{ahead(time.Time{}, now), ""},
	} {
		if tt.got.Text != tt.want {
			t.Errorf("got %q, want %q", tt.got.Text, tt.want)
		}
	}
}

func TestCanonicalKeepsWhatNamesTheArticle(t *testing.T) {
	for link, want := range map[string]string{
		"https://a.example/1?utm_source=rss&id=5&UTM_campaign=x#c": "https://a.example/1?id=5",
		"https://a.example/1?utm_source=rss":                       "https://a.example/1",
		"https://a.example/1?b=2&a=1":                              "https://a.example/1?b=2&a=1",
		"https://a.example/%zz?utm_source=rss":                     "https://a.example/%zz?utm_source=rss",
		"":                                                         "",
	} {
		if got := canonical(link); got != want {
			t.Errorf("%q became %q, want %q", link, got, want)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	f.Add("https://a.example/1?utm_source=rss&id=5#c")
	f.Add("?&&utm_#")
	f.Fuzz(func(t *testing.T, link string) {
		once := canonical(link)
		if again := canonical(once); again != once {
			t.Errorf("%q became %q and then %q", link, once, again)
		}
	})
}
