package article

import (
	"context"
	"fmt"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// placedStates returns the states that have a set.
func placedStates() []feed.State { return feed.States()[1:] }

// FeedStates returns the state of each outgoing feed with up to visits visits, in one exchange.
func (s *Store) FeedStates(ctx context.Context, types []string, visits int) ([]feed.OutgoingState, error) {
	r, err := s.db.Pipeline(ctx, feedGroup, func(b *core.Batch) {
		for _, typ := range types {
			s.addFeedState(b, typ, visits)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read the state of feeds: %w", err)
	}
	all := make([]feed.OutgoingState, len(types))
	for i := range types {
		all[i] = s.readFeedState(&r)
	}
	return all, nil
}

// FeedState returns the state of one outgoing feed as FeedStates does, with up to articles published articles.
func (s *Store) FeedState(ctx context.Context, typ string, articles, visits int) (state feed.OutgoingState, err error) {
	r, err := s.db.Pipeline(ctx, feedGroup, func(b *core.Batch) {
		s.addFeedState(b, typ, visits)
		b.Add("ZREVRANGE", s.keys.placed(feed.StatePublished, typ), 0, articles-1)
	})
	if err == nil {
		state = s.readFeedState(&r)
		state.Published, err = s.articles(ctx, feedGroup, r.Texts(), []string{typ}, false)
	}
	return state, core.Wrap(err, "read the state of feed %s", typ)
}

// addFeedState adds the commands for readFeedState.
func (s *Store) addFeedState(b *core.Batch, typ string, visits int) {
	for _, state := range placedStates() {
		b.Add("ZCARD", s.keys.placed(state, typ))
		b.Add("ZREVRANGE", s.keys.placed(state, typ), 0, 0, "WITHSCORES")
	}
	b.Add("ZRANGE", s.keys.placed(feed.StatePublished, typ), 0, 0, "WITHSCORES")
	s.QueryVisits(b, typ, visits)
}

func (s *Store) readFeedState(r *core.Replies) (state feed.OutgoingState) {
	state.Articles = make(map[feed.State]int)
	for _, name := range placedStates() {
		state.Articles[name] = r.Count()
		if at := r.Score(); at.After(state.Changed) {
			state.Changed = at
		}
	}
	state.Oldest = r.Score()
	state.Visits = s.ReadVisits(r)
	return state
}

// ArticleCounts returns the number of articles in each state of the given feeds.
func (s *Store) ArticleCounts(ctx context.Context, types []string) (map[string]map[feed.State]int, error) {
	r, err := s.db.Pipeline(ctx, feedGroup, func(b *core.Batch) {
		b.Add("ZCARD", s.keys.articles())
		for _, typ := range types {
			for _, state := range placedStates() {
				b.Add("ZCARD", s.keys.placed(state, typ))
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("count articles: %w", err)
	}
	articles, counts := r.Count(), make(map[string]map[feed.State]int, len(types))
	for _, typ := range types {
		placed, unpublished := make(map[feed.State]int), articles
		for _, state := range placedStates() {
			placed[state] = r.Count()
			unpublished -= placed[state]
		}
		placed[feed.StateUnpublished] = max(0, unpublished) // an imported article that is published again is in two sets
		counts[typ] = placed
	}
	return counts, nil
}
