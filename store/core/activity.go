package core

import (
	"strconv"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// Activity returns the hash in which scripts count what happens in the minute of a time: see fragments/count.lua.
func (k Keyspace) Activity(at time.Time) string {
	return k.prefix + "activity:" + strconv.FormatInt(at.Unix()/60, 10)
}

// activities are all hashes of a minute.
func (l *Layout) activities(at time.Time) []string {
	all := make([]string, 0, 1+len(l.everywhere()))
	for _, k := range l.everywhere() {
		all = append(all, k.Activity(at))
	}
	return all
}

// minuteCache remembers minutes that are over if each of them is counted in several hashes.
type minuteCache struct {
	mu   sync.Mutex
	over map[int64]feed.Minute // by its number since 1970
}

// countedLate is how long after a minute daemons with other clocks may still count in it.
const countedLate = 10 * time.Second

// MinutesQuery reads the last feed.OverviewMinutes minutes with one exchange.
type MinutesQuery struct {
	db   *DB
	now  time.Time
	all  []feed.Minute
	open []int // indexes that are not cached
}

// QueryMinutes adds the commands that read the minutes up to now.
func (db *DB) QueryMinutes(b *Batch, now time.Time) *MinutesQuery {
	q := &MinutesQuery{db: db, now: now, all: make([]feed.Minute, feed.OverviewMinutes)}
	db.minutes.mu.Lock()
	for i := range q.all {
		var over bool
		if q.all[i], over = db.minutes.over[q.at(i).Unix()/60]; !over {
			q.open = append(q.open, i)
		}
	}
	db.minutes.mu.Unlock()
	for _, i := range q.open {
		for _, key := range db.activities(q.at(i)) {
			b.Add("HGETALL", key)
		}
	}
	return q
}

// at is a time in the minute with an index.
func (q *MinutesQuery) at(i int) time.Time {
	return q.now.Add(time.Duration(i+1-feed.OverviewMinutes) * time.Minute)
}

// Read takes the replies to the commands of QueryMinutes and returns the minutes, oldest first.
func (q *MinutesQuery) Read(r *Replies) []feed.Minute {
	each := len(q.db.activities(q.now))
	for _, i := range q.open {
		q.all[i] = minuteFrom(r.Take(each))
	}
	if each > 1 {
		q.db.minutes.keep(q)
	}
	return q.all
}

func (m *minuteCache) keep(q *MinutesQuery) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = make(map[int64]feed.Minute, len(q.all))
	for i, minute := range q.all {
		if number := q.at(i).Unix() / 60; (number+1)*60 <= q.now.Add(-countedLate).Unix() {
			m.over[number] = minute
		}
	}
}

// minuteFrom adds up the hashes of a minute. A missing one means that nothing happened.
func minuteFrom(replies []any) feed.Minute {
	n := make(map[string]int)
	for _, reply := range replies {
		counts, _ := redis.IntMap(reply, nil)
		for name, count := range counts {
			n[name] += count
		}
	}
	return feed.Minute{
		Polls: n["polls"], Failed: n["failed"], Created: n["created"], Modified: n["modified"], Signals: n["signals"],
		Published: n["published"], Impressions: n["impressions"], Imported: n["imported"],
	}
}
