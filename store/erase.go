package store

import (
	"context"
	"time"
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
		if err := s.Timelines.EraseUser(ctx, id); err != nil {
			return err
		}
	}
	return s.People.ForgetRemoved(ctx, before)
}
