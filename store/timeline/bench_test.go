package timeline_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// bench is a house with raw commands to compare it with.
type bench struct {
	*house
	b    *testing.B
	pipe *storetest.Pipeline
}

func newBench(b *testing.B) *bench {
	b.Helper()
	dial, now := storetest.Redis(b), storetest.NewClock()
	return &bench{&house{storetest.New(b, core.Options{Dial: dial, Now: now.Now, PullFollowers: 1e9}), b, now, storetest.Commands(b, dial), nil}, b, storetest.NewPipeline(b, dial)}
}

// warm gives users 1 to count the follow of a source and a warm cache of so many entries, numbered from 1e6.
func (h *bench) warm(count, entries int) {
	h.b.Helper()
	for user := 1; user <= count; user++ {
		cache := fmt.Sprint("feed:user:", user)
		members := storetest.Command{"ZADD", cache}
		for i := range entries {
			members = append(members, h.now.Time.Unix()-int64(entries)+int64(i), 1_000_000+i)
		}
		if entries > 0 {
			h.pipe.Run(members)
		}
		h.pipe.Run(storetest.Command{"EXPIRE", cache, 600_000}, storetest.Command{"SET", cache + ":warm", "ready", "EX", 600_000},
			storetest.Command{"HSET", fmt.Sprint("user.follows:", user), harbour, "{}"}, storetest.Command{"ZADD", harbour + ":followers", user, user})
	}
}

// sources makes users 1 to readers follow count sources with so many entries each. The newest ones exist.
func (h *bench) sources(count, entries, readers int) {
	h.b.Helper()
	var urls []string
	for i := range count {
		url := fmt.Sprintf("http://s%d.example/", i)
		urls = append(urls, url)
		members := storetest.Command{"ZADD", url + ":sort"}
		for n := range entries {
			members = append(members, h.now.Time.Unix()-int64(1+n*count+i), fmt.Sprint("Entry:", 1_000_000+n*count+i))
		}
		h.pipe.Run(members)
		if i < 2*size {
			h.save(url, "new", h.now.Time.Add(time.Duration(i)*time.Second))
		}
	}
	for user := 1; user <= readers; user++ {
		follows := storetest.Command{"HSET", fmt.Sprint("user.follows:", user)}
		for _, url := range urls {
			follows = append(follows, url, "{}")
		}
		h.pipe.Run(follows)
	}
}

// read returns the first page of a user, which must be full.
func (h *bench) read(user int64, after feed.Cursor) feed.TimelinePage {
	page, err := h.Timelines.Timeline(h.b.Context(), user, after, size)
	if err != nil || len(page.Entries) != size {
		h.b.Errorf("a page has %d entries, %v", len(page.Entries), err)
	}
	return page
}

// compare runs a step of feedwire and its raw commands in turn, and reports the time of a step as a multiple of theirs, and how many commands
// of feedwire blocked Redis for more than 5 ms.
func (h *bench) compare(step, raw func(i int)) {
	var spent, limit []time.Duration
	h.raw.Do("CONFIG", "SET", "slowlog-log-slower-than", 5000)
	slow := 0
	for i := 0; h.b.Loop(); i++ {
		h.raw.Do("SLOWLOG", "RESET")
		start := time.Now()
		step(i)
		spent = append(spent, time.Since(start))
		slow += h.raw.Int("SLOWLOG", "LEN")
		start = time.Now()
		raw(i)
		limit = append(limit, time.Since(start))
	}
	h.b.ReportMetric(float64(slow), "slow-commands")
	slices.Sort(spent)
	slices.Sort(limit)
	h.b.ReportMetric(spent[len(spent)/2].Seconds()*1e3, "ms")
	h.b.ReportMetric(spent[len(spent)*99/100].Seconds()*1e3, "p99-ms")
	h.b.ReportMetric(spent[len(spent)/2].Seconds()/limit[len(limit)/2].Seconds(), "of-raw")
}

// BenchmarkTimelineFanOut (B1) brings an entry into warm timelines, with two workers as a daemon has. The raw commands add it to each, trim
// it and set its TTL.
func BenchmarkTimelineFanOut(b *testing.B) {
	for _, followers := range []int{1000, 10_000, 100_000} {
		b.Run(strconv.Itoa(followers), func(b *testing.B) {
			h := newBench(b)
			h.raw.Do("CONFIG", "SET", "zset-max-listpack-entries", 512) // 100,000 timelines take 0.3 GB
			h.warm(followers, 100)
			plan := func(i int) {
				id := h.save(harbour, strconv.Itoa(i), h.now.Time.Add(time.Duration(i)*time.Second))
				h.ok(h.Timelines.PlanFanout(b.Context(), []feed.Signal{{FeedURL: harbour, Entry: id, Time: h.now.Time}}))
				var changed atomic.Int64
				var workers errgroup.Group
				workers.SetLimit(2)
				for _, c := range h.chunks() {
					workers.Go(func() error {
						n, err := h.Timelines.ApplyChunk(b.Context(), c)
						changed.Add(int64(n))
						return cmp.Or(err, h.Timelines.FinishChunk(b.Context(), c))
					})
				}
				h.ok(workers.Wait())
				if changed.Load() != int64(followers) {
					b.Fatalf("%d timelines have changed", changed.Load())
				}
			}
			h.compare(plan, func(i int) {
				for first := 1; first <= followers; first += 500 {
					var commands []storetest.Command
					for user := first; user < first+500; user++ {
						cache := fmt.Sprint("feed:user:", user)
						commands = append(commands, storetest.Command{"ZADD", cache, h.now.Time.Unix() + int64(i), 2_000_000 + i},
							storetest.Command{"ZREMRANGEBYRANK", cache, 0, -501}, storetest.Command{"EXPIRE", cache, 600_000})
					}
					h.pipe.Run(commands...)
				}
			})
		})
	}
}

// BenchmarkTimelinePage (B2) reads pages of a warm timeline. The raw commands read the same entries.
func BenchmarkTimelinePage(b *testing.B) {
	for name, deep := range map[string]bool{"first": false, "deep": true} {
		b.Run(name, func(b *testing.B) {
			h := newBench(b)
			h.follow(reader, harbour)
			h.fill(harbour, 0, 500)
			var cursor feed.Cursor
			for h.page(cursor); deep && cursor.Member == ""; {
				page, err := h.Timelines.Timeline(b.Context(), reader, feed.Cursor{}, 250)
				h.ok(err)
				cursor = page.Next
			}
			h.compare(func(int) { h.read(reader, cursor) }, func(int) {
				first := 0
				if deep {
					first = 250
				}
				var commands []storetest.Command
				for _, member := range h.raw.Strings("ZREVRANGE", cacheKey, first, first+size) {
					commands = append(commands, storetest.Command{"HGETALL", "Entry:" + member})
				}
				h.pipe.Run(commands...)
			})
		})
	}
	b.Run("clients=16", func(b *testing.B) {
		h := newBench(b)
		const readers = 500
		h.sources(100, 20, readers)
		for user := range int64(readers) {
			h.read(1+user, feed.Cursor{}) // otherwise this measures cold starts
		}
		b.ResetTimer()
		var pages atomic.Int64
		b.SetParallelism(max(1, 16/runtime.GOMAXPROCS(0)))
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				h.read(1+rand.Int64N(readers), feed.Cursor{})
				pages.Add(1)
			}
		})
		b.ReportMetric(float64(pages.Load())/b.Elapsed().Seconds(), "pages/s")
	})
}

// BenchmarkTimelineColdStart (B3) builds a timeline. The raw command is ZUNIONSTORE of all sources.
func BenchmarkTimelineColdStart(b *testing.B) {
	for _, count := range []int{20, 200, 1000} {
		for _, entries := range []int{50, 500} {
			b.Run(fmt.Sprintf("%dx%d", count, entries), func(b *testing.B) {
				h := newBench(b)
				h.sources(count, entries, 1)
				union := storetest.Command{"ZUNIONSTORE", "union", count}
				for i := range count {
					union = append(union, fmt.Sprintf("http://s%d.example/:sort", i))
				}
				h.compare(func(int) {
					h.read(1, feed.Cursor{})
					h.raw.Do("DEL", "feed:user:1", "feed:user:1:warm")
				}, func(int) { h.pipe.Run(union) })
			})
		}
	}
}

// BenchmarkTimelineStorm (B4) has 5,000 readers return at once without caches, while entries arrive. No timeline may miss one.
func BenchmarkTimelineStorm(b *testing.B) {
	const readers, arrivals = 5000, 50
	h := newBench(b)
	h.warm(readers, 0)
	h.fill(harbour, 0, 100)
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		for user := range readers {
			h.pipe.Run(storetest.Command{"DEL", fmt.Sprint("feed:user:", user+1), fmt.Sprintf("feed:user:%d:warm", user+1)})
		}
		b.StartTimer()
		var all sync.WaitGroup
		for worker := range 16 {
			all.Go(func() {
				for user := worker; user < readers; user += 16 {
					h.read(int64(user+1), feed.Cursor{})
				}
			})
		}
		for n := range arrivals {
			h.save(harbour, fmt.Sprint("storm ", i, " ", n), h.now.Time.Add(time.Duration(i*arrivals+n)*time.Second))
			h.drain()
		}
		all.Wait()
		b.StopTimer()
		newest := h.raw.Strings("ZREVRANGE", harbour+":sort", 0, arrivals-1)
		for user := 1; user <= readers; user++ {
			cached := h.raw.Strings("ZREVRANGE", fmt.Sprint("feed:user:", user), 0, arrivals-1)
			if !slices.EqualFunc(cached, newest, func(number, id string) bool { return "Entry:"+number == id }) {
				b.Fatalf("the timeline of user %d misses an entry", user)
			}
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(readers*b.N)/b.Elapsed().Seconds(), "readers/s")
}

// BenchmarkTimelineMemory (B9) reports what full timelines and follows occupy.
func BenchmarkTimelineMemory(b *testing.B) {
	for _, listpack := range []int{128, 512} {
		b.Run(fmt.Sprintf("listpack=%d", listpack), func(b *testing.B) {
			h := newBench(b)
			h.raw.Do("CONFIG", "SET", "zset-max-listpack-entries", listpack)
			for b.Loop() {
				h.warm(100, 500)
			}
			b.ReportMetric(float64(h.raw.Int("MEMORY", "USAGE", "feed:user:50", "SAMPLES", 0)), "B/timeline")
			followers := storetest.Command{"ZADD", yard + ":followers"}
			for user := range 20_000 {
				followers = append(followers, user, user)
			}
			h.pipe.Run(followers)
			b.ReportMetric(float64(h.raw.Int("MEMORY", "USAGE", yard+":followers", "SAMPLES", 0))/20_000, "B/follower")
			const follows = 300
			for i := range follows {
				h.follow(reader, fmt.Sprintf("https://blog%d.example.org/feed.xml", i))
			}
			b.ReportMetric(float64(h.raw.Int("MEMORY", "USAGE", followKey, "SAMPLES", 0))/follows, "B/follow")
		})
	}
}
