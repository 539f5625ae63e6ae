package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// AddedCategory is the category of sources that subscribers have added.
const AddedCategory = "hub"

// isAdded reports whether a source exists only for subscribers: it has no other category, and it feeds no outgoing feed.
func isAdded(s *feed.Source) bool {
	return slices.Equal(s.Categories, []string{AddedCategory}) && len(s.Feeds) == 0
}

// AddTopic adds the source with the URL of a topic, for FrontOptions.AddTopic. Its error is sent to the subscriber.
func (c *Catalog) AddTopic(ctx context.Context, topic string) error {
	found, err := c.opts.Discover(ctx, topic)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("topic not fetched: %w", feed.ErrUnavailable)
	case err != nil:
		return errors.New("the topic cannot be fetched as a feed")
	case len(found) == 0 || found[0].Found != feed.FoundItself || found[0].URL != topic:
		return errors.New("the topic is not the URL of a feed")
	}
	c.adding.Lock()
	defer c.adding.Unlock()
	added, err := c.added(ctx)
	if err != nil {
		return hideReason(err)
	}
	if c.opts.MaxAdded == nil || len(added) >= c.opts.MaxAdded() {
		return errors.New("the hub accepts no more topics")
	}
	return hideReason(c.add(ctx, topic))
}

// added returns the URLs of the sources that exist only for subscribers.
func (c *Catalog) added(ctx context.Context) (urls []string, err error) {
	all, err := c.store.Sources(ctx)
	for i := range all {
		if isAdded(&all[i]) {
			urls = append(urls, all[i].URL)
		}
	}
	return urls, err
}

func (c *Catalog) add(ctx context.Context, topic string) error {
	_, _, err := c.store.AddSource(ctx, feed.Source{URL: topic, Categories: []string{AddedCategory}})
	return err
}

// hideReason replaces errors of the store other than feed.ErrUnavailable, because subscribers are strangers.
func hideReason(err error) error {
	if err == nil || errors.Is(err, feed.ErrUnavailable) {
		return err
	}
	return errors.New("the topic cannot be added")
}

// RemoveIdle removes the sources that subscribers have added if neither the source nor its republished feeds have had
// subscribers for a time. It returns the URLs of the removed sources.
func (c *Catalog) RemoveIdle(ctx context.Context, idle time.Duration) (removed []string, err error) {
	added, err := c.added(ctx)
	if err != nil {
		return nil, err
	}
	unwanted, err := c.store.IdleTopics(ctx, added, idle)
	if err != nil {
		return nil, err
	}
	for _, topic := range unwanted {
		republished, err := c.store.HaveSubscribers(ctx, c.withAliases(c.opts.Republished.URLs(feed.SourceID(topic))...))
		if err != nil || slices.Contains(republished, true) {
			continue
		}
		if err := c.store.RemoveSource(ctx, feed.SourceID(topic), 0); err != nil && !errors.Is(err, feed.ErrNotFound) {
			return removed, err
		}
		have, err := c.store.HaveSubscribers(ctx, []string{topic})
		if err == nil && have[0] { // it got a subscriber before it was removed
			err = c.add(ctx, topic)
		} else {
			removed = append(removed, topic)
		}
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}
