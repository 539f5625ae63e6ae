package store

import (
	"context"
	"errors"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// lateWrites is how long a request that began before its account was removed may still write.
const lateWrites = 2 * time.Minute

// EraseAccounts erases what is stored about removed accounts, and forgets those that were removed more than two minutes ago. It is
// safe to repeat.
func (s *Store) EraseAccounts(ctx context.Context) error {
	before := s.db.Now().Add(-lateWrites)
	ids, err := s.People.RemovedAccounts(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.erasePosts(ctx, id); err != nil {
			return err
		}
		if err := s.Timelines.EraseFollowers(ctx, feed.MemberURL(id)); err != nil {
			return err
		}
		if err := s.Timelines.EraseUser(ctx, id); err != nil {
			return err
		}
		if err := s.Rankings.EraseVotes(ctx, id); err != nil {
			return err
		}
		if err := s.Community.EraseMember(ctx, id); err != nil {
			return err
		}
	}
	if err := s.Audit.EraseFromAudit(ctx, ids); err != nil {
		return err
	}
	return s.People.ForgetRemoved(ctx, before)
}

// erasePosts takes down the posts of an account, so that subscribers and readers lose them, and erases their source.
func (s *Store) erasePosts(ctx context.Context, account int64) error {
	url := feed.MemberURL(account)
	for {
		posts, err := s.Entries.Entries(ctx, url, 0)
		if err != nil {
			return err
		}
		if len(posts) == 0 {
			posts, err = s.Entries.UnlistedEntries(ctx, url)
		}
		if err != nil {
			return err
		}
		if len(posts) == 0 {
			return s.Sources.EraseSource(ctx, feed.SourceID(url))
		}
		for i := range posts {
			if _, err := s.Entries.TakeDownEntry(ctx, posts[i].ID); err != nil && !errors.Is(err, feed.ErrNotFound) {
				return err
			}
			if err := s.Rankings.RemoveRanked(ctx, posts[i].ID); err != nil {
				return err
			}
			if err := s.Articles.RemoveArticle(ctx, feed.ArticleUUID(url, posts[i].GUID)); err != nil {
				return err
			}
		}
	}
}
