package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// searchedSignals is how many signals one search looks through.
const searchedSignals = 2000

// FindSignals are up to limit signals before the one with the id before ("" for the newest), newest first, that are of one
// of the kinds (none: any) and whose feed_url has a text in it, with the posts as they are now but for their content. Next
// is where to go on searching, empty at the end: one search looks through the last searchedSignals only, so that a page
// may have fewer than limit, or none, with more behind it.
func (s *Store) FindSignals(
	ctx context.Context, kinds []feed.SignalKind, text, before string, limit int,
) (found []feed.Signal, next string, err error) {
	from, look := "+", limit
	if before != "" {
		from = "(" + before
	}
	if len(kinds) > 0 || text != "" {
		look = searchedSignals
	}
	reply, err := s.call(ctx, "signals", func(c redis.Conn) (any, error) {
		return c.Do("XREVRANGE", s.keys.signals(), from, "-", "COUNT", look)
	})
	var records []record
	if err == nil {
		records, err = parseRecords(reply)
	}
	if err != nil {
		return nil, "", fmt.Errorf("find signals: %w", err)
	}
	if len(records) == look {
		next = records[look-1].id
	}
	text = strings.ToLower(text)
	matching := slices.DeleteFunc(records, func(r record) bool {
		return len(kinds) > 0 && !slices.Contains(kinds, feed.SignalKind(r.fields["kind"])) ||
			!strings.Contains(strings.ToLower(r.fields["feed_url"]), text)
	})
	if len(matching) > limit {
		matching = matching[:limit]
		next = matching[limit-1].id
	}
	found, err = s.signals(ctx, matching, s.loadHeadlines)
	return found, next, err
}

// Signal is one signal, with its post as it is now. feed.ErrNotFound: it is not kept, or not any more.
func (s *Store) Signal(ctx context.Context, id string) (feed.Signal, error) {
	reply, err := s.call(ctx, "signals", func(c redis.Conn) (any, error) {
		return c.Do("XRANGE", s.keys.signals(), id, id)
	})
	var records []record
	if err == nil {
		records, err = parseRecords(reply)
	}
	switch {
	case err != nil:
		return feed.Signal{}, fmt.Errorf("read signal %s: %w", id, err)
	case len(records) == 0:
		return feed.Signal{}, fmt.Errorf("signal %s: %w", id, feed.ErrNotFound)
	}
	all, err := s.signals(ctx, records, s.loadEntries)
	if err != nil {
		return feed.Signal{}, err
	}
	return all[0], nil
}
