package signal

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// searched is how many signals one search with conditions reads.
const searched = 2000

// FindSignals returns the signals that q selects, with the posts in their current state but without their content. It reads a
// bounded number of signals, so a page may have fewer than q.Limit although more follow. The next page begins with q.Before set to
// next; next is empty at the end.
func (s *Store) FindSignals(ctx context.Context, q feed.SignalQuery) (found []feed.Signal, next string, err error) {
	s.db.MergeOutboxes(ctx)
	to, count := "-", q.Limit
	if !q.Since.IsZero() {
		to = strconv.FormatInt(max(q.Since.UnixMilli(), 0), 10)
	}
	if len(q.Kinds) > 0 || q.Text != "" || q.FeedURL != "" {
		count = searched
	}
	records, err := s.records(ctx, "XREVRANGE", core.Before(q.Before), to, "COUNT", count)
	if err != nil {
		return nil, "", fmt.Errorf("find signals: %w", err)
	}
	if len(records) == count {
		next = records[count-1].ID
	}
	text := strings.ToLower(q.Text)
	matching := slices.DeleteFunc(records, func(r core.Record) bool {
		url := r.Fields["feed_url"]
		return len(q.Kinds) > 0 && !slices.Contains(q.Kinds, feed.SignalKind(r.Fields["kind"])) ||
			q.FeedURL != "" && url != q.FeedURL || !strings.Contains(strings.ToLower(url), text)
	})
	if len(matching) > q.Limit {
		matching = matching[:q.Limit]
		next = matching[q.Limit-1].ID
	}
	found = signalsFrom(matching)
	return found, next, s.addPosts(ctx, found, s.posts.LoadHeadlines)
}

// Signal returns the signal with an id, with its post in its current state. feed.ErrNotFound: it is not stored, or was trimmed.
func (s *Store) Signal(ctx context.Context, id string) (feed.Signal, error) {
	records, err := s.records(ctx, "XRANGE", id, id)
	if err == nil && len(records) == 0 {
		err = feed.ErrNotFound
	}
	if err != nil {
		return feed.Signal{}, fmt.Errorf("signal %s: %w", id, err)
	}
	all := signalsFrom(records)
	err = s.LoadPosts(ctx, all)
	return all[0], err
}

// records sends a command that reads a range of the stream.
func (s *Store) records(ctx context.Context, command string, args ...any) ([]core.Record, error) {
	return core.Records(s.db.Do(ctx, group, command, append([]any{s.db.Signals()}, args...)...))
}
