package store

import (
	"context"
	"fmt"
	"strconv"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// AddVisits remembers visits of an outgoing feed, oldest first. Repeating it remembers them twice, which harms no count.
func (s *Store) AddVisits(ctx context.Context, typ string, visits []feed.Visit) error {
	_, err := s.pipeline(ctx, "counts", func(b *batch) {
		for _, v := range visits {
			b.add("XADD", s.keys.visits(typ), "MAXLEN", "~", feed.VisitsKept, "*",
				"time", stamp(v.Time), "client", v.Client, "status", v.Status, "counted", oneIf(v.Counted))
		}
	})
	if err != nil {
		return fmt.Errorf("remember visits of %s: %w", typ, err)
	}
	return nil
}

// FeedStates tells of outgoing feeds how many articles are in each state, and of up to limit visits, in one exchange.
func (s *Store) FeedStates(ctx context.Context, types []string, limit int) ([]feed.OutgoingState, error) {
	replies, err := s.pipeline(ctx, "counts", func(b *batch) {
		for _, typ := range types {
			s.askState(b, typ, limit)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("look at feeds: %w", err)
	}
	all := make([]feed.OutgoingState, len(types))
	for i := range types {
		if all[i], err = stateFrom(replies[i*stateReplies:]); err != nil {
			return nil, fmt.Errorf("look at feed %s: %w", types[i], err)
		}
	}
	return all, nil
}

// FeedState tells of one outgoing feed what FeedStates does, and of up to articles that are out.
func (s *Store) FeedState(ctx context.Context, typ string, articles, visits int) (feed.OutgoingState, error) {
	replies, err := s.pipeline(ctx, "counts", func(b *batch) {
		s.askState(b, typ, visits)
		b.add("ZREVRANGE", s.keys.placed(feed.StatePublished, typ), 0, articles-1)
	})
	var state feed.OutgoingState
	if err == nil {
		state, err = stateFrom(replies)
	}
	if err != nil {
		return state, fmt.Errorf("look at feed %s: %w", typ, err)
	}
	uuids, err := redis.Strings(replies[stateReplies], nil)
	if err != nil {
		return state, fmt.Errorf("look at feed %s: %w", typ, err)
	}
	state.Out, err = s.loadArticles(ctx, "articles", uuids, []string{typ}, false)
	return state, err
}

// stateReplies is how many answers askState leads to.
const stateReplies = 5

func (s *Store) askState(b *batch, typ string, visits int) {
	for _, state := range feed.States()[1:] { // known articles are in no set
		b.add("ZCARD", s.keys.placed(state, typ))
	}
	b.add("XREVRANGE", s.keys.visits(typ), "+", "-", "COUNT", visits)
}

func stateFrom(replies []any) (feed.OutgoingState, error) {
	state := feed.OutgoingState{Articles: make(map[feed.State]int)}
	for i, name := range feed.States()[1:] {
		state.Articles[name], _ = redis.Int(replies[i], nil) // it answers a number
	}
	var err error
	state.Visits, err = visitsFrom(replies[stateReplies-1])
	return state, err
}

func visitsFrom(reply any) (all []feed.Visit, err error) {
	records, err := parseRecords(reply)
	for _, r := range records {
		status, _ := strconv.Atoi(r.fields["status"]) // damaged: 0
		all = append(all, feed.Visit{
			Time: feed.ParseTime(r.fields["time"]), Client: r.fields["client"], Status: status, Counted: r.fields["counted"] == "1",
		})
	}
	return all, err
}
