package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/feedwire/feedwire/store/feed"
)

// ModerateSubmission changes who sees a submission and its entry, and returns who did before. The entry of a source that was offered stays.
// The two can be in different shards: an entry is hidden before its submission and shown after it, so that nothing is visible in between, and a
// repetition completes what was interrupted. Errors are those of community.Store.ModerateNews.
func (s *Store) ModerateSubmission(ctx context.Context, n int64, state feed.Visibility) (before feed.Visibility, err error) {
	if state == feed.Hidden || state == feed.Removed {
		if _, err := s.hideEntryOf(ctx, n, state); err != nil {
			return before, err
		}
	}
	if before, err = s.Community.ModerateNews(ctx, n, state); err != nil {
		return before, err
	}
	for done := feed.Visibility(""); done != state && err == nil; { // others can decide at the same time
		done = state
		state, err = s.hideEntryOf(ctx, n, state)
	}
	return before, err
}

// hideEntryOf makes the entry of a submission as visible as a state says, and returns the state of the submission afterwards.
func (s *Store) hideEntryOf(ctx context.Context, n int64, state feed.Visibility) (feed.Visibility, error) {
	all, err := s.Community.ModeratedNews(ctx, 0, n)
	if err != nil || len(all) == 0 || all[0].Source != "" {
		return state, err
	}
	ref := feed.EntryRef{FeedURL: feed.MemberURL(all[0].AuthorID), ID: fmt.Sprint("Entry:", n)}
	if err := s.Entries.HideEntry(ctx, ref, state != feed.Visible); err != nil && !errors.Is(err, feed.ErrNotFound) { // SweepNews deletes the submission
		return state, err
	}
	if all, err = s.Community.ModeratedNews(ctx, 0, n); err != nil || len(all) == 0 {
		return state, err
	}
	return cmp.Or(all[0].State, feed.Visible), nil
}
