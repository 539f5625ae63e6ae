package e2e

import (
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// serveCases are the ways to take a feed.
var serveCases = []struct {
	name, encoding string
	held           bool // the client names the document by its tag
}{{"200 plain", "identity", false}, {"200 gzip", "gzip", false}, {"304", "gzip", true}}

// BenchmarkServe takes a feed of 100 articles of 5 KB from the real daemon on a real Redis, over 64 connections that stay
// open. The limit is net/http with the very same bytes and header lines in memory, in a process of its own too. They take
// turns on the same processors with those who ask. See contest for what is reported.
func BenchmarkServe(b *testing.B) { benchServe(b, "/feed/production", "bench") }

// BenchmarkServeCounted does the same as the consumer of a feed whose articles do not retire: each fetch is recorded, and
// no turn begins before that is over.
func BenchmarkServeCounted(b *testing.B) { benchServe(b, "/feed/standing", wiretest.Facebook) }

func benchServe(b *testing.B, path, agent string) {
	p := startServing(b)
	for _, bc := range serveCases {
		b.Run(bc.name, func(b *testing.B) {
			header := http.Header{"User-Agent": {agent}, "Accept-Encoding": {bc.encoding}}
			got := take(b, p.address(), path, header)
			if bc.held {
				header.Set("If-None-Match", got.Header.Get("ETag"))
				got = take(b, p.address(), path, header)
			}
			var all contest
			all.add(b, "", p.cmd.Process.Pid, p.address(), path, header)
			for _, kind := range []string{timed, bare} {
				address, pid := startBenchAnswer(b, kind, got)
				all.add(b, kind, pid, address, path, header)
			}
			all.run(b, p.awaitRecorded)
		})
	}
}

// BenchmarkServeCountedDelay is what counting adds until clients have the last byte: the limit is the same request by
// clients that do not count. delay-ms is the difference of the medians.
func BenchmarkServeCountedDelay(b *testing.B) {
	p := startServing(b)
	for _, clients := range []int{1, 64} {
		for _, bc := range serveCases[:2] {
			b.Run(fmt.Sprintf("%s/clients=%d", bc.name, clients), func(b *testing.B) {
				of := func(agent string) *crowd {
					header := http.Header{"User-Agent": {agent}, "Accept-Encoding": {bc.encoding}}
					return newCrowd(b, clients, p.address(), "/feed/standing", header)
				}
				counted, other := of(wiretest.Facebook), of("bench")
				storetest.Race{
					Ours: func() { counted.fetch(4) }, Limit: func() { other.fetch(4) }, Ops: 4 * clients, Rounds: 8,
				}.Run(b)
				b.ReportMetric(counted.within(0.5)-other.within(0.5), "delay-ms")
			})
		}
	}
}

// BenchmarkRecordFetches is the recording of a thousand fetches of one document. The limit is to record them one by one.
func BenchmarkRecordFetches(b *testing.B) {
	s := storetest.New(b, store.Options{Dial: storetest.RedisAOF(b).Dial})
	shown := publishStories(b, s, []string{"standing"}, 0, 100)
	bring := func(times, calls int) func() {
		return func() {
			for range calls {
				fetches := feed.Fetches{Shown: shown, All: []feed.Fetch{{ID: rand.Text(), Times: times}}}
				if _, err := s.Articles.RecordImpressions(b.Context(), "standing", fetches, 0); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	storetest.Race{Ours: bring(1000, 1), Limit: bring(1, 1000), Ops: 1000}.Run(b)
}

// startServing starts a daemon with two feeds of the same 100 articles. From the feed "standing" none retires.
func startServing(b *testing.B) *program {
	b.Helper()
	redis := storetest.RedisAOF(b)
	publishStories(b, storetest.New(b, store.Options{Dial: redis.Dial}), []string{"production", "standing"}, 0, 100)
	return startProgram(b, redis, "feeds: {production: {}, standing: {impressions: {retire_after: 0}}}\n")
}

// publishStories publishes articles of 5 KB once in each feed, and tells what a document of all of them shows.
func publishStories(b *testing.B, s *store.Store, types []string, from, to int) (shown []feed.Impression) {
	b.Helper()
	for i := from; i < to; i++ {
		article := feed.Article{
			UUID: feed.ArticleUUID("http://x.example/feed", strconv.Itoa(i)), FeedURL: "http://x.example/feed", GUID: strconv.Itoa(i),
			Title: fmt.Sprintf("Post %d", i), Canonical: fmt.Sprintf("http://x.example/%d", i), Digest: "digest",
			Content: storetest.Prose(mathrand.New(mathrand.NewPCG(1, uint64(i))), 5000), Published: time.Unix(1795176000, 0),
		}
		if _, err := s.Articles.SaveArticle(b.Context(), article); err != nil {
			b.Fatal(err)
		}
		for _, typ := range types {
			if err := wiretest.PublishArticle(b.Context(), s, article.UUID, typ); err != nil {
				b.Fatal(err)
			}
		}
		shown = append(shown, feed.Impression{UUID: article.UUID, Revision: 1})
	}
	return shown
}

var countedMetric = regexp.MustCompile(`(?m)^feedwire_impressions_total\{.*outcome="counted".*$`)

// awaitRecorded returns when impressions have not been recorded for a while.
func (p *program) awaitRecorded() {
	var last []string
	for quiet := 0; quiet < 8; quiet++ {
		body := take(p.b, p.address(), "/metrics", http.Header{}).Body
		now := countedMetric.FindAllString(string(body), -1)
		if !slices.Equal(now, last) {
			last, quiet = now, 0
		}
		time.Sleep(10 * time.Millisecond)
	}
}
