package ranking_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// anonymous runs a test on each engine, with votes without an account.
func anonymous(t *testing.T, test func(h *house)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, opts core.Options, now *storetest.Clock, raw *storetest.Redigo) {
		opts.AnonymousVotes = true
		h := &house{Store: storetest.New(t, opts), t: t, now: now, raw: raw}
		h.ok(h.Check(t.Context())) // so that the installation is known
		test(h)
	})
}

func TestAnonymousVotesCountSeparately(t *testing.T) {
	anonymous(t, func(h *house) {
		e := h.entry(harbour, "one", h.now.Time)
		h.vote(e, bob, feed.VoteUp)
		for i, step := range []struct {
			network string
			vote    feed.Vote
			count   int
		}{
			{"192.0.2.1", feed.VoteUp, 1}, {"192.0.2.1", feed.VoteUp, 1}, {"192.0.2.2", feed.VoteUp, 2}, {"192.0.2.1", feed.VoteDown, 0},
			{"192.0.2.3", feed.VoteNone, 0}, {"192.0.2.2", feed.VoteNone, -1}, {"192.0.2.1", feed.VoteNone, 0}, {"192.0.2.2", feed.VoteUp, 1},
		} {
			score, err := h.Rankings.VoteAnonymously(t.Context(), e, step.network, step.vote)
			h.ok(err)
			want := feed.Score{Score: float64(h.now.Time.Unix() + 432), Votes: 1, Anonymous: step.count, Vote: step.vote}
			if score != want {
				t.Errorf("step %d returned %+v, want %+v", i+1, score, want)
			}
		}
		all, err := h.Rankings.Scores(t.Context(), bob, []string{e.ID})
		h.ok(err)
		if got := all[e.ID]; got.Votes != 1 || got.Anonymous != 1 || got.Vote != feed.VoteUp {
			t.Errorf("read as %+v", got)
		}
		if key := "anonymous:" + e.Number(); h.raw.Int("TTL", key) <= 0 || len(h.raw.Containing("192.0.2")) > 0 {
			t.Errorf("%s has a TTL of %d, and these keys have an address: %v", key, h.raw.Int("TTL", key), h.raw.Containing("192.0.2"))
		}
	})
}

func TestAnonymousVotesAreRefused(t *testing.T) {
	anonymous(t, func(h *house) {
		vote := func(e *feed.Entry) error {
			_, err := h.Rankings.VoteAnonymously(t.Context(), e, "192.0.2.1", feed.VoteUp)
			return err
		}
		removed, old := h.entry(harbour, "removed", h.now.Time), h.entry(harbour, "old", h.now.Time.Add(-week-time.Second))
		h.ok(vote(removed))
		h.ok(h.Rankings.RemoveRanked(t.Context(), removed.ID))
		h.fails(vote(removed), feed.ErrGone)
		h.fails(vote(old), feed.ErrVotingClosed)
		if keys := h.raw.Keys("anonymous:*"); len(keys) > 0 {
			t.Errorf("the keys %v are left", keys)
		}
		if _, err := h.Rankings.VoteAnonymously(t.Context(), removed, "192.0.2.1", "sideways"); !errors.Is(err, feed.ErrInvalid) {
			t.Errorf("a vote is sideways: %v", err)
		}
	})
	storetest.EachEngine(t, func(t *testing.T, dial core.DialFunc) {
		h := &house{Store: storetest.New(t, core.Options{Dial: dial, Sharded: storetest.Sharded()}), t: t, now: storetest.NewClock()}
		_, err := h.Rankings.VoteAnonymously(t.Context(), h.entry(harbour, "one", h.now.Time), "192.0.2.1", feed.VoteUp)
		h.fails(err, feed.ErrForbidden)
	})
}

func TestAnonymousVotesAreBounded(t *testing.T) {
	anonymous(t, func(h *house) {
		crowded, e := h.entry(harbour, "crowded", h.now.Time), h.entry(harbour, "one", h.now.Time)
		networks := []any{"anonymous:" + crowded.Number()}
		for i := range feed.MaxAnonymous - 1 {
			networks = append(networks, fmt.Sprint("x", i), "up")
		}
		h.raw.Do("HSET", networks...)
		for i, want := range []error{nil, feed.ErrConflict, nil} {
			_, err := h.Rankings.VoteAnonymously(t.Context(), crowded, fmt.Sprint(i%2), []feed.Vote{feed.VoteUp, feed.VoteUp, feed.VoteDown}[i])
			h.fails(err, want)
		}
		h.raw.Do("DEL", networks[0])
		h.raw.Do("HDEL", "article:"+crowded.Number(), "anonymous")

		var quota *feed.QuotaError
		var err error
		votes := 0
		for ; err == nil; votes++ {
			_, err = h.Rankings.VoteAnonymously(t.Context(), e, "192.0.2.1", feed.Votes()[votes%2])
		}
		if !errors.As(err, &quota) || quota.Wait <= 0 || quota.Wait > time.Hour || votes != feed.MaxAnonymousVotes+1 {
			t.Errorf("%d votes, then %v", votes, err)
		}
		for _, v := range []feed.Vote{feed.Votes()[(votes+1)%2], feed.VoteUp} { // the vote that it has; that of another network
			_, err = h.Rankings.VoteAnonymously(t.Context(), e, strings.Repeat("x", len(v)), v)
			h.ok(err)
		}
		used := h.raw.Keys("anonymous.voting:*")
		for _, key := range used {
			if ttl := h.raw.Int("TTL", key); ttl < 1 || ttl > 3600 {
				t.Errorf("%s expires after %d s", key, ttl)
			}
		}
		if len(used) < 2 {
			t.Errorf("the votes of an hour are counted in %v", used)
		}
	})
}
