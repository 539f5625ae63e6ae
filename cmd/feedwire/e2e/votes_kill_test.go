//go:build faults

package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// polling is a daemon on whose entries users vote. Each of them repeats a vote until it has a response.
type polling struct {
	*wiretest.Process
	client  *client.Client
	entries []string               // their numbers
	members []string               // of the sets of votes, by user
	votes   []map[string]feed.Vote // the last one with a response by user and entry
	cast    atomic.Int64
}

const pollUsers = 64

func newPolling(t *testing.T, redis *storetest.Server) *polling {
	t.Helper()
	p := &polling{Process: wiretest.BuildProgram(t, fmt.Sprintf("store: {redis: %q}", "unix://"+redis.Addr()))}
	p.client = p.Client().WithTimeout(2 * time.Second)
	p.Start()
	p.Ready()
	p.mustCall(http.MethodPost, "/api/v1/sources", map[string]string{"url": feed.LocalURL("notes")}, nil)
	for n := range 6 {
		var e feed.Entry
		p.mustCall(http.MethodPost, "/api/v1/sources/"+feed.SourceID(feed.LocalURL("notes"))+"/entries", map[string]string{"title": titleOf(n)}, &e)
		p.entries = append(p.entries, e.Number())
	}
	for user := range pollUsers {
		var account feed.Account
		p.mustCall(http.MethodPost, "/api/v1/users", map[string]string{"name": fmt.Sprint("user", user), "role": "member"}, &account)
		p.members = append(p.members, fmt.Sprint("user:", account.ID))
		p.votes = append(p.votes, make(map[string]feed.Vote))
	}
	return p
}

func (p *polling) mustCall(method, path string, in, out any) {
	p.T.Helper()
	if err := p.Client().Call(p.T.Context(), method, path, in, out); err != nil {
		p.T.Fatalf("%s %s: %v", method, path, err)
	}
}

// vote casts random votes of a user until stop is closed.
func (p *polling) vote(user int, stop <-chan struct{}) {
	random := rand.New(rand.NewPCG(18, uint64(user)))
	for done := false; !done; {
		entry, vote := p.entries[random.IntN(len(p.entries))], feed.Votes()[random.IntN(3)]
		path := fmt.Sprintf("/api/v1/entries/%s/vote?user=user%d", entry, user)
		for p.client.Call(p.T.Context(), http.MethodPut, path, map[string]feed.Vote{"vote": vote}, nil) != nil {
			if p.T.Context().Err() != nil {
				return
			}
			time.Sleep(10 * time.Millisecond) // as a client that tries again
		}
		p.votes[user][entry] = vote
		p.cast.Add(1)
		select {
		case <-stop:
			done = true
		default:
		}
	}
}

// 64 users vote while the daemon is killed and started again, and Redis too. Each vote with a response counts, once.
func TestVotesKilledAtRandomMoments(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	p := newPolling(t, redis)
	stop := make(chan struct{})
	var all sync.WaitGroup
	for user := range pollUsers {
		all.Go(func() { p.vote(user, stop) })
	}
	killBoth(t, p.Process, redis, pollUsers, p.cast.Load)
	close(stop)
	all.Wait()
	t.Logf("%d votes, %d kills", p.cast.Load(), kills)
	raw := storetest.Commands(t, redis.Dial)
	for _, entry := range p.entries {
		votes := 0
		for user, cast := range p.votes {
			member := p.members[user]
			got, want := feed.VoteNone, cast[entry]
			if raw.Int("SISMEMBER", "upvoted:"+entry, member) == 1 {
				got = feed.VoteUp
				votes++
			} else if raw.Int("SISMEMBER", "downvoted:"+entry, member) == 1 {
				got = feed.VoteDown
				votes--
			}
			if want != "" && got != want {
				t.Errorf("the last vote of user %d on entry %s is %s, stored as %s", user, entry, want, got)
			}
		}
		if stored := raw.Int("HGET", "article:"+entry, "votes"); stored != votes {
			t.Errorf("entry %s has %d votes, want %d", entry, stored, votes)
		}
	}
	p.Kill()
	storetest.Check(t, redis.Dial, nil, feed.ImportAfter) // the other invariants of votes
}
