package store

import (
	"context"
	"errors"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/entry"
	"github.com/feedwire/feedwire/store/feed"
)

// offeredEntries is how many of the newest entries of a source OfferEntries reads.
const offeredEntries = 50

// OfferEntries makes the newest entries of Options.Discussed news, on which members vote and comment, and brings those that are in line
// with the entries. Entries that not everyone may see, or on which voting has closed, are left out.
func (s *Store) OfferEntries(ctx context.Context) error {
	for _, url := range s.db.Options().Discussed {
		if err := s.offerNewest(ctx, url); err != nil {
			return core.Wrap(err, "offer entries of %s", url)
		}
	}
	return nil
}

func (s *Store) offerNewest(ctx context.Context, url string) error {
	source, err := s.Sources.SourceByURL(ctx, url)
	if errors.Is(err, feed.ErrNotFound) || err == nil && (source.Private() || source.OfMember()) {
		return nil
	}
	if err != nil {
		return err
	}
	r, err := s.db.Pipeline(ctx, "community", func(b *core.Batch) { s.Entries.QueryNewest(b, source.URL, offeredEntries) })
	if err != nil {
		return err
	}
	found, err := s.Entries.LoadHeadlines(ctx, entry.Refs(source.URL, r.Texts()...))
	if err != nil {
		return err
	}
	var open []feed.Entry
	for i := range found {
		if s.Rankings.VotingOpen(&found[i]) {
			open = append(open, found[i])
		}
	}
	return s.Community.Offer(ctx, open)
}

// Threads returns how many comments those of some entries of a source have on which members can comment, by id. It is empty unless
// Options.Discussed names the source.
func (s *Store) Threads(ctx context.Context, feedURL string, entries []feed.Entry) (map[string]string, error) {
	sizes := make(map[string]string)
	if !s.Community.Offered(feedURL) {
		return sizes, nil
	}
	r, err := s.db.Pipeline(ctx, "community", func(b *core.Batch) {
		for i := range entries {
			s.Community.QueryThread(b, entries[i].ID)
		}
	})
	if err != nil {
		return sizes, core.Wrap(err, "threads of %s", feedURL)
	}
	for i := range entries {
		if comments, open := s.Community.ReadThread(&r); open {
			sizes[entries[i].ID] = comments
		}
	}
	return sizes, nil
}
