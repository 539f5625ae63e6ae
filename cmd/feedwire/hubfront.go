package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
)

var _ hub.Topics = (*hubTopics)(nil)

// newFront builds the part of the hub that takes requests and verifies them.
func (a *app) newFront() *hub.Front {
	cfg := a.cfg()
	a.topics = &hubTopics{
		store: a.store, publisher: a.publisher, republish: a.republish, ingester: a.ingester, hub: hubURL(cfg),
		most: func() int { return a.cfg().Hub.OpenTopics },
	}
	return hub.NewFront(mortal(a.store), a.topics, mortalTransport(a.outgoing(a.callbackNetworks)), a.frontOptions(cfg))
}

func (a *app) frontOptions(cfg *config.Config) hub.FrontOptions {
	opts := hub.FrontOptions{
		URL: hubURL(cfg), UserAgent: userAgent(cfg), LeaseDefault: cfg.Hub.Lease, LeaseLeast: cfg.Hub.MinLease, LeaseMost: cfg.Hub.MaxLease,
		Limits: hub.Limits{PublishesApart: publishesApart(cfg)}, Trusted: a.desk.Trusts, Replay: a.store.ReplaySubscription,
		OnPanic: a.metrics.panicked, Logger: a.log, Registerer: a.registry,
	}
	if cfg.Hub.OpenTopics > 0 {
		opts.Open = a.topics.open
	}
	return opts
}

// publishesApart is how long a topic that is published again has to wait: as long as a source that a person polls.
func publishesApart(cfg *config.Config) (d time.Duration) {
	if d = min(cfg.Fetch.MinInterval, pollFloor); d == 0 {
		return -1
	}
	return d
}

// hubTopics are what can be subscribed to: sources by their URL and by those of their feeds here, and outgoing feeds that
// ask for no password.
type hubTopics struct {
	store     *store.Store
	publisher *publish.Publisher
	republish *publish.Republisher
	ingester  *ingest.Ingester
	hub       string     // its URL
	most      func() int // sources that subscribers may add
	opening   sync.Mutex // held while one is added, so that they are counted right
}

// outgoing is the name of the outgoing feed with this topic; empty: it is none.
func (t *hubTopics) outgoing(topic string) string {
	for _, name := range t.publisher.Names() {
		if own, err := feed.CanonicalURL(t.publisher.Topic(name)); err == nil && own == topic {
			return name
		}
	}
	return ""
}

// Topic implements hub.Topics.
func (t *hubTopics) Topic(ctx context.Context, written string) (string, error) {
	topic, err := feed.CanonicalURL(written)
	if err != nil {
		return "", fmt.Errorf("topic: %w", feed.ErrNotFound)
	}
	if name := t.outgoing(topic); name != "" {
		return t.publisher.Topic(name), nil
	}
	if t.republish.SourceOf(topic) != "" {
		return t.republished(ctx, topic)
	}
	source, err := t.store.SourceByURL(ctx, topic)
	return source.URL, err
}

// Publish implements hub.Topics: a source is polled. An outgoing feed is looked at all the time; one that is paused is
// left alone.
func (t *hubTopics) Publish(ctx context.Context, topic string) error {
	if t.outgoing(topic) != "" {
		return nil
	}
	err := t.store.PollSource(ctx, cmp.Or(t.republish.SourceOf(topic), feed.SourceID(topic)), 0)
	if errors.Is(err, feed.ErrConflict) {
		return nil
	}
	return err
}

// PublishLater implements hub.Topics: the store lets a source wait that was just polled.
func (t *hubTopics) PublishLater(ctx context.Context, topic string) error {
	return t.Publish(ctx, topic)
}

// retrieved is how many entries of a source are retrieved where nobody says how many.
const retrieved = 10

// Document implements hub.Topics: an outgoing feed, or that of a source here, as it is served; of a source the document
// where it is kept and no part is asked for, else a feed of its entries.
func (t *hubTopics) Document(ctx context.Context, topic string, part hub.Part) (d feed.Distribution, err error) {
	whole := part == hub.Part{}
	if name := t.outgoing(topic); name != "" {
		if !whole {
			return d, fmt.Errorf("an outgoing feed has no parts: %w", feed.ErrConflict)
		}
		d.Body, d.ContentType, err = t.publisher.Document(ctx, name)
		return d, err
	}
	if t.republish.SourceOf(topic) != "" {
		if !whole {
			return d, fmt.Errorf("a republished feed has no parts: %w", feed.ErrConflict)
		}
		return republishedDocument(ctx, t.republish, topic)
	}
	if whole {
		if d, err = t.store.SourceDocument(ctx, topic); !errors.Is(err, feed.ErrNotFound) {
			return d, err
		}
	}
	source, err := t.store.SourceByURL(ctx, topic)
	if err != nil {
		return d, err
	}
	entries, err := t.store.EntriesBetween(ctx, topic, hub.GUIDOf(topic, part.Before), hub.GUIDOf(topic, part.After), cmp.Or(part.Count, retrieved))
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return d, fmt.Errorf("before or after: %w", feed.ErrConflict)
	case err != nil:
		return d, err
	case len(entries) == 0 && whole:
		return d, feed.ErrNotFound
	}
	return hub.EntriesDocument(&source, entries, t.hub)
}
