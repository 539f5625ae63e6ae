package store

import "context"

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
