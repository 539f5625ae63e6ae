package entry

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// Drafts makes entries ready to be written.
func Drafts(entries []feed.Entry) []draft {
	all := make([]draft, 0, len(entries))
	for i := range entries {
		all = append(all, newDraft(&entries[i]))
	}
	return all
}

// SaveDrafts writes entries without reading first which of them are new.
func (s *Store) SaveDrafts(ctx context.Context, c feed.Claim, drafts []draft) (feed.Saved, error) {
	saved, _, err := s.write(ctx, batch{feedURL: c.Source.URL, token: c.Token, received: s.db.Stamp()}, drafts)
	return saved, err
}
