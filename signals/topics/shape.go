package topics

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/store/feed"
)

// Shape returns the news of a source in the form that a subscriber wants, with its entries in their current state. It has a nil Body if
// none of them is for the subscriber; deleted entries are for all. Documents that are delivered unchanged are returned unchanged.
func (c *Catalog) Shape(ctx context.Context, d feed.Distribution, form feed.Form) (feed.Distribution, error) {
	if d.Whole {
		return d, nil
	}
	news, err := c.loadedNews(ctx, &d)
	if errors.Is(err, feed.ErrNotFound) {
		return d, nil
	}
	if err != nil {
		return d, fmt.Errorf("shape news of %s: %w", d.Topic, err)
	}
	var filter feed.NewsFilter // matches all
	if form.Filter != "" {
		if filter, err = feed.ParseNewsFilter(form.Filter); err != nil {
			return d, err
		}
	}
	var entries []*feed.Entry
	for i := range news.entries {
		if e := &news.entries[i]; filter.Match(e) {
			entries = append(entries, e)
		}
	}
	if form.Filter != "" && len(entries)+len(news.deleted) == 0 {
		d.Body = nil
		return d, nil
	}
	format := formatOf(&news.source)
	if form.JSON {
		format = feedxml.JSON
	}
	shaped, err := c.encodeAs(format, &news.source, entries, news.deleted, d.Time)
	shaped.Version, shaped.Time = d.Version, d.Time
	return shaped, err
}

// loadedNews is what Shape needs of a version. It is shared and must not be changed.
type loadedNews struct {
	source  feed.Source
	entries []feed.Entry
	deleted []feedxml.Deleted
	read    time.Time
}

// Bounds of newsCache. A takedown is effective within 2 seconds, one of which is the age of a version in the cache of deliveries.
const (
	newsVersions = 8
	newsAge      = time.Second / 2
)

// newsCache keeps the entries of versions for a moment, because subscribers with many different filters want the same version at the
// same time.
type newsCache struct {
	reads singleflight.Group
	mu    sync.Mutex // never held during I/O
	all   map[string]*loadedNews
}

// loadedNews returns the entries of a version. feed.ErrNotFound: its topic is no source.
func (c *Catalog) loadedNews(ctx context.Context, d *feed.Distribution) (*loadedNews, error) {
	key := strconv.FormatInt(d.Version, 10) + " " + d.Topic
	if n := c.news.get(key, c.opts.Now()); n != nil {
		return n, nil
	}
	read, err, _ := c.news.reads.Do(key, func() (any, error) {
		n := &loadedNews{read: c.opts.Now(), deleted: feedxml.DeletedIn(d.Body, d.Topic)}
		var err error
		if n.source, err = c.store.SourceByURL(ctx, d.Topic); err != nil {
			return n, err
		}
		refs := make([]feed.EntryRef, len(d.Posts))
		for i, id := range d.Posts {
			refs[i] = feed.EntryRef{FeedURL: d.Topic, ID: id}
		}
		if n.entries, err = c.store.LoadEntries(ctx, refs); err == nil {
			c.news.put(key, n)
		}
		return n, err
	})
	return read.(*loadedNews), err
}

func (c *newsCache) get(key string, now time.Time) *loadedNews {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.all[key]; n != nil && now.Sub(n.read) < newsAge {
		return n
	}
	return nil
}

func (c *newsCache) put(key string, n *loadedNews) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil || len(c.all) >= newsVersions {
		c.all = make(map[string]*loadedNews)
	}
	c.all[key] = n
}
