package ranking_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

const (
	voters   = 64
	articles = 8
)

// ballot is a store on which voters do anything at random.
type ballot struct {
	*house
	entries []*feed.Entry
}

func newBallot(h *house) *ballot {
	b := &ballot{house: h}
	for i := range articles {
		e := h.entry(harbour, fmt.Sprint(i), h.now.Time.Add(-time.Duration(i)*time.Hour))
		if i%2 == 0 {
			e.FeedURL = feed.MemberURL(ann)
		}
		b.entries = append(b.entries, e)
	}
	return b
}

// step does something at random as a user. The last entry may be taken down.
func (b *ballot) step(ctx context.Context, random *rand.Rand, user int64) error {
	e, group := b.entries[random.IntN(articles)], []string{"sport", "news"}[random.IntN(2)]
	var err error
	switch n := random.IntN(1000); {
	case n < 900:
		_, err = b.Rankings.Vote(ctx, e, user, feed.Votes()[random.IntN(3)])
	case n < 915:
		err = b.Rankings.AddToGroup(ctx, group, e)
	case n < 935:
		_, err = b.Rankings.FollowRules(ctx, []feed.Selected{{Entry: *e, Groups: []string{"sport", "news"}[:random.IntN(3)]}})
	case n < 940:
		err = b.Rankings.RemoveFromGroup(ctx, group, e.ID)
	case n < 945:
		err = b.Rankings.ComputeRankings(ctx)
	case n < 970:
		_, _, err = b.Rankings.ListPlaces(ctx, group, feed.Cursor{}, 3)
	case n < 990:
		err = b.Rankings.EraseVotes(ctx, user)
	case n < 999:
		err = b.Rankings.ForgetRanked(ctx, e.ID)
	default:
		err = b.Rankings.RemoveRanked(ctx, b.entries[articles-1].ID)
	}
	return err
}

// 002-26: Each checks the invariants when the test ends.
func TestV9InvariantsHoldWithParallelVoters(t *testing.T) {
	each(t, func(h *house) {
		b := newBallot(h)
		var all sync.WaitGroup
		for user := range int64(voters) {
			all.Go(func() {
				random := rand.New(rand.NewPCG(26, uint64(user)))
				for range 15 {
					_ = b.step(t.Context(), random, user+1) // an entry may be taken down, and a group may not exist
				}
			})
		}
		all.Wait()
		if n := h.raw.Int("ZCARD", "score:"); n == 0 {
			t.Error("there are no articles")
		}
	})
}

// One call of the script executes votes of several users: each counts on its own entry.
func TestParallelVotesCountOnTheirOwnEntries(t *testing.T) {
	each(t, func(h *house) {
		var entries []*feed.Entry
		for i := range voters {
			entries = append(entries, h.entry(harbour, fmt.Sprint(i), h.now.Time.Add(-time.Duration(i)*time.Hour)))
		}
		var all sync.WaitGroup
		for i, e := range entries {
			all.Go(func() {
				for range 4 {
					user, vote := int64(i+1), feed.Votes()[i%3]
					score, err := h.Rankings.Vote(t.Context(), e, user, vote)
					votes := []int{1, -1, 0}[i%3]
					if want := (feed.Score{Score: float64(e.Timestamp.Unix() + 432*int64(votes)), Vote: vote, Votes: votes, Upvotes: max(0, votes)}); err != nil || score != want {
						t.Errorf("user %d: got %+v, %v, want %+v", user, score, err, want)
					}
				}
			})
		}
		all.Wait()
	})
}

func TestInvariantsCatchWrongScripts(t *testing.T) {
	for name, mutant := range map[string]struct{ from, to string }{
		"none":                                       {},
		"a switch counts once":                       {"worth[asked] - worth[held]", "worth[asked]"},
		"a downvote cannot be taken back":            {"return redis.call('SREM', down, user) == 1 and 'down' or 'none'", "return 'none'"},
		"a switch leaves the user in both":           {"if redis.call('SMOVE', from, to, user) == 1 then return other end", ""},
		"a repeated vote counts again":               {"return redis.call('SADD', to, user) == 1 and 'none' or asked", "redis.call('SADD', to, user) return 'none'"},
		"an upvote that is replaced still counts":    {"upvotes + (asked == 'up' and 1 or -1)", "upvotes + 1"},
		"votes do not expire":                        {"redis.call('EXPIRE', asked == 'up' and up or down, math.ceil(posted() + stored - now))", ""},
		"a vote costs one":                           {"weight * votes", "votes"},
		"articles are counted again":                 {"if stored_time or stored_del then return end", ""},
		"a removed entry stays in a group":           {"redis.call('SREM', prefix .. 'group:' .. name, member)", ""},
		"a removed entry is not counted off":         {"redis.call('DECR', count)", ""},
		"a member by rule leaves and keeps the name": {"drop_name(article, 'by_rule', name)\nend", "end"},
		"votes are not listed with their user":       {"redis.call('ZADD', voted, math.floor(now), member)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dial, now, edited := storetest.Redis(t), storetest.NewClock(), 0
			opts := core.Options{Dial: dial, Now: now.Now, EditScript: func(_, text string) string {
				if mutant.from == "" {
					return text
				}
				edited += strings.Count(text, mutant.from)
				return strings.Replace(text, mutant.from, mutant.to, 1)
			}}
			b := newBallot(&house{Store: storetest.New(t, opts), t: t, now: now})
			random := rand.New(rand.NewPCG(26, 1))
			for range 1000 {
				_ = b.step(t.Context(), random, random.Int64N(voters)+1)
			}
			wrong := storetest.Findings(t, func(tb storetest.TB) { storetest.Check(tb, dial, nil, feed.ImportAfter) })
			if (wrong > 0) != (mutant.from != "") || (edited > 0) != (mutant.from != "") {
				t.Errorf("the check found %d errors; %d scripts were changed", wrong, edited)
			}
		})
	}
}
