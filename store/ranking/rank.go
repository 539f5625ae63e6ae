package ranking

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// ComputeRankings computes all rankings anew. Candidates are the newest feed.MaxRanked articles, as many with the highest scores, and the members of the
// rankings. An article can miss a list only if as many newer ones and as many with higher scores exist. It is safe to repeat.
func (s *Store) ComputeRankings(ctx context.Context) error {
	candidates, err := s.candidates(ctx)
	if err != nil {
		return core.Wrap(err, "compute rankings")
	}
	tallies, err := s.tallies(ctx, candidates)
	if err != nil {
		return core.Wrap(err, "compute rankings")
	}
	k, now := s.keys(), s.db.Now()
	var calls []core.Invocation
	for _, ranking := range feed.Rankings() {
		calls = append(calls, core.Invocation{Keys: []any{k.rank(ranking.Name), k.times()}, Args: best(&ranking, tallies, now)})
	}
	_, err = s.db.RunMany(ctx, s.scripts["store_ranking"], calls)
	return core.Wrap(err, "compute rankings")
}

// candidates returns the members that may be in a ranking.
func (s *Store) candidates(ctx context.Context) ([]string, error) {
	k := s.keys()
	r, err := s.db.Pipeline(ctx, opGroup, func(b *core.Batch) {
		for _, key := range []string{k.times(), k.scores()} {
			b.Add("ZREVRANGE", key, 0, feed.MaxRanked-1)
		}
		for _, ranking := range feed.Rankings() {
			b.Add("ZRANGE", k.rank(ranking.Name), 0, -1)
		}
	})
	var all []string
	for range len(r) {
		all = append(all, r.Texts()...)
	}
	slices.Sort(all)
	return slices.Compact(all), err
}

// tallies returns the votes of members. Those that are no articles are left out.
func (s *Store) tallies(ctx context.Context, members []string) (map[string]feed.Tally, error) {
	k, all := s.keys(), make(map[string]feed.Tally, len(members))
	r, err := s.db.Pipeline(ctx, opGroup, func(b *core.Batch) {
		for _, member := range members {
			b.Add("HMGET", k.article(strings.TrimPrefix(member, articlePrefix)), "time", "votes", "up", "author")
		}
	})
	if err != nil {
		return nil, err
	}
	for _, member := range members {
		fields := r.Texts()
		if fields[0] == "" {
			continue
		}
		all[member] = feed.Tally{
			Votes: int(number(fields[1])), Up: int(number(fields[2])), Posted: time.UnixMilli(int64(math.Round(number(fields[0]) * 1000))),
			ByUser: strings.HasPrefix(fields[3], "user:"),
		}
	}
	return all, nil
}

// best returns up to feed.MaxRanked pairs of the rank and the member, best first.
func best(ranking *feed.Ranking, tallies map[string]feed.Tally, now time.Time) []any {
	places := make([]feed.Cursor, 0, len(tallies))
	for member, tally := range tallies {
		if rank := ranking.Rank(&tally, now); rank > 0 {
			places = append(places, feed.Cursor{Score: rank, Member: member})
		}
	}
	slices.SortFunc(places, func(a, b feed.Cursor) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Member, a.Member))
	})
	args := make([]any, 0, 2*feed.MaxRanked)
	for _, p := range places[:min(feed.MaxRanked, len(places))] {
		args = append(args, strconv.FormatFloat(p.Score, 'g', -1, 64), p.Member)
	}
	return args
}

// rankingNames returns the names of all rankings as arguments of a script.
func rankingNames() (all []any) {
	for _, ranking := range feed.Rankings() {
		all = append(all, ranking.Name)
	}
	return all
}
