package hub

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// attemptsFor is how long an attempt is stored.
const attemptsFor = 7 * 24 * time.Hour

// Attempts returns the last attempts to deliver to a subscription, newest first. feed.ErrNotFound: the subscription does not exist.
func (s *Store) Attempts(ctx context.Context, id string) ([]feed.Attempt, error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HEXISTS", s.keys.subscriptions(), id)
		b.Add("HGET", s.keys.attempts(), id)
	})
	if err = core.Unless(err != nil || r.Count() > 0, err, feed.ErrNotFound); err != nil {
		return nil, core.Wrap(err, "attempts of subscription %s", id)
	}
	return s.attempts(r.Text()), nil
}

// attemptLine returns the line of an attempt; "" if there is none to store.
func attemptLine(r *feed.DeliveryResult) string {
	a := &r.Attempt
	if a.Reason == "" || r.MaxAttempts == 0 {
		return ""
	}
	b := append(append(make([]byte, 0, 64), core.Stamp(a.Time)...), ' ')
	b = append(strconv.AppendInt(b, a.Version, 10), ' ')
	b = append(strconv.AppendInt(b, time.Duration(a.Duration).Milliseconds(), 10), ' ')
	b = append(strconv.AppendInt(b, int64(a.Status), 10), ' ')
	b = append(b, a.Reason...)
	if !a.Next.IsZero() {
		b = append(append(b, ' '), core.Stamp(a.Next)...)
	}
	return string(append(b, '\n'))
}

// attempts returns the attempts of lines, newest first. It leaves out damaged ones and those that are too old to be stored: they are
// deleted with the next attempt.
func (s *Store) attempts(text string) (all []feed.Attempt) {
	oldest := s.db.Now().Add(-attemptsFor)
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 5 {
			continue
		}
		a := feed.Attempt{Time: feed.ParseTime(words[0]), Reason: words[4]}
		if !a.Time.After(oldest) {
			break
		}
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
