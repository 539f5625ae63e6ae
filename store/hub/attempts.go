package hub

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Attempts returns the last attempts to deliver to a subscription, newest first. feed.ErrNotFound: the subscription does not exist.
func (s *Store) Attempts(ctx context.Context, id string) ([]feed.Attempt, error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HEXISTS", s.keys.subscriptions(), id)
		b.Add("HGET", s.keys.attempts(), id)
	})
	if err = core.Unless(err != nil || r.Count() > 0, err, feed.ErrNotFound); err != nil {
		return nil, core.Wrap(err, "attempts of subscription %s", id)
	}
	return feed.RecentAttempts(attemptsFrom(r.Text()), s.db.Now()), nil
}

// attemptsText returns the lines of attempts; "" for none.
func attemptsText(all []feed.Attempt) string {
	var b []byte
	for i := range all {
		a := &all[i]
		b = append(append(b, core.Stamp(a.Time)...), ' ')
		b = append(strconv.AppendInt(b, a.Version, 10), ' ')
		b = append(strconv.AppendInt(b, time.Duration(a.Duration).Milliseconds(), 10), ' ')
		b = append(strconv.AppendInt(b, int64(a.Status), 10), ' ')
		b = append(b, a.Reason...)
		if !a.Next.IsZero() {
			b = append(append(b, ' '), core.Stamp(a.Next)...)
		}
		b = append(b, '\n')
	}
	return string(b)
}

// attemptsFrom returns the attempts of attemptsText. It leaves out damaged lines.
func attemptsFrom(text string) []feed.Attempt {
	if text == "" {
		return nil
	}
	all := make([]feed.Attempt, 0, strings.Count(text, "\n"))
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 5 {
			continue
		}
		a := feed.Attempt{Time: feed.ParseTime(words[0]), Reason: words[4]}
		a.Version, _ = strconv.ParseInt(words[1], 10, 64)
		ms, _ := strconv.ParseInt(words[2], 10, 64)
		a.Duration = feed.Duration(time.Duration(ms) * time.Millisecond)
		a.Status, _ = strconv.Atoi(words[3])
		if len(words) > 5 {
			a.Next = feed.ParseTime(words[5])
		}
		all = append(all, a)
	}
	return all
}
