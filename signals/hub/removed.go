package hub

import (
	"context"
	"errors"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	removedShare = 50  // part of the time that the checks may take
	removedPage  = 200 // subscriptions that are read at a time
)

// denyRemoved ends the subscriptions of topics that are not distributed any longer, until ctx ends. A topic must be found removed
// twice: one that is removed for lack of subscriptions is added again if it got one meanwhile.
func (f *Front) denyRemoved(ctx context.Context) {
	suspects := make(map[string]bool)
	for ctx.Err() == nil {
		start := time.Now()
		found, err := f.checkTopics(ctx, suspects)
		if err != nil && ctx.Err() == nil {
			f.opts.Logger.Warn("subscriptions of removed topics are not ended yet", "err", err)
		}
		suspects = found
		retry.Await(ctx, nil, max(f.opts.RemovedEvery, removedShare*time.Since(start)))
	}
}

// checkTopics ends the subscriptions of the suspects that are still removed, and returns all removed topics.
func (f *Front) checkTopics(ctx context.Context, suspects map[string]bool) (map[string]bool, error) {
	removed := make(map[string]bool)
	all, err := f.store.Topics(ctx)
	if err == nil {
		err = f.topics.UpdateAliases(ctx, all)
	}
	for i := 0; i < len(all) && err == nil; i++ {
		topic := all[i].URL
		if _, signals := feed.ParseSignalTopic(topic); signals {
			continue // of webhooks
		}
		if _, err = f.topics.ResolveTopic(ctx, topic); !errors.Is(err, feed.ErrNotFound) {
			continue
		}
		removed[topic], err = true, nil
		if suspects[topic] {
			err = f.denyTopic(ctx, all[i].ID)
		}
	}
	return removed, err
}

// denyTopic ends the subscriptions of a topic. The hub notifies the subscribers afterwards, because some do not respond.
func (f *Front) denyTopic(ctx context.Context, topicID string) error {
	for after := ""; ; {
		page, err := f.store.Subscriptions(ctx, topicID, after, removedPage)
		if err != nil || len(page) == 0 {
			return err
		}
		for i := range page {
			if page[i].Kind != feed.KindWebSub {
				continue
			}
			denial := feed.HubRequest{
				Mode: feed.HubDenied, Topic: page[i].Topic, Callback: page[i].Callback, Reason: "the topic is no longer distributed here",
			}
			err := f.store.AddHubRequest(ctx, denial, f.opts.Limits.QueuedPerPair+1)
			if err == nil || errors.Is(err, feed.ErrConflict) { // it has asked for too much
				err = f.store.Unsubscribe(ctx, page[i].ID)
			}
			if err != nil && !errors.Is(err, feed.ErrNotFound) {
				return err
			}
			f.opts.Logger.Info("subscription ended", "subscription", page[i].ID, "feed", page[i].Topic, "reason", "removed")
		}
		after = page[len(page)-1].ID
		retry.Wake(f.wakeup)
	}
}
