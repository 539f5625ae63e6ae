package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
)

var _ publish.SourceStore = (*store.Store)(nil)

// republishedNews brings the feeds of a source to those who subscribe to them, as they are served.
func republishedNews(r *publish.Republisher) hub.Outlet {
	return hub.Outlet{
		Topics: func(feedURL string) []string { return r.URLs(feed.SourceID(feedURL)) },
		Make: func(ctx context.Context, topic string, _ hub.News) ([]feed.Distribution, error) {
			d, err := republishedDocument(ctx, r, topic)
			if errors.Is(err, feed.ErrNotFound) {
				return nil, nil // the source has gone, or become private
			}
			return []feed.Distribution{d}, err
		},
	}
}

func republishedDocument(ctx context.Context, r *publish.Republisher, topic string) (d feed.Distribution, err error) {
	d.Topic, d.Whole = topic, true
	d.Body, d.ContentType, err = r.Document(ctx, topic)
	return d, err
}

// republished is the topic of the feed of a source that may be read by all.
func (t *hubTopics) republished(ctx context.Context, topic string) (string, error) {
	source, err := t.store.Source(ctx, t.republish.SourceOf(topic))
	if err == nil && source.Private() {
		err = fmt.Errorf("topic of a private source: %w", feed.ErrNotFound)
	}
	return topic, err
}

// republishedTo reports whether somebody subscribes to a feed of the source with this URL.
func (t *hubTopics) republishedTo(ctx context.Context, url string) (bool, error) {
	have, err := t.store.HaveSubscribers(ctx, t.republish.URLs(feed.SourceID(url)))
	for _, one := range have {
		if one {
			return true, err
		}
	}
	return false, err
}
