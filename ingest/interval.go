package ingest

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// The adaptive interval is weight/√λ hours for a source that posts λ times an hour. Polling in proportion to the root of
// the rate halves the mean delay of a fixed interval at the same number of polls (Sia, Cho and Cho, "Efficient Monitoring
// Algorithm for Fast News Alerts"). λ comes from observed posts, which fade with a half-life of two weeks, and starts at half
// a post a day, so that a new source is polled neither too rarely nor too often.
const (
	weight        = 0.5
	halfLife      = 336.0 // hours
	priorPosts    = 0.5
	priorHours    = 24.0
	firstInterval = time.Hour // from the first document to the second poll, whatever its dates promise
	maxInterval   = 24 * time.Hour
	datedHours    = 30 * 24.0 // of the past of the first document that count
)

// isFixed reports whether a person chose the interval of a source.
func (in *Ingester) isFixed(source *feed.Source) bool {
	return source.Interval > 0 || in.reloaded.Load().Interval > 0
}

// interval returns the time between two successful polls of a source, and the reason for it.
func (in *Ingester) interval(source *feed.Source, state *feed.PollState) (time.Duration, string) {
	switch fixed := cmp.Or(source.Interval, in.reloaded.Load().Interval); {
	case fixed > 0:
		return fixed, "interval"
	case source.Poll.LastDocument.IsZero():
		return max(firstInterval, in.floor(source)), "first interval"
	}
	return adaptiveInterval(state.Rate, in.floor(source))
}

// floor returns the shortest adaptive interval of a source.
func (in *Ingester) floor(source *feed.Source) time.Duration {
	if source.Request.MinInterval > 0 {
		return source.Request.MinInterval
	}
	return max(in.reloaded.Load().MinInterval, time.Second)
}

// updateRate adds the posts since the last poll to a rate.
func updateRate(r feed.Rate, since time.Duration, posts int) feed.Rate {
	f := math.Exp2(-max(0, since.Hours()) / halfLife)
	return feed.Rate{Posts: r.Posts*f + float64(posts), Hours: r.Hours*f + (1-f)*halfLife/math.Ln2}
}

// initialRate returns the rate that the dates of the first document show.
func initialRate(entries []feed.Entry, now time.Time) (r feed.Rate) {
	oldest := 0.0
	for i := range entries {
		age := now.Sub(entries[i].Published).Hours()
		if entries[i].Published.IsZero() || age < 0 {
			continue
		}
		oldest = max(oldest, age)
		if age <= datedHours {
			r.Posts += math.Exp2(-age / halfLife)
		}
	}
	r.Hours = updateRate(feed.Rate{}, time.Duration(min(oldest, datedHours)*float64(time.Hour)), 0).Hours
	return r
}

// perHour estimates λ.
func perHour(r feed.Rate) float64 { return (r.Posts + priorPosts) / (r.Hours + priorHours) }

// unboundedInterval returns the adaptive interval for λ without floor and ceiling.
func unboundedInterval(rate float64) time.Duration {
	return time.Duration(weight / math.Sqrt(rate) * float64(time.Hour))
}

// adaptiveInterval returns the interval for a rate, and the reason for it.
func adaptiveInterval(r feed.Rate, floor time.Duration) (time.Duration, string) {
	rate := perHour(r)
	return max(min(unboundedInterval(rate), maxInterval), floor), "adaptive interval, for " + rateText(rate)
}

// rateText returns a rate per hour in the unit that gives at least 1.
func rateText(rate float64) string {
	switch {
	case rate >= 1:
		return fmt.Sprintf("about %.2g posts an hour", rate)
	case rate*24 >= 1:
		return fmt.Sprintf("about %.2g posts a day", rate*24)
	}
	return fmt.Sprintf("about %.2g posts a week", rate*24*7)
}
