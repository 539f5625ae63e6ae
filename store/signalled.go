package store

import (
	"context"
	"errors"

	"github.com/feedwire/feedwire/store/feed"
)

// SignalVotes signals the votes that changed on entries, those of up to 100 entries in 10 seconds, and returns how many signals it wrote. Votes on
// submissions that only their authors see have none.
func (s *Store) SignalVotes(ctx context.Context) (int, error) {
	ids, err := s.Rankings.UnsignalledVotes(ctx)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	hidden, err := s.Community.HiddenNews(ctx, ids)
	if err != nil {
		return 0, err
	}
	return s.Rankings.SignalVotes(ctx, ids, hidden)
}

// SignalLists signals the lists whose feeds show something else than a minute ago, and returns how many signals it wrote. The URL of the RSS feed of
// a list is that of feedURL. A saved search whose index is not complete is compared later.
func (s *Store) SignalLists(ctx context.Context, feedURL func(list string) string) (int, error) {
	lists, err := s.Rankings.Lists(ctx)
	if err != nil {
		return 0, err
	}
	all := make([]feed.ListDigest, 0, len(lists))
	for _, l := range lists {
		digest, err := s.ListVersion(ctx, l.Name, feed.ListTop)
		switch {
		case errors.Is(err, feed.ErrNotFound): // removed since
			continue
		case l.Kind == feed.ListSearch && errors.Is(err, feed.ErrUnavailable):
			digest = ""
		case err != nil:
			return 0, err
		}
		all = append(all, feed.ListDigest{List: l.Name, FeedURL: feedURL(l.Name), Digest: digest})
	}
	return s.Rankings.SignalLists(ctx, all)
}
