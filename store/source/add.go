package source

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// notPolled is the spread of a source that is never due.
const notPolled = -time.Second

// AddSource adds a source with a feed_created signal, or changes the settings of a stored one. It returns the source as stored, and
// whether it is new. feed.ErrInvalid: a setting or the URL is invalid; feed.ErrChanged: src.Revision is neither 0 nor the stored
// revision.
//
// A new source is due at once, or never if it is local, or within core.Options.Spread if many sources are added together. Of a
// stored source, title, link and Paused do not change, nor do the categories if src.Categories is nil.
func (s *Store) AddSource(ctx context.Context, src feed.Source) (feed.Source, bool, error) {
	url, err := feed.SourceURL(src.URL)
	if err != nil {
		return feed.Source{}, false, err
	}
	src.ID, src.URL = feed.SourceID(url), url
	for _, typ := range src.Feeds {
		if err := feed.CheckType(typ); err != nil {
			return feed.Source{}, false, err
		}
	}
	if src.Publish != feed.PublishAuto {
		src.Publish = feed.PublishManual
	}
	if src.Timestamp == feed.TimestampSource {
		src.Timestamp = ""
	}
	if err := s.checkFilters(ctx, &src); err != nil {
		return feed.Source{}, false, err
	}
	settings := settingFields(&src)
	spread := s.db.Options().Spread
	if src.Interval > 0 {
		spread = min(spread, src.Interval)
	}
	if src.Local() {
		spread = notPolled
	}
	args := append([]any{src.ID, url, s.db.Stamp(), spread.Seconds(), src.Revision, len(settings) / 2}, settings...)
	args = append(args, "added", s.db.Seconds(), "host", s.host(url))
	args = append(args, initialFields(&src)...)
	k := s.of(url)
	done, err := redis.Int(s.db.Run(ctx, s.scripts["add_source"],
		[]any{k.feeds(), k.meta(), k.due(), k.Outbox(), k.added(), k.Activity(s.db.Now()), k.takedowns()}, args))
	if err == nil && done < 0 {
		err = feed.ErrChanged
	}
	if err != nil {
		return feed.Source{}, false, fmt.Errorf("add source %s: %w", url, err)
	}
	added := done == 1
	if added {
		s.db.Signalled(ctx, k.Keyspace)
		s.db.Options().OnDue()
	}
	if added && src.Paused { // a daemon killed before this polls the source once; after that a paused source is not due
		if err := s.SetPaused(ctx, src.ID, true, 0); err != nil {
			return feed.Source{}, false, err
		}
	}
	stored, err := s.Source(ctx, src.ID)
	return stored, added, err
}

// checkFilters rejects filters that do not compile. If the filters of a stored source change, it deletes the validators of the last
// document, so that the next poll applies the new filters to it. It does so before the filters are stored: to delete validators
// once too often costs one full fetch. If a poll under way stores validators after that, the filters apply from the next document.
func (s *Store) checkFilters(ctx context.Context, src *feed.Source) error {
	if _, err := src.Filters.Compile(); err != nil {
		return fmt.Errorf("filters of %s: %w", src.URL, err)
	}
	stored, err := s.SourceByURL(ctx, src.URL)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return nil
	case err != nil:
		return err
	case stored.Filters.String() == src.Filters.String():
		return nil
	}
	_, err = s.db.Do(ctx, group, "HDEL", s.of(src.URL).meta(), "etag", "last_modified", "body_sum")
	return core.Wrap(err, "delete the validators of %s", src.URL)
}
