package hub

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// maxClaimed bounds how many deliveries one script claims, because Redis serves no other client meanwhile.
const maxClaimed = 1000

// ClaimDeliveries claims due deliveries until their fence; then they are due again. It returns the subscription after which the
// next claim continues, and when the next delivery is due; zero: none is.
func (s *Store) ClaimDeliveries(ctx context.Context, c feed.DeliveryClaim) (all []feed.Delivery, after string, next time.Time, err error) {
	now := s.db.Now()
	args := []any{
		core.Stamp(now), core.Stamp(now.Add(c.Lease).Truncate(time.Millisecond)), min(c.Limit, maxClaimed), c.PerHost, c.After, c.Daemon,
		s.keys.topic(""),
	}
	for host, free := range c.Free {
		args = append(args, host, free)
	}
	// A retry would claim other deliveries. Those of a lost reply are due again at their fence.
	reply, err := redis.Values(s.db.Run(ctx, s.scripts["claim_deliveries"], []any{
		s.keys.ready(), s.keys.later(), s.keys.paused(), s.keys.claims(), s.keys.subscriptions(), s.keys.health(), s.keys.replays(),
	}, args))
	if err != nil {
		return nil, c.After, time.Time{}, fmt.Errorf("claim deliveries: %w", err)
	}
	r := core.Replies(reply)
	after, next = r.Text(), feed.ParseTime(r.Text())
	all, err = s.claimedDeliveries(ctx, r)
	return all, after, next, core.Wrap(err, "claim deliveries")
}

// claimedDeliveries decodes the fence and the lists that claim_deliveries.lua returns. Subscriptions that have ended are left out.
func (s *Store) claimedDeliveries(ctx context.Context, r core.Replies) ([]feed.Delivery, error) {
	fence := feed.ParseTime(r.Text())
	ids, records, healths, replays, versions, newest := r.Texts(), r.Texts(), r.Texts(), r.Texts(), r.Texts(), r.Texts()
	all := make([]feed.Delivery, 0, len(ids))
	subs := make([]feed.Subscription, 0, len(ids))
	for i, id := range ids {
		next := number(versions[i])
		if next >= 0 { // the subscription has ended
			continue
		}
		record, err := recordFrom(id, records[i])
		if err != nil {
			return nil, err
		}
		sub := record.subscription(id, healths[i])
		sub.Next, sub.Waiting = -next, true
		subs = append(subs, sub)
		all = append(all, feed.Delivery{Version: cmp.Or(number(newest[i]), -next), Replayed: number(replays[i]), Fence: fence})
	}
	err := s.loadTopicURLs(ctx, subs)
	for i := range all {
		all[i].Subscription = subs[i]
	}
	return all, err
}

// number decodes a number; 0 if there is none.
func number(text string) (n int64) {
	if text != "" {
		n, _ = strconv.ParseInt(text, 10, 64) // Redis has written it
	}
	return n
}

// maxDeadLetters bounds how many dead letters are stored.
const maxDeadLetters = 10_000

// FinishDeliveries stores results and ends the claims. It returns how many claims were lost, whose results are ignored, and how many
// subscriptions have a next version that is due now. A failed delivery without a next try leaves a dead letter of all
// versions up to the newest.
func (s *Store) FinishDeliveries(ctx context.Context, all []feed.DeliveryResult) (lost, again int, err error) {
	keys := []any{s.keys.ready(), s.keys.later(), s.keys.health(), s.keys.deadLetters(), s.keys.readers(), s.keys.attempts()}
	topics := make(map[string]int) // URL → index of its first key, from 1
	byCommon := make(map[commonResult]int)
	var groups []resultGroup
	for i := range all {
		url := all[i].Delivery.Subscription.Topic
		if topics[url] == 0 {
			id := feed.TopicID(url)
			topics[url] = len(keys) + 1
			keys = append(keys, s.keys.topic(id), s.keys.subscribers(id), s.keys.versions(id))
		}
		common := commonOf(&all[i], topics[url])
		n, known := byCommon[common]
		if !known {
			n = len(groups)
			byCommon[common], groups = n, append(groups, resultGroup{commonResult: common})
		}
		groups[n].all = append(groups[n].all, &all[i])
	}
	args := make([]any, 0, 4+2*len(all)+15*len(groups))
	args = append(args, s.db.Stamp(), maxDeadLetters, s.db.Now().Add(-attemptsFor).Unix(), len(all))
	for i := range groups {
		for _, r := range groups[i].all {
			args = append(args, r.Delivery.Subscription.ID)
		}
	}
	for i := range groups {
		args = groups[i].arguments(args)
	}
	counts, err := redis.Ints(s.db.Run(ctx, s.scripts["finish_deliveries"], keys, args))
	if err != nil {
		return 0, 0, core.Wrap(err, "store the results of %d deliveries", len(all))
	}
	return counts[0], counts[1], nil
}

// outcomeDead is the outcome of a failed delivery without a next try.
const outcomeDead = "dead"

// commonResult is what finish_deliveries.lua needs of a result besides the subscription and its attempt. Nearly all results of a
// batch have it in common.
type commonResult struct {
	topic           int // index of its first key, from 1
	version         int64
	fence, next     string
	health, readers string // empty: as they are
	reason, outcome string
	attempts        int // to store of each subscription
}

func commonOf(r *feed.DeliveryResult, topic int) commonResult {
	c := commonResult{
		topic: topic, version: r.Delivery.Version, fence: core.Stamp(r.Delivery.Fence), next: core.Stamp(r.Next), reason: r.Attempt.Reason,
		outcome: string(r.Outcome), attempts: r.MaxAttempts,
	}
	switch sub := &r.Delivery.Subscription; {
	case r.Outcome == feed.Failed:
		c.health = healthText(&r.Health)
		if r.Next.IsZero() {
			c.outcome = outcomeDead
		}
	case sub.Health.Failures > 0:
		c.health = healthText(&sub.Health)
	}
	if r.Readers > 0 {
		c.readers = strconv.Itoa(r.Readers)
	}
	return c
}

// resultGroup is the results that have all but subscription and attempt in common.
type resultGroup struct {
	commonResult
	all []*feed.DeliveryResult
}

// arguments appends the arguments of finish_deliveries.lua for the group, but for its subscriptions.
func (g *resultGroup) arguments(args []any) []any {
	args = append(args, g.topic, g.fence, g.version, g.next, g.health, g.readers, g.reason, g.outcome, g.attempts, len(g.all))
	if g.outcome == outcomeDead {
		first := g.all[0]
		h := &first.Health
		args = append(args, first.Delivery.Subscription.Topic, h.Failures, core.Stamp(h.Since), h.Status, h.Reason)
	}
	for _, r := range g.all {
		args = append(args, attemptLine(r))
	}
	return args
}
