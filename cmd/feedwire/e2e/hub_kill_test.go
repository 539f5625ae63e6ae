package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// How long deliveries of these tests may take, and how long claims of them last: three times that.
const (
	deliveryTime = 3 * time.Second
	claimTime    = 3*deliveryTime + time.Second
)

// publisher changes a source, tells the hub, and knows what subscribers have to know in the end.
type publisher struct {
	t      *testing.T
	web    *wiretest.Origin
	topic  string
	items  []wiretest.Item
	titles map[string]string // of what came since the audience has joined, by guid
}

func newPublisher(t *testing.T) *publisher {
	web := wiretest.NewOrigin(t)
	b := &publisher{t: t, web: web, topic: web.URL + "/feed.xml", titles: make(map[string]string)}
	b.items = wiretest.Posts(1)
	web.Set("/feed.xml", b.items...)
	return b
}

// change adds a post and edits every third one.
func (b *publisher) change() {
	n := len(b.items)
	next := wiretest.Post(fmt.Sprintf("p%d", n), fmt.Sprintf("Post %d", n), "<p>Text.</p>")
	b.items = append(b.items, next)
	b.titles[next.GUID] = next.Title
	if n%3 == 0 {
		edited := &b.items[n-1]
		edited.Title += ", edited"
		b.titles[edited.GUID] = edited.Title
	}
	b.web.Set("/feed.xml", b.items...)
}

// publish changes the source and tells a hub until it listens.
func (b *publisher) publish(p *wiretest.Process) {
	b.t.Helper()
	b.change()
	wiretest.Eventually(b.t, "told of news", func() bool {
		resp, err := http.PostForm("http://"+p.Address+"/hub", url.Values{"hub.mode": {"publish"}, "hub.topic": {b.topic}})
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusNoContent
	})
}

// enter makes a source of a daemon.
func (b *publisher) enter(p *wiretest.Process) {
	b.t.Helper()
	c := p.Client()
	in := map[string]any{"url": b.topic, "interval": "1s"}
	if err := c.Call(b.t.Context(), http.MethodPost, "/api/v1/sources", in, nil); err != nil {
		b.t.Fatal(err)
	}
	if _, err := client.Poll(b.t.Context(), c, feed.SourceID(b.topic), nil); err != nil {
		b.t.Fatal(err)
	}
}

// gather makes a source of a daemon, and an audience that subscribes to it at the hubs of all of them.
func (b *publisher) gather(random *rand.Rand, daemons ...*wiretest.Process) *audience {
	b.t.Helper()
	b.enter(daemons[0])
	var hubs []string
	for _, p := range daemons {
		hubs = append(hubs, "http://"+p.Address+"/hub")
	}
	c := newAudience(b.t, b.topic, random)
	c.join(hubs...)
	wiretest.Eventually(b.t, "subscribed", func() bool { return len(subscriptions(b.t, daemons[0])) == len(c.members) })
	c.dying.Close()
	return c
}

// subscriptions are the ids of what a daemon's hub has.
func subscriptions(t *testing.T, p *wiretest.Process) (all []string) {
	t.Helper()
	var page feed.Page[struct{ ID string }]
	if err := p.Client().Call(t.Context(), http.MethodGet, "/api/v1/hub/subscriptions?limit=200", nil, &page); err != nil {
		t.Log(err)
	}
	for _, s := range page.Items {
		all = append(all, s.ID)
	}
	slices.Sort(all)
	return all
}

// settle waits until everything has come to everybody, and looks through the ledger. A daemon that is killed before it delivers combines
// versions, so that those who go after their third one may need more.
func (b *publisher) settle(c *audience, p *wiretest.Process) {
	b.t.Helper()
	wiretest.Eventually(b.t, "all news came to all", func() bool { return c.know(b.titles) })
	for range maxTurn {
		if c.wentAll() {
			break
		}
		b.publish(p)
		wiretest.Eventually(b.t, "all news came to all", func() bool { return c.know(b.titles) })
	}
	wiretest.Eventually(b.t, "left by those who are gone", func() bool { return slices.Equal(subscriptions(b.t, p), c.left()) })
	c.check()
}

// hubLines are what the daemons of these tests have in their configuration. Deliveries wait for each other, so that there
// always are some that a daemon has claimed and not begun.
func hubLines(redis *storetest.Server) string {
	return fmt.Sprintf("store: {redis: \"unix://%s\"}\nhub: {timeout: %v, per_host: 2}", redis.Addr(), deliveryTime)
}

// The program is killed at random moments while its source changes and two hundred subscribers are served, of
// which some are slow, fail, are dead or go. Each that lives gets every version, in order.
func TestHubKilledAtRandomMoments(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	b, p := newPublisher(t), wiretest.BuildProgram(t, hubLines(storetest.RedisAOF(t)))
	p.Start()
	p.Ready()
	c := b.gather(random, p)
	for n := range kills {
		if n%2 == 0 { // and every other time while it takes up what the last one has left
			b.publish(p)
		}
		time.Sleep(time.Duration(random.IntN(1000)) * time.Millisecond)
		p.Kill()
		p.Start()
	}
	p.Ready()
	b.publish(p)
	b.settle(c, p)
}

// Two daemons share the work. In the middle of a fan-out one of them is paused, for longer than its claims last, and the
// other one killed, which comes back and does all the work. Then they change roles, and the one that is killed does not
// come back.
func TestHubOfTwoDaemonsOneKilledAndOnePaused(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	b, lines := newPublisher(t), hubLines(storetest.RedisAOF(t))
	one := wiretest.BuildProgram(t, lines)
	two := wiretest.NewProcess(t, one.Binary, lines)
	one.Start()
	two.Start()
	one.Ready()
	two.Ready()
	c := b.gather(random, one, two)
	strike := func(sleeper, victim *wiretest.Process) {
		b.publish(sleeper)
		c.after(1 + random.IntN(100))
		sleeper.Signal(syscall.SIGSTOP)
		b.publish(victim)
		c.after(1 + random.IntN(100))
		victim.Kill()
	}
	strike(one, two)
	asleep := time.After(claimTime)
	two.Start()
	b.publish(two)
	wiretest.Eventually(t, "all news came to all", func() bool { return c.know(b.titles) })
	<-asleep
	one.Signal(syscall.SIGCONT)
	strike(two, one)
	time.Sleep(claimTime)
	two.Signal(syscall.SIGCONT)
	b.publish(two)
	b.settle(c, two)
}
