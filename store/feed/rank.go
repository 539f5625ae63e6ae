package feed

import (
	"math"
	"time"
)

// Constants of Lamer News (app_config.rb, version 0.11.0).
const (
	lamerPadding  = 8 * time.Hour
	lamerAging    = 1.1
	lamerAgeLimit = 30 * 24 * time.Hour
	lamerLogStart = 10
	lamerBooster  = 2
)

// LamerNewsScore is the score of Lamer News: up − down, plus 2 × ln(v − 10) if v = ⌊up/2⌋ + ⌊down/2⌋ exceeds 10, so that many votes
// count although they disagree.
func LamerNewsScore(up, down int) float64 {
	score := float64(up - down)
	if votes := up/2 + down/2; votes > lamerLogStart {
		score += lamerBooster * math.Log(float64(votes-lamerLogStart))
	}
	return score
}

// LamerNewsRank is the rank of Lamer News: score × 1,000,000 / (age in seconds + 28,800)^1.1, or −age if the item is older than 30 days.
func LamerNewsRank(score float64, age time.Duration) float64 {
	if age > lamerAgeLimit {
		return -age.Seconds()
	}
	return score * 1e6 / math.Pow((age+lamerPadding).Seconds(), lamerAging)
}

// HackerNewsRank is the rank of news.arc: (points − 1)^0.8 / ((age in minutes + 120) / 60)^1.8. The first point is the vote of the author.
// Points below 1 have no power, as in news.arc.
func HackerNewsRank(points int, age time.Duration) float64 {
	base := float64(points - 1)
	if base > 0 {
		base = math.Pow(base, 0.8)
	}
	return base / math.Pow((age.Minutes()+120)/60, 1.8)
}

// wilsonZ is the quantile of the standard normal distribution for a confidence of 80 %.
const wilsonZ = 1.281551565545

// WilsonScore is the lower bound of the share of upvotes (E. B. Wilson, 1927): with a confidence of 80 %, more voters would like the item
// than this share. It is 0 without votes.
func WilsonScore(up, down int) float64 {
	n := float64(up + down)
	if n == 0 {
		return 0
	}
	share, z2 := float64(up)/n, wilsonZ*wilsonZ
	return (share + z2/(2*n) - wilsonZ*math.Sqrt((share*(1-share)+z2/(4*n))/n)) / (1 + z2/n)
}

// CountRank is the number of votes. Among items with as many votes the newest is first, because the time is its fraction.
func CountRank(votes int, posted time.Time) float64 {
	return float64(votes) + float64(posted.Unix())/1e10
}

// Tally is what rankings are computed from.
type Tally struct {
	Votes  int // upvotes minus downvotes
	Up     int // upvotes
	Posted time.Time
	ByUser bool // the author is a user, who may have voted for it
}

// Down returns the downvotes.
func (t *Tally) Down() int { return t.Up - t.Votes }

// Ranking is a list whose order follows from votes and time. It is computed every minute.
type Ranking struct {
	Name, Title string

	rank func(t *Tally, age time.Duration) float64
}

// Rank returns the rank of an item at a time. Items with 0 or less are not in the list.
func (r *Ranking) Rank(t *Tally, now time.Time) float64 { return r.rank(t, max(0, now.Sub(t.Posted))) }

// MaxRanked bounds the entries of a Ranking.
const MaxRanked = 500

// Rankings returns all rankings.
func Rankings() []Ranking {
	const day = 24 * time.Hour
	return []Ranking{
		{"top", "Top", func(t *Tally, age time.Duration) float64 { return LamerNewsRank(LamerNewsScore(t.Up, t.Down()), age) }},
		{"hot", "Hot", func(t *Tally, age time.Duration) float64 {
			points := t.Votes
			if !t.ByUser {
				points++ // no author voted for it
			}
			return HackerNewsRank(points, age)
		}},
		{"best", "Best", func(t *Tally, _ time.Duration) float64 { return WilsonScore(t.Up, t.Down()) }},
		{"day", "Best of the day", within(day)},
		{"week", "Best of the week", within(7 * day)},
		{"month", "Best of the month", within(30 * day)},
	}
}

// within returns the number of votes on items up to an age.
func within(window time.Duration) func(t *Tally, age time.Duration) float64 {
	return func(t *Tally, age time.Duration) float64 {
		if t.Votes <= 0 || age > window {
			return 0
		}
		return CountRank(t.Votes, t.Posted)
	}
}
