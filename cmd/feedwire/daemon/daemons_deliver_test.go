//go:build !race

package daemon

import (
	"flag"
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
)

// subscribers is to how many a post is delivered. A daemon takes some tens ahead, so that many are needed for even parts.
var subscribers = flag.Int("subscribers", 80, "to how many subscribers daemons deliver")

// deliveries are of one post to subscribers at one host, which takes its time. Each daemon brings a few there at a time, so
// that more of them bring more.
func (f *fleet) deliveries() workload {
	t := f.t
	callbacks := newSlowOrigin(t, *answersAfter)
	web := wiretest.NewOrigin(t)
	web.Set("/news.xml", wiretest.Posts(1)...)
	src := f.daemons[0].add(web.URL+"/news.xml", nil)
	for i := range *subscribers {
		subscribeReader(t, f.daemons[0], src.URL, fmt.Sprintf("%s/%d", callbacks.URL, i))
	}
	taken := func(d *daemon) float64 { return d.metric("feedwire_hub_delivery_attempts_total", "code_class", "2xx") }
	all, n := 0.0, 1
	return workload{"deliveries a second", func() float64 {
		n++
		all += float64(*subscribers)
		web.Set("/news.xml", wiretest.Posts(n)...)
		begun := time.Now()
		f.daemons[0].do(http.MethodPost, "/api/v1/sources/"+src.ID+"/poll", nil, nil)
		wiretest.Eventually(t, "delivered", func() bool {
			sum := 0.0
			for _, d := range f.daemons {
				sum += taken(d)
			}
			return sum >= all
		})
		took := time.Since(begun)
		wiretest.Eventually(t, "nothing left to deliver", func() bool {
			return f.raw.Int("ZCARD", "hub:ready")+f.raw.Int("ZCARD", "hub:planning") == 0
		})
		got := callbacks.pass()
		if len(got) != *subscribers {
			t.Errorf("%d of %d subscribers were told", len(got), *subscribers)
		}
		for path, times := range got {
			if times != 1 {
				t.Errorf("subscriber %s was told %d times", path, times)
			}
		}
		return float64(*subscribers) / took.Seconds()
	}, taken}
}
