package hub

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// ClaimDeliveries claims due deliveries until their fence; then they are due again. It returns the subscription after which the
// next claim continues, and when the next delivery is due; zero: none is.
func (s *Store) ClaimDeliveries(ctx context.Context, c feed.DeliveryClaim) (all []feed.Delivery, after string, next time.Time, err error) {
	now := s.db.Now()
	fence := now.Add(c.Lease).Truncate(time.Millisecond)
	args := []any{core.Stamp(now), core.Stamp(fence), c.Limit, c.PerHost, c.After, c.Daemon}
	for host, free := range c.Free {
		args = append(args, host, free)
	}
	// A retry would claim other deliveries. Those of a lost reply are due again at their fence.
	reply, err := redis.Strings(s.db.Run(ctx, s.scripts["claim_deliveries"],
		[]any{s.keys.ready(), s.keys.later(), s.keys.paused(), s.keys.claims()}, args))
	if err != nil {
		return nil, c.After, time.Time{}, fmt.Errorf("claim deliveries: %w", err)
	}
	all, err = s.loadDeliveries(ctx, reply[3:], feed.ParseTime(reply[2]))
	return all, reply[0], feed.ParseTime(reply[1]), core.Wrap(err, "claim deliveries")
}

// loadDeliveries reads the deliveries to claimed subscriptions. Subscriptions that have ended since are left out.
func (s *Store) loadDeliveries(ctx context.Context, ids []string, fence time.Time) ([]feed.Delivery, error) {
	subs, err := s.loadSubscriptions(ctx, ids)
	if err != nil || len(subs) == 0 {
		return nil, err
	}
	byTopic := make(map[string][]int) // URL → indexes of subs
	var urls []string
	for i := range subs {
		url := subs[i].Topic
		if byTopic[url] == nil {
			urls = append(urls, url)
		}
		byTopic[url] = append(byTopic[url], i)
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, url := range urls {
			id := feed.TopicID(url)
			members := make([]string, len(byTopic[url]))
			for n, i := range byTopic[url] {
				members[n] = subs[i].ID
			}
			b.Add("HMGET", s.keys.topic(id), "version", "whole")
			b.Add("ZMSCORE", arguments(s.keys.subscribers(id), members)...)
			b.Add("HMGET", arguments(s.keys.attempts(), members)...)
			b.Add("HMGET", arguments(s.keys.replays(), members)...)
		}
	})
	if err != nil {
		return nil, err
	}
	all := make([]feed.Delivery, 0, len(subs))
	for _, url := range urls {
		topic := r.Texts()
		scores, _ := redis.Values(r.Next(), nil)
		attempts, replays := r.Texts(), r.Texts()
		newest, _ := strconv.ParseInt(topic[0], 10, 64) // the topic has ended since: 0
		for n, i := range byTopic[url] {
			next, _ := redis.Float64(scores[n], nil) // the subscription has ended since: 0
			if next >= 0 {
				continue
			}
			d := feed.Delivery{Subscription: subs[i], Version: int64(-next), Fence: fence, Attempts: attemptsFrom(attempts[n])}
			d.Subscription.Next, d.Subscription.Waiting = d.Version, true
			if topic[1] != "" { // each version replaces those before it
				d.Version = newest
			}
			d.Replayed, _ = strconv.ParseInt(replays[n], 10, 64) // none: 0
			all = append(all, d)
		}
	}
	return all, nil
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
	args := make([]any, 0, 3+2*len(all)+14*len(groups))
	args = append(args, s.db.Stamp(), maxDeadLetters, len(all))
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

// commonResult is what finish_deliveries.lua needs of a result besides the subscription and its attempts. Nearly all results of a
// batch have it in common.
type commonResult struct {
	topic           int // index of its first key, from 1
	version         int64
	fence, next     string
	health, readers string // empty: as they are
	reason, outcome string
}

func commonOf(r *feed.DeliveryResult, topic int) commonResult {
	c := commonResult{
		topic: topic, version: r.Delivery.Version, fence: core.Stamp(r.Delivery.Fence), next: core.Stamp(r.Next), reason: r.Reason,
		outcome: string(r.Outcome),
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

// resultGroup is the results that have all but subscription and attempts in common.
type resultGroup struct {
	commonResult
	all []*feed.DeliveryResult
}

// arguments appends the arguments of finish_deliveries.lua for the group, but for its subscriptions.
func (g *resultGroup) arguments(args []any) []any {
	args = append(args, g.topic, g.fence, g.version, g.next, g.health, g.readers, g.reason, g.outcome, len(g.all))
	if g.outcome == outcomeDead {
		first := g.all[0]
		h := &first.Health
		args = append(args, first.Delivery.Subscription.Topic, h.Failures, core.Stamp(h.Since), h.Status, h.Reason)
	}
	for _, r := range g.all {
		args = append(args, attemptsText(r.Attempts))
	}
	return args
}
