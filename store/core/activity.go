package core

import (
	"context"
	"strconv"
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

// countedLate is how long after a minute daemons with other clocks may still count in it.
const countedLate = 10 * time.Second

// Minutes returns the events of the last feed.OverviewMinutes minutes, the current one last, in one exchange.
func (db *DB) Minutes(ctx context.Context) ([]feed.Minute, error) {
	now, all := db.Now(), make([]feed.Minute, feed.OverviewMinutes)
	at := func(i int) time.Time { return now.Add(time.Duration(i+1-len(all)) * time.Minute) } // a time in the minute
	over := *db.minutes.Load()
	var open []int // indexes of minutes that are not cached
	var b Batch
	for i := range all {
		var cached bool
		if all[i], cached = over[at(i).Unix()/60]; cached {
			continue
		}
		open = append(open, i)
		for _, key := range db.activities(at(i)) {
			b.Add("HGETALL", key)
		}
	}
	r, err := db.Exchange(ctx, "minutes", &b)
	if err != nil {
		return nil, Wrap(err, "read the events of the last hour")
	}
	each := len(db.activities(now))
	for _, i := range open {
		all[i] = minuteFrom(r.Take(each))
	}
	if each > 1 {
		over = make(map[int64]feed.Minute, len(all))
		for i, minute := range all {
			if number := at(i).Unix() / 60; (number+1)*60 <= now.Add(-countedLate).Unix() {
				over[number] = minute
			}
		}
		db.minutes.Store(&over)
	}
	return all, nil
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
