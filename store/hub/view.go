package hub

import (
	"context"
	"fmt"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// HubView returns what the page of subscriptions shows: all topics, and up to limit subscriptions of a topic, or of all topics if
// topicID is empty, after the one with the id after. It takes two exchanges.
func (s *Store) HubView(ctx context.Context, topicID, after string, limit int) (view feed.HubView, err error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HGETALL", s.keys.topics())
		s.queryIDs(b, topicID)
		s.addState(b)
	})
	if err != nil {
		return view, fmt.Errorf("read the hub: %w", err)
	}
	urls := r.Map()
	ids := pageAfter(r.Texts(), after)
	view.Counts = readHubState(&r)
	view.Topics = topicsFrom(urls)
	view.More = len(ids) > limit
	return view, core.Wrap(s.fillView(ctx, &view, urls, ids[:min(limit, len(ids))]), "read the hub")
}

// fillView reads the topics of a view, whose URLs are given by id, and the subscriptions with some ids. A subscription waits if it is
// in the queue of due deliveries or of later ones.
func (s *Store) fillView(ctx context.Context, view *feed.HubView, urls map[string]string, ids []string) error {
	var b core.Batch
	for i := range view.Topics {
		s.topics.queryTopic(&b, view.Topics[i].ID)
	}
	for _, id := range ids {
		b.Add("HGET", s.keys.subscriptions(), id)
		b.Add("HGET", s.keys.health(), id)
		b.Add("ZSCORE", s.keys.ready(), id)
		b.Add("ZSCORE", s.keys.later(), id)
		b.Add("SISMEMBER", s.keys.paused(), id)
		b.Add("HGET", s.keys.readers(), id)
	}
	r, err := s.db.Exchange(ctx, group, &b)
	if err != nil {
		return err
	}
	for i := range view.Topics {
		readTopic(&r, &view.Topics[i])
	}
	for _, id := range ids {
		text, health, ready, later, paused, readers := r.Text(), r.Text(), r.Text(), r.Text(), r.Count(), r.Count()
		if text == "" {
			continue // it has ended since
		}
		record, err := recordFrom(id, text)
		if err != nil {
			return err
		}
		sub := record.subscription(id, health)
		sub.Topic, sub.Waiting = urls[sub.Topic], ready != "" || later != ""
		readState(&sub, later, paused, readers)
		view.Subscriptions = append(view.Subscriptions, sub)
	}
	return nil
}
