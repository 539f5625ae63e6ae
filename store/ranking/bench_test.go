package ranking_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

const (
	clients = 32
	ballots = 200 // votes of a client in a turn
)

// BenchmarkVotes (B5) has 32 clients vote up, down and the other way on 10,000 entries of the last days.
//
// The limit of client is a client of Redis in Action: it waits for the reply to each command, because what it sends next depends on it. That of
// pipeline is no way to vote, since it counts repeated votes: it sends the commands of a switch at once, whatever the replies are.
func BenchmarkVotes(b *testing.B) {
	storetest.EachDurability(b, func(b *testing.B, dial core.DialFunc) {
		const count = 10_000
		h := &house{Store: storetest.New(b, core.Options{Dial: dial}), t: b, raw: storetest.Commands(b, dial)}
		entries, now := make([]*feed.Entry, count), time.Now()
		for i := range entries {
			entries[i] = h.entry(harbour, fmt.Sprint("Entry number ", i), now.Add(-time.Duration(i)*30*time.Second))
			h.ok(h.Rankings.RankEntry(b.Context(), entries[i]))
			h.raw.Do("ZADD", "raw:score", core.Stamp(entries[i].Timestamp), "article:"+entries[i].Number())
		}
		pipes := make([]*storetest.Pipeline, clients)
		for i := range pipes {
			pipes[i] = storetest.NewPipeline(b, dial)
		}
		turn := 0
		each := func(vote func(client int, e *feed.Entry, user int64, up bool)) func() {
			return func() {
				turn++
				var all sync.WaitGroup
				for client := range clients {
					random := rand.New(rand.NewPCG(uint64(turn), uint64(client)))
					all.Go(func() {
						for range ballots {
							vote(client, entries[random.IntN(count)], random.Int64N(100), random.IntN(2) == 0)
						}
					})
				}
				all.Wait()
			}
		}
		ours := each(func(_ int, e *feed.Entry, user int64, up bool) {
			v := feed.VoteDown
			if up {
				v = feed.VoteUp
			}
			if _, err := h.Rankings.Vote(b.Context(), e, user+1, v); err != nil {
				b.Error(err)
			}
		})
		for _, raw := range []struct {
			name string
			vote rawVote
		}{{"client", voteAsClient}, {"pipeline", voteInPipeline}} {
			b.Run(raw.name, func(b *testing.B) {
				race := storetest.Race{Ops: clients * ballots, Ours: ours, Limit: each(func(client int, e *feed.Entry, user int64, up bool) {
					from, to, sign := "raw:down:"+e.Number(), "raw:up:"+e.Number(), 1
					if !up {
						from, to, sign = to, from, -1
					}
					raw.vote(pipes[client], e.Number(), from, to, fmt.Sprint("user:", user), sign)
				})}
				watchScripts(h)
				race.Run(b)
				b.ReportMetric(slices.Max(scripts(h)).Seconds()*1e3, "longest-call-ms")
			})
		}
	})
}

// rawVote moves the vote of a user on an entry from one set to another.
type rawVote func(c *storetest.Pipeline, n, from, to, user string, sign int)

func voteAsClient(c *storetest.Pipeline, n, from, to, user string, sign int) {
	if posted := c.Do("ZSCORE", "time:", "article:"+n); number(string(posted.([]byte))) < float64(time.Now().Add(-week).Unix()) {
		return
	}
	change := 2 * sign
	if c.Do("SMOVE", from, to, user) == int64(0) {
		if c.Do("SADD", to, user) == int64(0) {
			return
		}
		change = sign
	}
	c.Do("ZINCRBY", "raw:score", 432*change, "article:"+n)
	c.Do("HINCRBY", "raw:"+n, "votes", change)
}

func voteInPipeline(c *storetest.Pipeline, n, from, to, user string, sign int) {
	c.Run(storetest.Command{"ZSCORE", "time:", "article:" + n}, storetest.Command{"SREM", from, user}, storetest.Command{"SADD", to, user},
		storetest.Command{"ZINCRBY", "raw:score", 864 * sign, "article:" + n}, storetest.Command{"HINCRBY", "raw:" + n, "votes", 2 * sign})
}

// BenchmarkGroupReads (B6) reads the first page of a group among a million scores. Every hundredth read of a group whose order expires finds none.
func BenchmarkGroupReads(b *testing.B) {
	dial, now := storetest.Redis(b), storetest.NewClock()
	h := &house{Store: storetest.New(b, core.Options{Dial: dial, Now: now.Now}), t: b, now: now, raw: storetest.Commands(b, dial)}
	pipe := storetest.NewPipeline(b, dial)
	const scores = 1_000_000
	for first := 0; first < scores; first += 1000 {
		command := storetest.Command{"ZADD", "score:"}
		for i := first; i < first+1000; i++ {
			command = append(command, now.Time.Unix()-int64(i*7919%scores), "article:"+strconv.Itoa(i))
		}
		pipe.Run(command)
	}
	for _, size := range []int{1000, 10_000, 100_000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			name := fmt.Sprint("g", size)
			for first := 0; first < size; first += 1000 {
				command := storetest.Command{"SADD", "group:" + name}
				for i := first; i < first+1000; i++ {
					command = append(command, "article:"+strconv.Itoa(i*10))
				}
				pipe.Run(command)
			}
			h.raw.Do("SADD", "groups", name)
			h.raw.Do("DEL", "score:"+name)
			watchScripts(h)
			read := func() time.Duration {
				start := time.Now()
				places, _, err := h.Rankings.ListPlaces(b.Context(), name, feed.Cursor{}, 25)
				if err != nil || len(places) != 25 {
					b.Fatal(len(places), err)
				}
				return time.Since(start)
			}
			before := processorTime(h)
			first := read()
			spentByRedis, calls := processorTime(h)-before, len(scripts(h))
			slowest := slices.Max(scripts(h))
			var spent []time.Duration
			for i := 0; b.Loop(); i++ {
				if i%100 == 0 && h.raw.Int("TTL", "score:"+name) > 0 {
					h.raw.Do("DEL", "score:"+name)
				}
				spent = append(spent, read())
			}
			slices.Sort(spent)
			b.ReportMetric(first.Seconds()*1e3, "first-ms")
			b.ReportMetric(spent[len(spent)*99/100].Seconds()*1e3, "p99-ms")
			b.ReportMetric(slowest.Seconds()*1e3, "longest-call-ms")
			b.ReportMetric(spentByRedis.Seconds()*1e3/float64(calls), "cpu-ms/call")
		})
	}
}

// BenchmarkArranging moves an entry of the longest list to where all entries have to be numbered anew, and deletes such a list, in which each entry
// is in feed.MaxListsOf lists. Both must not block Redis for more than 5 ms.
func BenchmarkArranging(b *testing.B) {
	dial, now := storetest.Redis(b), storetest.NewClock()
	h := &house{Store: storetest.New(b, core.Options{Dial: dial, Now: now.Now}), t: b, now: now, raw: storetest.Commands(b, dial)}
	entries := make([]*feed.Entry, feed.MaxListed)
	for i := range entries {
		entries[i] = h.entry(harbour, fmt.Sprint("Entry number ", i), now.Time)
	}
	var others []string
	for i := range feed.MaxListsOf - 1 {
		others = append(others, fmt.Sprint("another-list-with-a-name-", i))
	}
	fill := func(name string) {
		for _, e := range entries {
			h.raw.Do("HDEL", "article:"+e.Number(), "lists")
		}
		h.arrange(name, entries...)
		for _, e := range entries {
			h.raw.Do("HSET", "article:"+e.Number(), "lists", strings.Join(append(others, name), ","))
		}
	}
	report := func(b *testing.B, calls []time.Duration) {
		slices.Sort(calls)
		b.ReportMetric(calls[len(calls)-1].Seconds()*1e3, "longest-call-ms")
		b.ReportMetric(calls[len(calls)/2].Seconds()*1e3, "median-ms")
	}
	b.Run("renumber", func(b *testing.B) {
		fill("front")
		watchScripts(h)
		for b.Loop() {
			top := h.raw.Strings("ZREVRANGE", "list:front:order", 0, 1, "WITHSCORES")
			h.raw.Do("ZADD", "list:front:order", number(top[1])-1e-9, top[2])
			last := h.raw.Strings("ZRANGE", "list:front:order", 0, 0)[0]
			h.place("front", &feed.Entry{ID: strings.Replace(last, "article", "Entry", 1)}, feed.ListTarget{Position: 2})
			if top := h.raw.Strings("ZREVRANGE", "list:front:order", 0, 0, "WITHSCORES"); top[1] != "998" {
				b.Fatalf("the first entry has the score %s: the entries were not numbered anew", top[1])
			}
		}
		report(b, scripts(h))
	})
	b.Run("delete", func(b *testing.B) {
		var calls []time.Duration
		for b.Loop() {
			b.StopTimer()
			fill("gone")
			watchScripts(h)
			b.StartTimer()
			h.ok(h.Rankings.DeleteList(b.Context(), "gone", ""))
			b.StopTimer()
			calls = append(calls, scripts(h)...)
			b.StartTimer()
		}
		report(b, calls)
	})
}

// watchScripts resets the slow log, which has commands from 0.1 ms on.
func watchScripts(h *house) {
	h.raw.Do("CONFIG", "SET", "slowlog-log-slower-than", 100, "slowlog-max-len", 100_000)
	h.raw.Do("SLOWLOG", "RESET")
}

// scripts returns how long Redis took for each slow script since watchScripts. On a busy machine that includes the time of other programs.
func scripts(h *house) (all []time.Duration) {
	entries, _ := h.raw.Do("SLOWLOG", "GET", -1).([]any)
	for _, one := range entries {
		fields := one.([]any)
		if command, _ := fields[3].([]any); string(command[0].([]byte)) == "EVALSHA" || string(command[0].([]byte)) == "EVAL" {
			all = append(all, time.Duration(fields[2].(int64))*time.Microsecond)
		}
	}
	return all
}

// processorTime returns the processor time that Redis has used for commands.
func processorTime(h *house) (sum time.Duration) {
	for line := range strings.Lines(string(h.raw.Do("INFO", "cpu").([]byte))) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if strings.HasSuffix(name, "_main_thread") {
			spent, err := time.ParseDuration(value + "s")
			h.ok(err)
			sum += spent
		}
	}
	return sum
}
