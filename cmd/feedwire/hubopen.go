package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// openCategory is the category of sources that subscribers have added.
const openCategory = "hub"

// idleTime is how long a source that a subscriber added stays without subscribers: long enough for one whose lease has
// ended to come back.
const idleTime = 24 * time.Hour

// isOpened reports whether a source is there for the hub's subscribers alone: it has their category and no other, and no
// person has given it to an outgoing feed.
func isOpened(s *feed.Source) bool {
	return slices.Equal(s.Categories, []string{openCategory}) && len(s.Feeds) == 0
}

// open adds a source that somebody subscribes to. Its errors are told to the subscriber.
func (t *hubTopics) open(ctx context.Context, topic string) error {
	found, err := t.ingester.Discover(ctx, topic)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("topic not looked at: %w", feed.ErrUnavailable)
	case err != nil:
		return errors.New("the topic cannot be fetched as a feed")
	case len(found) == 0 || found[0].Found != feed.FoundItself || found[0].URL != topic:
		return errors.New("the topic is not the URL of a feed")
	}
	t.opening.Lock()
	defer t.opening.Unlock()
	opened, err := t.opened(ctx)
	if err != nil {
		return notOpened(err)
	}
	if len(opened) >= t.most() {
		return errors.New("the hub takes no more topics")
	}
	return notOpened(t.add(ctx, topic))
}

// opened are the URLs of all sources that are there for subscribers alone.
func (t *hubTopics) opened(ctx context.Context) (urls []string, err error) {
	all, err := t.store.Sources(ctx)
	for i := range all {
		if isOpened(&all[i]) {
			urls = append(urls, all[i].URL)
		}
	}
	return urls, err
}

func (t *hubTopics) add(ctx context.Context, topic string) error {
	_, _, err := t.store.AddSource(ctx, feed.Source{URL: topic, Categories: []string{openCategory}})
	return err
}

// notOpened keeps the reasons of the store in the house: what is not feed.ErrUnavailable is told to a stranger.
func notOpened(err error) error {
	if err == nil || errors.Is(err, feed.ErrUnavailable) {
		return err
	}
	return errors.New("the topic cannot be added")
}

// closeIdle removes the sources that are there for subscribers alone and have had none for some time, and returns them.
func (t *hubTopics) closeIdle(ctx context.Context, idle time.Duration) (closed []string, err error) {
	opened, err := t.opened(ctx)
	if err != nil {
		return nil, err
	}
	unwanted, err := t.store.IdleTopics(ctx, opened, idle)
	if err != nil {
		return nil, err
	}
	for _, topic := range unwanted {
		if wanted, err := t.republishedTo(ctx, topic); err != nil || wanted {
			continue
		}
		if err := t.store.RemoveSource(ctx, feed.SourceID(topic), 0); err != nil && !errors.Is(err, feed.ErrNotFound) {
			return closed, err
		}
		have, err := t.store.HaveSubscribers(ctx, []string{topic})
		if err == nil && have[0] { // who came meanwhile found it there
			err = t.add(ctx, topic)
		} else {
			closed = append(closed, topic)
		}
		if err != nil {
			return closed, err
		}
	}
	return closed, nil
}
