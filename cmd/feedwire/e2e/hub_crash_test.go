package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
)

// crash is a point at which the program kills itself when it comes there for the nth time; see crashpoint.go.
type crash struct {
	point string
	nth   int
}

// dieAt starts the program, keeps it busy, and sees it die at the point and nowhere else. busy is called ten times a
// second, with the number of the call.
func dieAt(p *wiretest.Process, c crash, busy func(n int)) {
	p.T.Helper()
	p.Start(fmt.Sprintf("CRASH_AT=%s:%d", c.point, c.nth))
	ended := make(chan error, 1)
	go func() { ended <- p.Cmd.Wait() }()
	giveUp := time.After(wiretest.Patience)
	for n := 0; ; n++ {
		busy(n)
		select {
		case err := <-ended:
			state, _ := p.Cmd.ProcessState.Sys().(syscall.WaitStatus)
			p.Cmd = nil
			if !state.Signaled() || state.Signal() != syscall.SIGKILL || !strings.Contains(p.Log.String(), "crash "+c.point+"\n") {
				p.T.Fatalf("%v: it ended otherwise: %v\n%s", c, err, p.Log)
			}
			return
		case <-giveUp:
			_ = p.Cmd.Process.Kill()
			<-ended
			p.Cmd = nil
			p.T.Fatalf("%v: it did not come there within %v\n%s", c, wiretest.Patience, p.Log)
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
		{"before FinishDeliveries", 1}, {"before FinishDeliveries", 3}, {"after FinishDeliveries", 1}, {"after FinishDeliveries", 3},
	}
}

// The program, with the Redis that it keeps, is killed at each step from a request to the subscription. Who was told that
// the request is taken is subscribed in the end without asking again.
// Then it is killed at each step from a document to two hundred subscribers, of which some are slow, fail, are dead or go.
// Each that lives gets every version, in order.
func TestHubKilledAtEachStep(t *testing.T) {
	t.Parallel()
	binary := wiretest.BuildBinary(t, "crashpoints")
	requests, news := requestCrashes(), newsCrashes()
	for part, crashes := range [][]crash{news[:len(news)/2], news[len(news)/2:]} {
		t.Run(fmt.Sprintf("part %d", part+1), func(t *testing.T) {
			t.Parallel()
			b, p := newPublisher(t), wiretest.NewProcess(t, binary, fmt.Sprintf("hub: {timeout: %v, per_host: 2}", deliveryTime))
			p.Start()
			p.Ready()
			b.enter(p)
			p.Kill()
			c := newAudience(t, b.topic, rand.New(rand.NewPCG(rand.Uint64(), 0)))
			hub := "http://" + p.Address + "/hub"
			half := len(requests) / 2
			c.joinAmid(p, hub, requests[part*half:(part+1)*half])

			c.join(hub)
			wiretest.Eventually(t, "subscribed", func() bool { return len(subscriptions(t, p)) == len(c.members) })
			c.dying.Close()
			p.Kill()
			for _, crash := range crashes {
				dieAt(p, crash, func(n int) {
					if n%50 == 0 { // at once, and again if that was not enough
						b.change()
					}
				})
			}
			p.Start()
			p.Ready()
			b.settle(c, p)
		})
	}
}

// joinAmid subscribes some members at a hub that is killed again and again, and leaves it running.
func (c *audience) joinAmid(p *wiretest.Process, hub string, crashes []crash) {
	c.t.Helper()
	var taken []string
	next := 60 // the members behind that all are good
	for _, crash := range crashes {
		dieAt(p, crash, func(int) {
			for c.ask(c.members[next], hub) == nil {
				taken = append(taken, feed.SubscriptionID(c.topic, c.members[next].callback))
				next++
			}
		})
	}
	p.Start()
	p.Ready()
	slices.Sort(taken)
	wiretest.Eventually(c.t, "subscribed without asking again", func() bool {
		have := subscriptions(c.t, p)
		return !slices.ContainsFunc(taken, func(id string) bool { return !slices.Contains(have, id) })
	})
	c.t.Logf("%d subscribed while the hub was killed", len(taken))
}
