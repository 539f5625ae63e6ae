package e2e

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/mmcdole/gofeed"

	"github.com/feedwire/feedwire/store/storetest"
)

// benchWorkers is how many feeds both sides fetch at a time.
const benchWorkers = 64

// floor is a minimal poller with Redis, the baseline of the benchmark. It sends conditional requests, parses with gofeed, compares
// a hash of each entry with the hashes in memory, and writes new entries in one pipeline per feed. It has no rate limits, no repairs,
// no signals and no persistent state.
type floor struct {
	b     *testing.B
	feeds []*floorFeed
	redis *redis.Pool
	http  *http.Client
	used  cpuClock
}

type floorFeed struct {
	url, tag string
	known    map[string][32]byte
}

func newFloor(b *testing.B, urls []string) *floor {
	b.Helper()
	server := benchRedis(b)
	transport := &http.Transport{MaxIdleConnsPerHost: benchWorkers}
	f := &floor{
		b: b, http: &http.Client{Transport: transport, Timeout: 30 * time.Second},
		redis: &redis.Pool{MaxIdle: benchWorkers, DialContext: func(ctx context.Context) (redis.Conn, error) {
			return redis.DialContext(ctx, "unix", server.Addr(), redis.DialContextFunc(
				func(ctx context.Context, _, _ string) (net.Conn, error) { return server.Dial(ctx) }))
		}},
		used: cpuClock{b, storetest.Commands(b, server.Dial), ownCPU},
	}
	b.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = f.redis.Close()
	})
	for _, url := range urls {
		f.feeds = append(f.feeds, &floorFeed{url: url, known: make(map[string][32]byte)})
	}
	return f
}

// pass polls all feeds.
func (f *floor) pass() {
	work := make(chan int)
	var workers sync.WaitGroup
	for range benchWorkers {
		workers.Go(func() {
			for i := range work {
				if err := f.poll(i); err != nil {
					f.b.Error(err)
				}
			}
		})
	}
	for i := range f.feeds {
		work <- i
	}
	close(work)
	workers.Wait()
}

func (f *floor) poll(number int) error {
	at := f.feeds[number]
	req, err := http.NewRequestWithContext(f.b.Context(), http.MethodGet, at.url, http.NoBody)
	if err != nil {
		return err
	}
	if at.tag != "" {
		req.Header.Set("If-None-Match", at.tag)
	}
	resp, err := f.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotModified {
		return nil
	}
	parsed, err := gofeed.NewParser().Parse(resp.Body)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	conn := f.redis.Get()
	defer conn.Close()
	sent := 1
	for _, i := range parsed.Items {
		sum := sha256.Sum256([]byte(i.Title + "\x00" + i.Link + "\x00" + i.Description + "\x00" + i.Content))
		if at.known[i.GUID] == sum {
			continue
		}
		at.known[i.GUID] = sum
		key := fmt.Sprintf("e:%d:%x", number, sha256.Sum256([]byte(i.GUID)))[:24]
		_ = conn.Send("HSET", key, "id", i.GUID, "title", i.Title, "link", i.Link, "summary", i.Description, "content", i.Content,
			"published", i.Published, "updated", i.Updated, "feed", number)
		_ = conn.Send("ZADD", fmt.Sprintf("f:%d", number), time.Now().Unix(), key)
		sent += 2
	}
	at.tag = resp.Header.Get("Etag")
	_ = conn.Send("HSET", fmt.Sprintf("s:%d", number), "etag", at.tag)
	if err := conn.Flush(); err != nil {
		return err
	}
	for range sent {
		if _, err := conn.Receive(); err != nil {
			return err
		}
	}
	return nil
}

// ownCPU is the processor time of this process.
func ownCPU(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
