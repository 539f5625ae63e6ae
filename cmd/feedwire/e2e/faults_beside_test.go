//go:build faults

package e2e

import (
	"slices"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
)

// beside runs a second daemon with another clock on the same Redis while a subscriber fails, and kills it. What it had claimed and
// planned continues as if the clocks agreed, and nothing is done twice meanwhile.
func beside(ahead time.Duration) func(*trial) {
	return func(tr *trial) {
		pushed, other := tr.pushes(), newAddressee(tr.T)
		other.subscribe(tr.T, tr.Process, tr.topic)
		clock := wiretest.NewClock(tr.T)
		clock.Jump(ahead)
		second := wiretest.NewProcess(tr.T, tr.Binary, tr.config)
		second.Start(append(slices.Clone(tr.environ), clock.Environment()...)...)
		second.Ready()
		asked, began := tr.web.Requests("/feed.xml"), time.Now()
		tr.news(3 * time.Second)
		tr.reader.failing.Store(true)
		tr.news(5 * time.Second)
		tr.deliver(pushed)
		wiretest.Eventually(tr.T, "waiting for another attempt", func() bool { return tr.reader.failures() > 0 })
		polls, took := tr.web.Requests("/feed.xml")-asked, time.Since(began)
		if most := int(took/time.Second) + 2; polls > most {
			tr.T.Errorf("in %v the source was polled %d times instead of %d", took, polls, most)
		}
		takenOnce(tr.T, []*wiretest.Process{tr.Process, second}, tr.reader, other)
		second.Kill() // within a delivery, which is then repeated
		tr.reader.failing.Store(false)
		tr.continues(time.Now(), pushed, other)
	}
}
