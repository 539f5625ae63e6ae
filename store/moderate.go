package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/feedwire/feedwire/store/feed"
)

// ModerateSubmission changes who sees a submission and its entry, and returns who did before. The entry of a source that was offered stays.
// Errors are those of community.Store.ModerateNews.
func (s *Store) ModerateSubmission(ctx context.Context, n int64, state feed.Visibility) (before feed.Visibility, err error) {
	all, err := s.Community.ModeratedNews(ctx, 0, n)
	if err != nil {
		return before, err
	}
	if before, err = s.Community.ModerateNews(ctx, n, state); err != nil || len(all) == 0 || all[0].Source != "" {
		return before, err
	}
	ref := feed.EntryRef{FeedURL: feed.MemberURL(all[0].AuthorID), ID: fmt.Sprint("Entry:", n)}
	if err = s.Entries.HideEntry(ctx, ref, state != feed.Visible); errors.Is(err, feed.ErrNotFound) { // SweepNews deletes the submission
		err = nil
	}
	return before, err
}
