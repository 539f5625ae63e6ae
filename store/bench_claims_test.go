package store_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// BenchmarkDeliveries claims 256 deliveries of one version to 32 hosts and stores that they were accepted. An operation is one
// delivery.
func BenchmarkDeliveries(b *testing.B) {
	const deliveries, hosts = 256, 32
	dial := storetest.Redis(b)
	s, raw := open(b, store.Options{Dial: dial}), storetest.NewPipeline(b, dial)
	records, healths := storetest.Command{"HMGET", "hub:subscriptions"}, storetest.Command{"HMGET", "hub:health"}
	topic := feed.TopicID(harbour)
	scores, fences := storetest.Command{"ZMSCORE", "hub:topic:" + topic + ":subs"}, storetest.Command{"ZMSCORE", "raw:later"}
	queue, unqueue := storetest.Command{"ZADD", "raw:ready"}, storetest.Command{"ZREM", "raw:ready"}
	lease, end := storetest.Command{"ZADD", "raw:later"}, storetest.Command{"ZREM", "raw:later"}
	move := storetest.Command{"ZADD", "raw:subs"}
	for n := range deliveries {
		sub := feed.Subscription{
			Topic: harbour, Callback: fmt.Sprintf("http://host%d.example/%d", n%hosts, n), Kind: feed.KindWebSub, Secret: "secret", Lease: time.Hour,
		}
		if err := s.Hub.Subscribe(b.Context(), &sub); err != nil {
			b.Fatal(err)
		}
		records, healths = append(records, sub.ID), append(healths, sub.ID)
		scores, fences = append(scores, sub.ID), append(fences, sub.ID)
		queue, unqueue = append(queue, 0, sub.ID), append(unqueue, sub.ID)
		lease, end = append(lease, "1795176000.000", sub.ID), append(end, sub.ID)
		move = append(move, 2, sub.ID)
	}
	mix := []storetest.Command{
		{"ZRANGEBYSCORE", "raw:later", "-inf", 1, "LIMIT", 0, 1000}, {"ZRANGEBYLEX", "raw:ready", "-", "+", "LIMIT", 0, deliveries}, lease, unqueue,
		records, healths, {"HMGET", "hub:topics", topic}, {"HMGET", "hub:topic:" + topic, "version", "whole"}, scores,
		fences, {"HGET", "hub:topic:" + topic, "version"}, move, end,
	}
	version := 0
	storetest.Race{
		Ops: deliveries,
		Before: func() {
			version++
			raw.Run(storetest.Command{"DEL", "raw:later"}, queue)
			from := ""
			if version > 1 {
				from = strconv.Itoa(version-1) + "-0"
			}
			err := s.Hub.Distribute(b.Context(), feed.HubStep{From: from, To: strconv.Itoa(version) + "-0"}, []feed.Distribution{{
				Topic: harbour, ContentType: "text/plain", Body: []byte("news"), Whole: true,
			}})
			for planned, more := 0, true; more && err == nil; {
				planned, more, err = s.Hub.PlanDeliveries(b.Context(), deliveries)
				more = more && planned > 0
			}
			if err != nil {
				b.Fatal(err)
			}
		},
		Ours: func() {
			all, _, _, err := s.Hub.ClaimDeliveries(b.Context(), feed.DeliveryClaim{Limit: deliveries, PerHost: deliveries, Lease: time.Minute})
			if err != nil || len(all) != deliveries {
				b.Fatal(len(all), err)
			}
			results := make([]feed.DeliveryResult, len(all))
			for i := range all {
				results[i] = feed.DeliveryResult{Delivery: all[i], Outcome: feed.Delivered}
			}
			if lost, _, err := s.Hub.FinishDeliveries(b.Context(), results); err != nil || lost > 0 {
				b.Fatal(lost, err)
			}
		},
		Limit: func() { raw.Run(mix...) },
	}.Run(b)
}

// BenchmarkClaimSources claims 100 due sources of as many hosts, each with a delay between two polls. An operation is one source.
func BenchmarkClaimSources(b *testing.B) {
	const sources = 100
	dial := storetest.Redis(b)
	s, raw := open(b, store.Options{Dial: dial, HostDelay: time.Second}), storetest.NewPipeline(b, dial)
	due, lease := storetest.Command{"ZADD", "sched:due"}, storetest.Command{"HSET", "raw:lease"}
	move, hosts := storetest.Command{"ZADD", "raw:due"}, storetest.Command{"DEL", "sched:lease"}
	var reserve, read []storetest.Command
	for n := range sources {
		url := fmt.Sprintf("http://host%d.example/feed.xml", n)
		if _, _, err := s.Sources.AddSource(b.Context(), feed.Source{URL: url}); err != nil {
			b.Fatal(err)
		}
		host := fmt.Sprintf("host:host%d.example", n)
		due, lease, move, hosts = append(due, 1, url), append(lease, url, "token"), append(move, "1795176000.000", url), append(hosts, host)
		reserve = append(reserve, storetest.Command{"HGET", url + ":meta", "host"}, storetest.Command{"HMGET", "raw:" + host, "until", "next", "tail"},
			storetest.Command{"HSET", "raw:" + host, "busy", "token", "until", "1795176000.000", "next", "1795176000.000"},
			storetest.Command{"PEXPIRE", "raw:" + host, 60_000})
		read = append(read, storetest.Command{"HGETALL", url + ":meta"})
	}
	mix := append([]storetest.Command{{"ZRANGEBYSCORE", "sched:due", "-inf", 2, "WITHSCORES", "LIMIT", 0, sources}}, reserve...)
	mix = append(append(mix, move, lease), read...)
	storetest.Race{
		Ops:    sources,
		Before: func() { raw.Run(hosts, due) },
		Ours: func() {
			if claimed, err := s.Sources.ClaimSources(b.Context(), sources, time.Minute); err != nil || len(claimed) != sources {
				b.Fatal(len(claimed), err)
			}
		},
		Limit: func() { raw.Run(mix...) },
	}.Run(b)
}
