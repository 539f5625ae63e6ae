//go:build faults

package e2e

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

// kills is how often a test kills the program at a random moment.
const kills = 20

// outages is how often a test cuts the program off from Redis, and lets Redis hang.
const outages = 5

// killBoth kills and starts the daemon at random moments, and Redis every fourth time. Before each kill, clients have got a number of responses
// since the last one, which progress counts.
func killBoth(t *testing.T, p *wiretest.Process, redis *storetest.Server, responses int64, progress func() int64) {
	t.Helper()
	for n := range kills {
		before := progress()
		wiretest.Eventually(t, "clients get responses", func() bool { return progress() >= before+responses })
		time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
		if n%4 == 3 {
			redis.Kill()
			redis.Restart()
		} else {
			p.Kill()
			p.Start()
			p.Ready()
		}
	}
}
