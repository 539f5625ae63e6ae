package store

import (
	"cmp"
	"context"
	"errors"

	"github.com/feedwire/feedwire/store/feed"
)

// ModerateSubmission changes who sees a submission and its entry, and returns who did before. The entry of a source that was offered stays.
// The two can be in different shards: an entry is hidden before its submission and shown after it, so that nothing is visible in between, and a
// repetition completes what was interrupted. The entry of a submission that is reviewed is shown before it, so that the submission stays in
// the queue until both are approved. Errors are those of community.Store.ModerateNews.
func (s *Store) ModerateSubmission(ctx context.Context, n int64, state feed.Visibility, reason string) (before feed.Visibility, err error) {
	if err := state.CheckNews(); err != nil {
		return before, err
	}
	found, err := s.Community.ModeratedNews(ctx, 0, n)
	if err == nil && (state != feed.Visible || len(found) > 0 && found[0].State.Reviewed()) {
		err = s.hideEntryOf(ctx, found, state)
	}
	if err != nil {
		return before, err
	}
	if before, err = s.Community.ModerateNews(ctx, n, state, reason); err != nil {
		return before, err
	}
	for {
		if err := s.hideEntryOf(ctx, found, state); err != nil {
			return before, err
		}
		found, err = s.Community.ModeratedNews(ctx, 0, n)
		if err != nil || len(found) == 0 || cmp.Or(found[0].State, feed.Visible) == state {
			return before, err
		}
		state = cmp.Or(found[0].State, feed.Visible) // another moderator decided at the same time
	}
}

// hideEntryOf makes the entry of a submission, if there is one, as visible as a state says.
func (s *Store) hideEntryOf(ctx context.Context, found []feed.News, state feed.Visibility) error {
	if len(found) == 0 || found[0].Source != "" {
		return nil
	}
	ref := feed.EntryRef{FeedURL: feed.MemberURL(found[0].AuthorID), ID: found[0].EntryID()}
	change := s.Entries.HideEntry
	if state == feed.Visible {
		change = s.Entries.ShowEntry
	}
	err := change(ctx, ref)
	if errors.Is(err, feed.ErrNotFound) { // SweepNews deletes the submission
		return nil
	}
	return err
}
