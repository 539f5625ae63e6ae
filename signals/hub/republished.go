package hub

import (
	"context"
	"errors"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
)

// RepublishedOutlet distributes the republished feeds of a source as they are served.
func RepublishedOutlet(feeds RepublishedFeeds) delivery.Outlet {
	return delivery.Outlet{
		Topics: func(feedURL string) []string { return feeds.URLs(feed.SourceID(feedURL)) },
		Make: func(ctx context.Context, topic string, _ delivery.News) ([]feed.Distribution, error) {
			d, err := republishedDocument(ctx, feeds, topic)
			if errors.Is(err, feed.ErrNotFound) {
				return nil, nil // the source was removed or is private now
			}
			return []feed.Distribution{d}, err
		},
	}
}

func republishedDocument(ctx context.Context, feeds RepublishedFeeds, topic string) (d feed.Distribution, err error) {
	d.Topic, d.Whole = topic, true
	d.Body, d.ContentType, err = feeds.Document(ctx, topic)
	return d, err
}

// ServedFeeds returns the outgoing feeds that can be subscribed to, for delivery.Options.Served.
func ServedFeeds(feeds OutgoingFeeds) (all []delivery.Served) {
	for _, name := range feeds.Names() {
		topic := feeds.Topic(name)
		if topic == "" {
			continue
		}
		all = append(all, delivery.Served{Topic: topic, Get: func(ctx context.Context) (d feed.Distribution, err error) {
			d.Body, d.ContentType, err = feeds.Document(ctx, name)
			return d, err
		}})
	}
	return all
}
