package ops

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// A store is closed while it is incomplete or copied; the key core.Layout.ClosedKey says why. Daemons do not start on a closed
// store, and running daemons wait from their next Check on.

// closedFor is how long a store stays closed after the process that copies it was killed.
const closedFor = 15 * time.Second

// whileClosed closes the store, calls do, and opens the store again. The context of do ends if the store cannot be kept closed.
// feed.ErrConflict: the store is closed already.
func (s *Store) whileClosed(ctx context.Context, do func(ctx context.Context) error) (err error) {
	mark := core.MarkMigrate + " " + rand.Text()
	if err := s.close(ctx, mark, "", closedFor); err != nil {
		return err
	}
	closed, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cancel(s.keepClosed(closed, mark))
	}()
	defer func() {
		if closed.Err() != nil && ctx.Err() == nil {
			err = context.Cause(closed)
		}
		cancel(nil)
		<-ended
		if end := s.close(context.WithoutCancel(ctx), mark, mark, 0); err == nil && end != nil {
			err = fmt.Errorf("%w; the store opens by itself in %v", end, closedFor)
		}
	}()
	return do(closed)
}

// keepClosed renews a mark until the context ends or the mark is lost.
func (s *Store) keepClosed(ctx context.Context, mark string) error {
	tick := time.NewTicker(closedFor / 5)
	defer tick.Stop()
	for renewed := time.Now(); ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		asked := time.Now()
		err := s.close(ctx, mark, mark, closedFor)
		switch {
		case err == nil:
			renewed = asked
		case errors.Is(err, feed.ErrConflict), time.Since(renewed) > closedFor/2:
			return err
		}
	}
}

// close closes the store for a time, or opens it if d is 0. feed.ErrConflict: the mark of the store is not the current one.
func (s *Store) close(ctx context.Context, mark, current string, d time.Duration) error {
	found, err := redis.String(s.db.Run(ctx, s.scripts["close_store"], []any{s.db.ClosedKey()}, []any{mark, current, d.Milliseconds()}))
	switch {
	case err != nil:
		return fmt.Errorf("close the store to daemons: %w", err)
	case found == "":
		return fmt.Errorf("%w: the store was open to daemons after %v; start again", feed.ErrConflict, closedFor)
	case found != mark:
		return fmt.Errorf("%w: %w", feed.ErrConflict, core.WhyClosed(found))
	}
	return nil
}
