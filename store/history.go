package store

import (
	"context"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// historyLine is a poll as the list <feed_url>:polls holds it: time (Unix ms), duration (ms), status, new, modified and
// class of the failure, if any, with spaces between.
func historyLine(p feed.Poll) string {
	if p.Time.IsZero() {
		return ""
	}
	return fmt.Sprintf("%d %d %d %d %d %s", p.Time.UnixMilli(), p.Took.Milliseconds(), p.Status, p.New, p.Modified, p.Class)
}

// pollFromLine reads what historyLine wrote; what is missing stays zero.
func pollFromLine(line string) (p feed.Poll) {
	var at, took int64
	_, _ = fmt.Sscan(line, &at, &took, &p.Status, &p.New, &p.Modified, &p.Class) // the class may be missing
	p.Time, p.Took = time.UnixMilli(at).UTC(), time.Duration(took)*time.Millisecond
	return p
}

// Polls are the last polls of each source, newest first.
func (s *Store) Polls(ctx context.Context, urls []string) ([][]feed.Poll, error) {
	replies, err := s.pipeline(ctx, "polls", func(b *batch) {
		for _, url := range urls {
			b.add("LRANGE", s.keys.polls(url), 0, feed.PollsKept-1)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read the last polls: %w", err)
	}
	all := make([][]feed.Poll, len(urls))
	for i, reply := range replies {
		lines, err := redis.Strings(reply, nil)
		if err != nil {
			return nil, fmt.Errorf("read the last polls of %s: %w", urls[i], err)
		}
		for _, line := range lines {
			all[i] = append(all[i], pollFromLine(line))
		}
	}
	return all, nil
}
