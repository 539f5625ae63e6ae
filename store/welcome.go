package store

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// parallelFollows is how many follows of a new member are stored at a time.
const parallelFollows = 8

// DefaultSources returns the sources that new members follow, by URL. Those that were removed are left out.
func (s *Store) DefaultSources(ctx context.Context) ([]feed.Source, error) {
	urls, err := s.Timelines.DefaultFollows(ctx)
	if err != nil {
		return nil, err
	}
	return s.Sources.SourcesByURL(ctx, urls)
}

// WelcomeMember makes a new member follow the default sources, and builds the timeline. It is safe to repeat.
func (s *Store) WelcomeMember(ctx context.Context, name string) error {
	a, err := s.People.Account(ctx, name)
	if err != nil {
		return err
	}
	sources, err := s.DefaultSources(ctx)
	if err != nil {
		return err
	}
	group, following := errgroup.WithContext(ctx)
	group.SetLimit(parallelFollows)
	for i := range sources {
		group.Go(func() error {
			_, err := s.Timelines.Follow(following, a.ID, feed.Follow{FeedURL: sources[i].URL})
			return err
		})
	}
	if err = group.Wait(); err == nil {
		_, err = s.Timelines.Timeline(ctx, a.ID, feed.Cursor{}, 1)
	}
	return core.Wrap(err, "welcome %s", name)
}
