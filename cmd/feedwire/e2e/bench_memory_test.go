package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/storetest"
)

// BenchmarkServeMemory is the memory of a daemon that serves 50 feeds of 100 articles of 5 KB, each taken plain and
// compressed and changed once since: MB now and at the most (resident, as the system counts), and the share of 200 MB.
func BenchmarkServeMemory(b *testing.B) {
	var types []string
	feeds := "feeds:\n"
	for i := range 50 {
		types = append(types, fmt.Sprintf("feed%02d", i))
		feeds += "  " + types[i] + ":\n"
	}
	redis := storetest.RedisAOF(b)
	s := storetest.New(b, store.Options{Dial: redis.Dial})
	publishStories(b, s, types, 0, 99)
	p := startProgram(b, redis, feeds)
	round := func() {
		for _, typ := range types {
			for _, encoding := range []string{"identity", "gzip"} {
				take(b, p.address(), "/feed/"+typ, http.Header{"Accept-Encoding": {encoding}})
			}
		}
	}
	round()
	publishStories(b, s, types, 99, 100)
	time.Sleep(200 * time.Millisecond) // past the freshness of what was served
	round()
	for b.Loop() {
		round()
	}
	rss, peak := p.memory()
	b.ReportMetric(rss, "MB")
	b.ReportMetric(peak, "peak-MB")
	b.ReportMetric(200/peak, "of-limit")
}

// address is where the program listens.
func (p *program) address() string { return strings.TrimPrefix(p.api.Base, "http://") }
