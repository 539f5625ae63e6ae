package ingest

import (
	"fmt"
	"math"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// The adaptive interval is weight/√λ hours for a source that posts λ times an hour. Polling in proportion to the root of
// the rate halves the mean delay of a fixed interval at the same number of polls (Sia, Cho and Cho, "Efficient Monitoring
// Algorithm for Fast News Alerts"). λ comes from what was seen, fading with a half-life of two weeks, and starts out at
// half a post a day, so that a source is neither forgotten nor rushed before it is known.
const (
	weight       = 0.5
	halfLife     = 336.0 // hours
	priorPosts   = 0.5
	priorHours   = 24.0
	firstLook    = time.Hour // from the first document to the second poll, whatever its dates promise
	maxInterval  = 24 * time.Hour
	seedingHours = 30 * 24.0 // of the first document's past that are believed
)

// watched adds to a rate what was seen in the time since the last look.
func watched(r feed.Rate, since time.Duration, posts int) feed.Rate {
	f := math.Exp2(-max(0, since.Hours()) / halfLife)
	return feed.Rate{Posts: r.Posts*f + float64(posts), Hours: r.Hours*f + (1-f)*halfLife/math.Ln2}
}

// seeded is the rate that the dates of a first document tell.
func seeded(entries []feed.Entry, now time.Time) (r feed.Rate) {
	oldest := 0.0
	for i := range entries {
		age := now.Sub(entries[i].Published).Hours()
		if entries[i].Published.IsZero() || age < 0 {
			continue
		}
		oldest = max(oldest, age)
		if age <= seedingHours {
			r.Posts += math.Exp2(-age / halfLife)
		}
	}
	r.Hours = watched(feed.Rate{}, time.Duration(min(oldest, seedingHours)*float64(time.Hour)), 0).Hours
	return r
}

// perHour estimates λ.
func perHour(r feed.Rate) float64 { return (r.Posts + priorPosts) / (r.Hours + priorHours) }

// adaptive is the interval for a rate, and how to say it.
func adaptive(r feed.Rate, floor time.Duration) (time.Duration, string) {
	rate := perHour(r)
	interval := time.Duration(weight / math.Sqrt(rate) * float64(time.Hour))
	return max(min(interval, maxInterval), floor), "adaptive interval, for " + spellRate(rate)
}

// spellRate says a rate per hour in its handiest unit.
func spellRate(rate float64) string {
	switch {
	case rate >= 1:
		return fmt.Sprintf("about %.2g posts an hour", rate)
	case rate*24 >= 1:
		return fmt.Sprintf("about %.2g posts a day", rate*24)
	}
	return fmt.Sprintf("about %.2g posts a week", rate*24*7)
}
