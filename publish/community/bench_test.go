package community_test

import (
	"fmt"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/storetest"
)

// fill makes submissions of account 1, and comments on the last one, as scripts of the store leave them. Each comment replies to one of the
// three before, or to none.
const fill = `
local news, comments, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
for n = 1, news do
  local at = now - (news - n) * 60
  redis.call("HSET", "news:" .. n, "id", n, "title", "Submission " .. n .. " of the harbour and its cranes", "url", "https://a.example/" .. n,
    "user_id", 1, "ctime", at, "score", 1, "rank", n, "up", 1, "down", 0, "comments", n == news and comments or 0, "revision", "r")
  redis.call("ZADD", "news.cron", at, n)
  redis.call("ZADD", "news.top", n, n)
end
for c = 1, comments do
  local parent = c % 5 == 1 and -1 or c - c % 3 - 1
  redis.call("HSET", "thread:comment:" .. news, c, cjson.encode({score = 0, parent_id = parent > 0 and parent or -1, user_id = 1, ctime = now - c, up = {1},
    depth = 0, body = "Comment " .. c .. " has a few words, ` + "`code`" + ` and a link, https://a.example/" .. c .. "\n\n> It quotes.\n\nThat is all."}))
end
redis.call("HSET", "thread:comment:" .. news, "nextid", comments)`

// BenchmarkPages measures the processor time of pages with 100,000 submissions and a thread of 2,000 comments: of a member, without the
// compression and the time of Redis.
func BenchmarkPages(b *testing.B) {
	const news, comments = 100_000, 2000
	dial, now := storetest.Redis(b), storetest.NewClock()
	raw := storetest.NewRedigo(b, dial, "")
	s := newSite(b, core.Options{Dial: dial, Now: now.Now}, now, raw)
	raw.Do("EVAL", fill, 0, news, comments, now.Time.Unix())
	s.as("ann")
	for _, path := range []string{"", "/latest", fmt.Sprint("/news/", news), fmt.Sprint("/comment/", news, "/1"), "/submit"} {
		b.Run("GET"+path, func(b *testing.B) {
			var times []time.Duration
			size := 0
			for b.Loop() {
				start := processorTime()
				rec := s.Call(http.MethodGet, "/community"+path, "")
				times = append(times, processorTime()-start)
				if size = rec.Body.Len(); rec.Code != http.StatusOK {
					b.Fatalf("%d %s", rec.Code, rec.Body)
				}
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)*99/100].Seconds()*1000, "p99-cpu-ms")
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

// processorTime returns the processor time of the process.
func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // it never fails
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
