package hub

import (
	"context"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
)

// clockTolerance is how far in the future a stored time may be before the clock counts as set back: daemons have different clocks.
const clockTolerance = 5 * time.Second

// BringForward corrects what was planned before the clock was set back, which would otherwise wait until the clock catches up:
// deliveries that failed keep their delay, counted from now; interrupted deliveries, requests of subscribers and checks of open
// topics are due now. Claims of deliveries that lasted up to lease must have ended. It is safe to repeat, and returns how many it
// found.
func (s *Store) BringForward(ctx context.Context, lease time.Duration) (int, error) {
	now, found := s.db.Now(), 0
	present := core.Stamp(now.Add(clockTolerance))
	for skip := 0; ; {
		n, err := redis.Ints(s.db.Run(ctx, s.scripts["bring_deliveries_forward"], []any{s.keys.later(), s.keys.health()},
			[]any{core.Stamp(now), core.Stamp(now.Add(lease + clockTolerance)), present, skip, core.PipelineSize}))
		if err != nil {
			return found, core.Wrap(err, "correct the times of deliveries")
		}
		found, skip = found+n[0], skip+n[1]
		if n[0]+n[1] < core.PipelineSize {
			break
		}
	}
	n, err := redis.Int(s.db.Run(ctx, s.scripts["bring_requests_forward"], []any{s.keys.requests(), s.keys.dueRequests()},
		[]any{core.Stamp(now), present}))
	if err != nil {
		return found, core.Wrap(err, "correct the times of requests to the hub")
	}
	found += n
	topics, err := s.topics.OpenTopics(ctx)
	for i := 0; i < len(topics) && err == nil; i++ {
		if topics[i].Checked.After(now.Add(clockTolerance)) {
			err = s.topics.RefreshOpenTopic(ctx, topics[i].URL, now)
			found++
		}
	}
	return found, err
}
