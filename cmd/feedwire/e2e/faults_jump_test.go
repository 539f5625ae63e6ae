//go:build faults

package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
)

const day = 24 * time.Hour

// soon bounds how long something may wait after a jump: the first retry of a delivery up to 10 s, a claim of one up to 6 s, the check
// of the clock up to 10 s.
const soon = 45 * time.Second

// pushedSource is a source whose hub pushes.
type pushedSource struct {
	hub    *wiretest.Hub
	url    string
	render func(...wiretest.Item) string
	posts  []wiretest.Item
}

// onClock gives the daemon a clock of its own.
func (tr *trial) onClock(environment func(*wiretest.Clock) []string) {
	tr.clock = wiretest.NewClock(tr.T)
	tr.environ = append(environment(tr.clock), "FEEDWIRE_PUBLIC_URL=http://"+tr.Address, "FEEDWIRE_FETCH_PUSH=always", "FEEDWIRE_HUB_TIMEOUT=2s", "FEEDWIRE_HOUSEKEEPING_EXPIRE=@every 3s",
		"FEEDWIRE_SIGNALS_KEEP=96h") // no jump ends it, nor the window of the feeds
}

// pushes adds a source whose hub pushes.
func (tr *trial) pushes() *pushedSource {
	tr.T.Helper()
	p := &pushedSource{hub: wiretest.NewHub(tr.T)}
	p.hub.Lease = "864000" // ten days: no jump ends it
	p.url, p.render = wiretest.Advertised(tr.T, p.hub.URL)
	p.posts = []wiretest.Item{wiretest.Post("p1", "Known", "a")}
	in := map[string]any{"url": p.url, "interval": "1h"}
	if err := tr.Client().Call(tr.T.Context(), http.MethodPost, "/api/v1/sources", in, nil); err != nil {
		tr.T.Fatal(err)
	}
	wiretest.Eventually(tr.T, "subscribed at the hub", func() bool { return tr.push(p).State == feed.PushActive })
	return p
}

func (tr *trial) push(p *pushedSource) feed.Push {
	var source feed.Source
	_ = tr.Client().Call(tr.T.Context(), http.MethodGet, "/api/v1/sources/"+feed.SourceID(p.url), nil, &source)
	return source.Push
}

// deliver pushes one more post.
func (tr *trial) deliver(p *pushedSource) {
	tr.T.Helper()
	n := len(p.posts) + 1
	p.posts = append(p.posts, wiretest.Post(fmt.Sprintf("p%d", n), fmt.Sprintf("Pushed %d", n), "a"))
	wiretest.Eventually(tr.T, "accepted", func() bool { return p.hub.Deliver(p.render(p.posts...), nil)/100 == 2 })
}

// setClock sets the clock while a subscriber fails, so that deliveries wait for their next attempt. The other subscriber and the
// source that is pushed must not notice it.
func setClock(by time.Duration) func(*trial) {
	return func(tr *trial) {
		pushed, other := tr.pushes(), newAddressee(tr.T)
		other.subscribe(tr.T, tr.Process, tr.topic)
		tr.deliver(pushed)
		tr.reader.failing.Store(true)
		tr.news(2 * time.Second)
		wiretest.Eventually(tr.T, "waiting for another attempt", func() bool { return tr.reader.failures() > 0 })
		people := tr.people(by >= day && tr.redis == nil)
		if tr.redis == nil {
			tr.killChild() // impressions are in the journal when the clock jumps
		}
		tr.clock.Jump(by)
		jumped := time.Now()
		tr.deliver(pushed)
		tr.reader.failing.Store(false)
		tr.continues(jumped, pushed, other)
		takenOnce(tr.T, []*wiretest.Process{tr.Process}, tr.reader, other)
		people()
	}
}

// continues checks that everything goes on soon after a change of the clock.
func (tr *trial) continues(since time.Time, pushed *pushedSource, other *addressee) {
	tr.T.Helper()
	tr.news(2 * time.Second)
	last := tr.posts[len(tr.posts)-1]
	wiretest.Within(tr.T, soon, "another subscriber has the news", func() bool { return other.title(last.GUID) == last.Title })
	tr.T.Logf("another subscriber has all news after %v", time.Since(since))
	wiretest.Within(tr.T, soon, "the subscriber that failed has the news", func() bool { return tr.reader.title(last.GUID) == last.Title })
	tr.T.Logf("the subscriber that failed has all news after %v", time.Since(since))
	done := tr.expirations()
	wiretest.Within(tr.T, soon, "jobs run", func() bool { return tr.expirations() > done })
	if p := tr.push(pushed); p.State != feed.PushActive {
		tr.T.Errorf("the subscription at the hub is %q", p.State)
	}
}

// takenOnce checks that daemons repeated no delivery that was answered. An attempt without an answer within hub.timeout must be repeated,
// even if the subscriber took it.
func takenOnce(t *testing.T, daemons []*wiretest.Process, subscribers ...*addressee) {
	t.Helper()
	repeated, unanswered := 0, 0
	for _, s := range subscribers {
		s.mu.Lock()
		for _, n := range s.taken {
			repeated += n - 1
		}
		s.mu.Unlock()
	}
	for _, p := range daemons {
		for _, class := range []string{"timeout", "error"} {
			unanswered += int(scrape(t, p.Address, "feedwire_hub_delivery_attempts_total", `code_class="`+class+`"`))
		}
	}
	if repeated > unanswered {
		t.Errorf("subscribers took %d deliveries again, and %d attempts had no answer", repeated, unanswered)
	}
}

// expirations is how often the job ran that expires entries.
func (tr *trial) expirations() float64 {
	return scrape(tr.T, tr.Address, "feedwire_cron_runs_total", `task="expire_entries"`)
}

// failures is how many deliveries the subscriber refused.
func (s *addressee) failures() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// title is that of a post as the subscriber knows it.
func (s *addressee) title(guid string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.titles[guid]
}
