package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// crash is a point at which the program kills itself when it comes there for the nth time; see crashpoint.go.
type crash struct {
	point string
	nth   int
}

// dieAt starts the program, keeps it busy, and sees it die at the point and nowhere else. busy is called ten times a
// second, with the number of the call.
func (p *process) dieAt(c crash, busy func(n int)) {
	p.t.Helper()
	p.start(fmt.Sprintf("CRASH_AT=%s:%d", c.point, c.nth))
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	giveUp := time.After(patience)
	for n := 0; ; n++ {
		busy(n)
		select {
		case err := <-ended:
			state, _ := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
			p.cmd = nil
			if !state.Signaled() || state.Signal() != syscall.SIGKILL || !strings.Contains(p.log.String(), "crash "+c.point+"\n") {
				p.t.Fatalf("%v: it ended otherwise: %v\n%s", c, err, p.log)
			}
			return
		case <-giveUp:
			_ = p.cmd.Process.Kill()
			<-ended
			p.cmd = nil
			p.t.Fatalf("%v: it did not come there within %v\n%s", c, patience, p.log)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// requestCrashes are the points on the way from a request to a subscription, in the order of that way.
func requestCrashes() []crash {
	return []crash{
		{"before AddHubRequest", 3}, {"after AddHubRequest", 3},
		{"after ClaimHubRequests", 1},
		{"before GET", 3}, {"amid GET", 3}, {"after GET", 3},
		{"before GrantHubRequest", 3}, {"after GrantHubRequest", 3},
	}
}

// newsCrashes are those on the way from a fetched document to the subscribers.
func newsCrashes() []crash {
	return []crash{
		{"before RemoveSubscription", 1}, {"after RemoveSubscription", 1}, // first, while some are still to go
		{"before SaveEntries", 1}, {"after SaveEntries", 1},
		{"before Distribute", 1}, {"after Distribute", 1},
		{"after PlanDeliveries", 1}, {"after PlanDeliveries", 2},
		{"after ClaimDeliveries", 1}, {"after ClaimDeliveries", 3},
		{"before Version", 1}, {"after Version", 1},
		{"before POST", 1}, {"before POST", 30}, {"amid POST", 1}, {"amid POST", 30}, {"after POST", 1}, {"after POST", 30},
		{"before SettleDeliveries", 1}, {"before SettleDeliveries", 3}, {"after SettleDeliveries", 1}, {"after SettleDeliveries", 3},
	}
}

// The program, with the Redis that it keeps, is killed at each step from a request to the subscription. Who was told that
// the request is taken is subscribed in the end without asking again.
// Then it is killed at each step from a document to two hundred subscribers, of which some are slow, fail, are dead or go.
// Each that lives gets every version, in order.
func TestHubKilledAtEachStep(t *testing.T) {
	t.Parallel()
	binary := buildBinary(t, "-tags", "crashpoints")
	requests, news := requestCrashes(), newsCrashes()
	for part, crashes := range [][]crash{news[:len(news)/2], news[len(news)/2:]} {
		t.Run(fmt.Sprintf("part %d", part+1), func(t *testing.T) {
			t.Parallel()
			b, p := newPublisher(t), newProcess(t, binary, fmt.Sprintf("hub: {timeout: %v, per_host: 2}", deliveryTime))
			p.start()
			p.ready()
			b.enter(p)
			p.kill()
			c := newAudience(t, b.topic, rand.New(rand.NewPCG(rand.Uint64(), 0)))
			hub := "http://" + p.address + "/hub"
			half := len(requests) / 2
			c.joinAmid(p, hub, requests[part*half:(part+1)*half])

			c.join(hub)
			eventually(t, "subscribed", func() bool { return len(subscriptions(t, p)) == len(c.members) })
			c.dying.Close()
			p.kill()
			for _, crash := range crashes {
				p.dieAt(crash, func(n int) {
					if n%50 == 0 { // at once, and again if that was not enough
						b.change()
					}
				})
			}
			p.start()
			p.ready()
			b.settle(c, p)
		})
	}
}

// joinAmid subscribes some members at a hub that is killed again and again, and leaves it running.
func (c *audience) joinAmid(p *process, hub string, crashes []crash) {
	c.t.Helper()
	var taken []string
	next := 60 // the members behind that all are good
	for _, crash := range crashes {
		p.dieAt(crash, func(int) {
			for c.ask(c.members[next], hub) == nil {
				taken = append(taken, feed.SubscriptionID(c.topic, c.members[next].callback))
				next++
			}
		})
	}
	p.start()
	p.ready()
	slices.Sort(taken)
	eventually(c.t, "subscribed without asking again", func() bool {
		have := subscriptions(c.t, p)
		return !slices.ContainsFunc(taken, func(id string) bool { return !slices.Contains(have, id) })
	})
	c.t.Logf("%d subscribed while the hub was killed", len(taken))
}
