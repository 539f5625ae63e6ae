//go:build faults

package ranking_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// 64 voters vote for 10 s while Redis is killed again and again, and calls end as those of a daemon that is killed.
func TestFaultsVoters(t *testing.T) {
	for name, sharded := range map[string]bool{"default layout": false, "sharded layout": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, now := storetest.RedisAOF(t), storetest.NewClock()
			b := newBallot(&house{Store: storetest.New(t, core.Options{Dial: server.Dial, Sharded: sharded, Now: now.Now}), t: t, now: now})
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			var all sync.WaitGroup
			var done, failed atomic.Int64
			for user := range int64(voters) {
				all.Go(func() {
					random := rand.New(rand.NewPCG(26, uint64(user)))
					for ctx.Err() == nil {
						life := 5 * time.Second
						if random.IntN(20) == 0 { // the daemon is killed
							life = time.Duration(random.IntN(5000)) * time.Microsecond
						}
						call, end := context.WithTimeout(ctx, life)
						if b.step(call, random, user+1) != nil {
							failed.Add(1)
						} else {
							done.Add(1)
						}
						end()
					}
				})
			}
			kills := 0
			for tick := time.NewTicker(time.Second); ctx.Err() == nil; {
				select {
				case <-tick.C:
					server.Kill()
					server.Restart()
					kills++
				case <-ctx.Done():
				}
			}
			all.Wait()
			commands := storetest.Commands(t, server.Dial)
			if sharded {
				commands = storetest.InShards(t, "", harbour, server.Dial)
			}
			commands.Check(nil, feed.ImportAfter)
			t.Logf("%d calls done, %d failed, Redis was killed %d times", done.Load(), failed.Load(), kills)
			if done.Load() < 100 || failed.Load() == 0 || kills == 0 {
				t.Error("too little happened to show anything")
			}
		})
	}
}
