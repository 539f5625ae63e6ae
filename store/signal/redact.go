package signal

import (
	"context"
	"fmt"
	"strings"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// redactedPage is how many signals RemoveChanges reads at a time.
const redactedPage = 1000

// RemoveChanges deletes the post_modified signals of entries that were taken down, because these contain parts of their texts. Each of
// the given signals reports a takedown.
func (s *Store) RemoveChanges(ctx context.Context, deleted []feed.Signal) error {
	entries, outboxes := make(map[string]bool), map[string]bool{s.db.Signals(): true}
	for i := range deleted {
		entries[deleted[i].Entry] = true
		outboxes[s.db.Source(deleted[i].FeedURL).Outbox()] = true
	}
	for outbox := range outboxes {
		if err := s.removeChanges(ctx, outbox, entries); err != nil {
			return fmt.Errorf("remove changes of entries that were taken down: %w", err)
		}
	}
	return nil
}

// removeChanges deletes the post_modified signals of entries from a stream.
func (s *Store) removeChanges(ctx context.Context, stream string, entries map[string]bool) error {
	groups, err := core.Infos(s.db.Do(ctx, group, "XINFO", "GROUPS", stream))
	if err != nil && !strings.Contains(err.Error(), "no such key") {
		return err
	}
	for from := "-"; ; {
		records, err := core.Records(s.db.Do(ctx, group, "XRANGE", stream, from, "+", "COUNT", redactedPage))
		if err != nil {
			return err
		}
		var ids []any
		for _, r := range records {
			if entries[r.Fields["entry"]] && feed.SignalKind(r.Fields["kind"]) == feed.PostModified {
				ids = append(ids, r.ID)
			}
		}
		if len(ids) > 0 {
			if _, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
				for _, g := range groups { // before Redis 7, a deleted record that a consumer has not acknowledged stays pending
					b.Add("XACK", append([]any{stream, g["name"]}, ids...)...)
				}
				b.Add("XDEL", append([]any{stream}, ids...)...)
			}); err != nil {
				return err
			}
		}
		if len(records) < redactedPage {
			return nil
		}
		from = "(" + records[len(records)-1].ID
	}
}
