package store

import (
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// minutes remembers what happened in minutes that are over. In an installation in parts each of them is counted in 65
// places, of which nobody should have to ask for an hour of minutes again and again. In the seeds' layout it remembers nothing.
type minutes struct {
	mu   sync.Mutex
	over map[int64]feed.Minute // by its number since 1970
}

// settles is how long after a minute it may still be counted in: by daemons whose clocks differ.
const settles = 10 * time.Second

// minuteAt is the time of a place in Overview.Minutes.
func minuteAt(now time.Time, i int) time.Time {
	return now.Add(time.Duration(i+1-feed.MinutesKept) * time.Minute)
}

// known are the minutes up to now as far as they are remembered, and the places of those that are to be asked for.
func (m *minutes) known(now time.Time) (all []feed.Minute, open []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all = make([]feed.Minute, feed.MinutesKept)
	for i := range all {
		var over bool
		if all[i], over = m.over[minuteAt(now, i).Unix()/60]; !over {
			open = append(open, i)
		}
	}
	return all, open
}

// keep remembers those of the minutes up to now that are over.
func (m *minutes) keep(now time.Time, all []feed.Minute) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = make(map[int64]feed.Minute, len(all))
	for i, minute := range all {
		if number := minuteAt(now, i).Unix() / 60; (number+1)*60 <= now.Add(-settles).Unix() {
			m.over[number] = minute
		}
	}
}
