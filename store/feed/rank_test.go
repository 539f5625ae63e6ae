package feed_test

import (
	"math"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const second = time.Second

// near fails the test unless two numbers agree in six digits after the point.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 5e-7 {
		t.Errorf("%s is %.6f, want %.6f", what, got, want)
	}
}

// The values are those of lamernews for the same votes and ages.
func TestLamerNewsGolden(t *testing.T) {
	for _, g := range []struct {
		up, down int
		want     float64
	}{{1, 0, 1}, {21, 1, 20}, {23, 0, 23}, {11, 11, 0}, {12, 12, 1.386294}, {40, 10, 35.416100}} {
		near(t, "score", feed.LamerNewsScore(g.up, g.down), g.want)
	}
	for _, g := range []struct {
		score float64
		age   time.Duration
		want  float64
	}{
		{1, 0, 12.435644}, {10, 0, 124.356435}, {10, 3600 * second, 109.244728}, {10, 86400 * second, 27.064641}, {-3, 0, -37.306931},
		{10, 2592000 * second, 0.870408}, {10, 2592001 * second, -2592001},
	} {
		near(t, "rank", feed.LamerNewsRank(g.score, g.age), g.want)
	}
}

// The values were computed from the formula by another program.
func TestHackerNewsGolden(t *testing.T) {
	for _, g := range []struct {
		points int
		age    time.Duration
		want   float64
	}{
		{1, 0, 0}, {2, 0, 0.287175}, {101, 0, 11.432626}, {101, time.Hour, 5.510382}, {101, 24 * time.Hour, 0.112992}, {0, 0, -0.287175}, {-4, time.Hour, -0.692073},
	} {
		near(t, "rank", feed.HackerNewsRank(g.points, g.age), g.want)
	}
}

// The values were computed from the formula by another program.
func TestWilsonGolden(t *testing.T) {
	for _, g := range []struct {
		up, down int
		want     float64
	}{{0, 0, 0}, {1, 0, 0.378448}, {0, 1, 0}, {10, 0, 0.858931}, {100, 0, 0.983842}, {1, 1, 0.164252}, {60, 40, 0.536090}, {600, 400, 0.579998}} {
		near(t, "bound", feed.WilsonScore(g.up, g.down), g.want)
	}
}

func TestCountsAreOrderedByTimeAmongEquals(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	older, newer, more := feed.CountRank(3, noon), feed.CountRank(3, noon.Add(second)), feed.CountRank(4, noon.AddDate(-50, 0, 0))
	if older >= newer || newer >= more {
		t.Errorf("ranks %v, %v, %v are not ascending", older, newer, more)
	}
}

// Each ranking of a list, at the ages at which it changes.
func TestRankingsOfLists(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	all := make(map[string]*feed.Ranking)
	rankings := feed.Rankings()
	for i := range rankings {
		all[rankings[i].Name] = &rankings[i]
	}
	liked := feed.Tally{Votes: 30, Up: 40, Posted: noon}
	near(t, "top", all["top"].Rank(&liked, noon.Add(time.Hour)), feed.LamerNewsRank(35.4161004022, time.Hour))
	near(t, "hot", all["hot"].Rank(&liked, noon.Add(time.Hour)), feed.HackerNewsRank(31, time.Hour))
	near(t, "best", all["best"].Rank(&liked, noon.Add(time.Hour)), feed.WilsonScore(40, 10))
	near(t, "ahead of the clock", all["hot"].Rank(&liked, noon.Add(-time.Hour)), feed.HackerNewsRank(31, 0))
	own := feed.Tally{Votes: 1, Up: 1, Posted: noon, ByUser: true}
	near(t, "hot with the vote of the author alone", all["hot"].Rank(&own, noon), 0)
	for name, window := range map[string]time.Duration{"day": day, "week": 7 * day, "month": 30 * day} {
		near(t, name, all[name].Rank(&liked, noon.Add(window)), feed.CountRank(30, noon))
		near(t, name+" later", all[name].Rank(&liked, noon.Add(window+second)), 0)
		near(t, name+" without votes", all[name].Rank(&feed.Tally{Up: 2, Posted: noon}, noon), 0)
	}
}
