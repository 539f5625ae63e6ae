package topics

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

var errTooManyTopics = errors.New("the hub accepts no more topics")

// addSource adds the source with the URL of a topic. unfetched is why the document could not be fetched as that of an open topic, which
// has other limits. The error of addSource is sent to the subscriber.
func (c *Catalog) addSource(ctx context.Context, topic string, unfetched error) error {
	found, err := c.opts.Discover(ctx, topic)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("topic not fetched: %w", feed.ErrUnavailable)
	case err == nil && len(found) > 0 && found[0].Found == feed.FoundItself && found[0].URL == topic:
	case feed.ClassOf(unfetched) == feed.FailureTooLarge:
		return errors.New("the topic is too large")
	case err != nil:
		return errors.New("the topic cannot be fetched")
	default:
		return errors.New("the topic is not the URL of a feed")
	}
	c.adding.Lock()
	defer c.adding.Unlock()
	added, err := c.added(ctx)
	if err != nil {
		return hideReason(err)
	}
	open, _, err := c.store.OpenTopicCounts(ctx)
	switch {
	case err != nil:
		return hideReason(err)
	case len(added)+open >= c.open().Topics:
		return errTooManyTopics
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
// subscribers for a time, and open topics likewise. It returns the URLs of what it removed.
func (c *Catalog) RemoveIdle(ctx context.Context, idle time.Duration) (removed []string, err error) {
	added, err := c.added(ctx)
	if err != nil {
		return nil, err
	}
	open, err := c.store.OpenTopics(ctx)
	if err != nil {
		return nil, err
	}
	watched := slices.Clone(added)
	for i := range open {
		watched = append(watched, open[i].Name())
	}
	slices.Sort(watched)
	unwanted, err := c.store.IdleTopics(ctx, slices.Compact(watched), idle)
	for i := 0; i < len(open) && err == nil; i++ {
		if !slices.Contains(unwanted, open[i].Name()) {
			continue
		}
		var done bool
		if done, err = c.removeOpen(ctx, &open[i]); done {
			removed = append(removed, open[i].URL)
		}
	}
	for i := 0; i < len(unwanted) && err == nil; i++ {
		if !slices.Contains(added, unwanted[i]) {
			continue
		}
		var done bool
		if done, err = c.removeAdded(ctx, unwanted[i]); done {
			removed = append(removed, unwanted[i])
		}
	}
	return removed, err
}

// removeOpen removes an open topic unless it gets a subscriber meanwhile, and reports whether it did.
func (c *Catalog) removeOpen(ctx context.Context, t *feed.OpenTopic) (bool, error) {
	if err := c.store.ForgetOpenTopic(ctx, t.URL); err != nil {
		return false, err
	}
	have, err := c.store.HaveSubscribers(ctx, []string{t.URL})
	if err == nil && have[0] {
		opts := c.open()
		return false, c.store.AddOpenTopic(ctx, *t, c.opts.Now(), opts.limits(0))
	}
	return err == nil, err
}

// removeAdded removes a source unless its republished feeds have subscribers or it gets one meanwhile, and reports whether it did.
func (c *Catalog) removeAdded(ctx context.Context, topic string) (bool, error) {
	republished, err := c.store.HaveSubscribers(ctx, c.withAliases(c.opts.Republished.URLs(feed.SourceID(topic))...))
	if err != nil || slices.Contains(republished, true) {
		return false, nil //nolint:nilerr // the next call tries again
	}
	if err := c.store.RemoveSource(ctx, feed.SourceID(topic), 0); err != nil && !errors.Is(err, feed.ErrNotFound) {
		return false, err
	}
	have, err := c.store.HaveSubscribers(ctx, []string{topic})
	if err == nil && have[0] { // it got a subscriber before it was removed
		return false, c.add(ctx, topic)
	}
	return err == nil, err
}
