package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of the history of a topic.
const (
	historyVersions = 50
	historyDays     = 90
	historySeconds  = historyDays * daySeconds
	daySeconds      = 24 * 60 * 60
)

// countedTopics is how many topics one script counts the subscribers of, because Redis serves no other client meanwhile.
const countedTopics = 200

// CountSubscribers stores how many subscribers each topic has on this day. A later count of the day replaces an earlier one.
func (s *Topics) CountSubscribers(ctx context.Context) error {
	ids, err := redis.Strings(s.db.Do(ctx, group, "HKEYS", s.keys.topics()))
	today := s.db.Now().Unix() / daySeconds
	for some := range slices.Chunk(ids, countedTopics) {
		if err != nil {
			break
		}
		var keys []any
		for _, id := range some {
			keys = append(keys, s.keys.subscribers(id), s.keys.pings(id), s.keys.days(id))
		}
		_, err = s.db.Run(ctx, s.scripts["count_subscribers"], keys, []any{today, today - historyDays + 1, historySeconds})
	}
	return core.Wrap(err, "count subscribers")
}

// TopicHistory returns the topic with an id, its last versions and its subscribers on the last days, with those that it has now.
// feed.ErrNotFound: it has no subscriptions.
func (s *Topics) TopicHistory(ctx context.Context, id string) (h feed.TopicHistory, err error) {
	if h.Topic, err = s.Topic(ctx, id); err != nil {
		return h, err
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HGETALL", s.keys.versions(id))
		b.Add("HGETALL", s.keys.days(id))
	})
	if err != nil {
		return h, fmt.Errorf("history of topic %s: %w", id, err)
	}
	h.Versions = versionsFrom(r.Map())
	counts, today := r.Map(), s.db.Now().Unix()/daySeconds
	counts[strconv.FormatInt(today, 10)] = strconv.Itoa(h.Subscribers)
	h.Days = daysFrom(counts, today-historyDays+1)
	return h, nil
}

// dead is the result of deliveries that failed permanently. The results of attempts are values of feed.Attempt.Reason.
const dead = "dead"

// versionsFrom returns the versions of a history, newest first. It leaves out damaged ones.
func versionsFrom(texts map[string]string) []feed.TopicVersion {
	all := make([]feed.TopicVersion, 0, len(texts))
	for number, text := range texts {
		var stored struct {
			Time    json.Number    `json:"time"`
			Size    int            `json:"size"`
			Entries int            `json:"entries"`
			Results map[string]int `json:"results"`
		}
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil || json.Unmarshal([]byte(text), &stored) != nil {
			continue
		}
		v := feed.TopicVersion{
			Version: version, Time: feed.ParseTime(stored.Time.String()), Size: stored.Size, Entries: stored.Entries,
			Delivered: stored.Results["2xx"], Failed: stored.Results[dead],
		}
		delete(stored.Results, "2xx")
		delete(stored.Results, dead)
		if len(stored.Results) > 0 {
			v.Causes = stored.Results
		}
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b feed.TopicVersion) int { return cmp.Compare(b.Version, a.Version) })
	return all
}

// daysFrom returns the days of a history from a day on, oldest first.
func daysFrom(texts map[string]string, first int64) []feed.TopicDay {
	all := make([]feed.TopicDay, 0, len(texts))
	for number, count := range texts {
		day, _ := strconv.ParseInt(number, 10, 64)
		subscribers, err := strconv.Atoi(count)
		if err == nil && day >= first {
			all = append(all, feed.TopicDay{Day: time.Unix(day*daySeconds, 0).UTC().Format(time.DateOnly), Subscribers: subscribers})
		}
	}
	slices.SortFunc(all, func(a, b feed.TopicDay) int { return cmp.Compare(a.Day, b.Day) })
	return all
}
