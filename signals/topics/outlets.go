package topics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
)

// Outlets returns what subscribers receive of the news of sources: under the feed URL of a source its new and changed
// entries, or its document unchanged if full, or if a subscriber added it and OpenOptions.Full is set; under the URLs of its
// republished feeds these feeds as they are served; and webhooks.
func (c *Catalog) Outlets(full bool) []delivery.Outlet {
	source := delivery.Outlet{Topics: func(feedURL string) []string { return []string{feedURL} }, Make: c.makeSource, Redact: redactNews}
	if full {
		source.Make = c.makeDocument
	}
	republished := delivery.Outlet{
		Topics: func(feedURL string) []string {
			return c.withAliases(c.opts.Republished.URLs(feed.SourceID(feedURL))...)
		}, Make: c.makeRepublished,
	}
	return append([]delivery.Outlet{source, republished}, delivery.Webhooks()...)
}

// Served returns the outgoing feeds that can be subscribed to, in the order of their topics.
func (c *Catalog) Served() (all []delivery.Served) {
	names := c.opts.Outgoing.Topics()
	for _, topic := range slices.Sorted(maps.Keys(names)) {
		name := names[topic]
		for _, alias := range c.withAliases(topic) {
			all = append(all, delivery.Served{Topic: alias, Get: func(ctx context.Context) (feed.Distribution, error) {
				return c.opts.Outgoing.Document(ctx, name)
			}})
		}
	}
	return all
}

// Lists returns the feeds of all lists that are public.
func (c *Catalog) Lists(ctx context.Context) (all []delivery.Served, err error) {
	lists, err := c.store.Lists(ctx)
	for _, list := range lists {
		for _, topic := range c.withAliases(c.opts.Republished.ListURLs(list.Name)...) {
			all = append(all, delivery.Served{Topic: topic, Get: func(ctx context.Context) (feed.Distribution, error) {
				return c.opts.Republished.Document(ctx, c.current(topic))
			}})
		}
	}
	return all, err
}

func (c *Catalog) makeSource(ctx context.Context, topic string, news delivery.News) ([]feed.Distribution, error) {
	full, err := c.IsFull(ctx, news.FeedURL)
	switch {
	case err != nil:
		return nil, err
	case full:
		return c.makeDocument(ctx, topic, news)
	}
	return c.makeNews(ctx, topic, news)
}

// IsFull reports whether subscribers of a source receive its document unchanged because a subscriber added it.
func (c *Catalog) IsFull(ctx context.Context, feedURL string) (bool, error) {
	if opts := c.open(); opts.Topics == 0 || !opts.Full {
		return false, nil
	}
	source, err := c.store.SourceByURL(ctx, feedURL)
	if err != nil {
		return false, fmt.Errorf("read source: %w", err)
	}
	return isAdded(&source), nil
}

func (c *Catalog) makeDocument(ctx context.Context, topic string, news delivery.News) ([]feed.Distribution, error) {
	d, err := c.sourceDocument(ctx, news.FeedURL)
	switch {
	case errors.Is(err, feed.ErrConflict):
		d, err = c.listDocument(ctx, news)
	case errors.Is(err, feed.ErrNotFound):
		return nil, nil // the document is older than the first subscription
	}
	d.Topic, d.Whole = topic, true
	return []feed.Distribution{d}, err
}

// Bounds of the document that stands for the unchanged one after a takedown.
const (
	maxListed      = 500     // entries
	maxListedBytes = 4 << 20 // of their texts
	listedPage     = 50
)

// listDocument returns a document of the newest entries of a source, and of those that were taken down.
func (c *Catalog) listDocument(ctx context.Context, news delivery.News) (d feed.Distribution, err error) {
	source, err := c.store.SourceByURL(ctx, news.FeedURL)
	if err != nil {
		return d, fmt.Errorf("read source: %w", err)
	}
	gone, err := c.store.Deleted(ctx, source.URL)
	if err != nil {
		return d, err
	}
	deleted := make([]feedxml.Deleted, len(gone))
	for i, g := range gone {
		deleted[i] = feedxml.Deleted{IDs: feedxml.NewIDs(g.GUID, source.URL), Time: g.Time}
	}
	var entries []*feed.Entry
	for last, size := "", 0; len(entries) < maxListed && size < maxListedBytes; {
		page, err := c.store.EntriesBetween(ctx, source.URL, last, "", listedPage)
		if errors.Is(err, feed.ErrNotFound) { // the last entry expired meanwhile
			break
		}
		if err != nil {
			return d, err
		}
		for i := range page {
			entries, size, last = append(entries, &page[i]), size+len(page[i].Content)+len(page[i].Summary), page[i].GUID
		}
		if len(page) < listedPage {
			break
		}
	}
	d, err = c.encode(&source, entries, deleted, news.Signals[len(news.Signals)-1].Time)
	d.Posts = nil // the next document replaces this one
	return d, err
}

// sourceDocument returns the unchanged document of a source. feed.ErrConflict: an entry was taken down that it may list.
func (c *Catalog) sourceDocument(ctx context.Context, feedURL string) (d feed.Distribution, err error) {
	taken, err := c.store.HasTakedowns(ctx, feedURL)
	if err == nil && taken {
		err = fmt.Errorf("entries of %s were taken down: %w", feedURL, feed.ErrConflict)
	}
	if err != nil {
		return d, err
	}
	return c.store.SourceDocument(ctx, feedURL)
}

func (c *Catalog) makeRepublished(ctx context.Context, topic string, _ delivery.News) ([]feed.Distribution, error) {
	d, err := c.opts.Republished.Document(ctx, c.current(topic))
	if errors.Is(err, feed.ErrNotFound) {
		return nil, nil // the source was removed or is private now
	}
	d.Topic = topic
	return []feed.Distribution{d}, err
}

func (c *Catalog) makeNews(ctx context.Context, _ string, news delivery.News) ([]feed.Distribution, error) {
	entries, about := content(news.Signals)
	deleted := deletedIn(news.Signals)
	if len(entries)+len(deleted) == 0 && !about {
		return nil, nil
	}
	source, err := c.store.SourceByURL(ctx, news.FeedURL)
	if err != nil {
		return nil, fmt.Errorf("read source: %w", err)
	}
	if formatOf(&source) == feedxml.RSS && len(entries) == 0 && !about {
		return nil, nil // RSS cannot say that an entry was deleted
	}
	d, err := c.encode(&source, entries, deleted, news.Signals[len(news.Signals)-1].Time)
	return []feed.Distribution{d}, err
}

// redactNews removes an entry from a document that encode has made.
func redactNews(body []byte, deleted *feed.Signal) ([]byte, error) {
	return feedxml.Without(body, deleted.GUID, deleted.FeedURL)
}

// content returns the entries of signals, each once, in its current state and in the order of the last signals, and whether
// the feed itself has changed. It omits unsignalled entries: subscribers would mistake them for edits.
func content(signals []feed.Signal) (entries []*feed.Entry, about bool) {
	last := make(map[string]int)
	for i := range signals {
		last[signals[i].Entry] = i
	}
	for i := range signals {
		s := &signals[i]
		about = about || s.Kind == feed.FeedModified && len(s.Changed) > 0
		if s.Post != nil && last[s.Entry] == i {
			entries = append(entries, s.Post)
		}
	}
	return entries, about
}

// deletedIn returns the entries that signals report as deleted. An entry with the guid of a deleted one may have been written since.
func deletedIn(signals []feed.Signal) (all []feedxml.Deleted) {
	for i := range signals {
		s := &signals[i]
		again := func(later feed.Signal) bool { return later.Post != nil && later.GUID == s.GUID }
		if s.Kind == feed.PostDeleted && !slices.ContainsFunc(signals[i:], again) {
			all = append(all, feedxml.Deleted{IDs: feedxml.NewIDs(s.GUID, s.FeedURL), Time: s.Time})
		}
	}
	return all
}
