package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// searchedSignals is how many signals one search looks through.
const searchedSignals = 2000

// FindSignals are the signals that q selects, with the posts as they are now but for their content. Next is where to go on
// searching, as q.Before; empty at the end: one search looks through the last searchedSignals only, so that a page may have
// fewer than q.Limit, or none, with more behind it.
func (s *Store) FindSignals(ctx context.Context, q feed.SignalQuery) (found []feed.Signal, next string, err error) {
	s.gatherAll(ctx)
	from, to, look := "+", "-", q.Limit
	if q.Before != "" {
		from = "(" + q.Before
	}
	if !q.Since.IsZero() {
		to = strconv.FormatInt(max(q.Since.UnixMilli(), 0), 10)
	}
	if len(q.Kinds) > 0 || q.Text != "" || q.FeedURL != "" {
		look = searchedSignals
	}
	reply, err := s.call(ctx, "signals", func(c redis.Conn) (any, error) {
		return c.Do("XREVRANGE", s.keys.signals(), from, to, "COUNT", look)
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
	text := strings.ToLower(q.Text)
	matching := slices.DeleteFunc(records, func(r record) bool {
		url := r.fields["feed_url"]
		return len(q.Kinds) > 0 && !slices.Contains(q.Kinds, feed.SignalKind(r.fields["kind"])) ||
			q.FeedURL != "" && url != q.FeedURL || !strings.Contains(strings.ToLower(url), text)
	})
	if len(matching) > q.Limit {
		matching = matching[:q.Limit]
		next = matching[q.Limit-1].id
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
