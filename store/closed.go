package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// A store is closed while a part of it is missing, or while all of it is copied: keys.closed says why. No daemon begins its
// work then, and one that runs waits from its next Check on.

// What the mark begins with.
const (
	markRestore = "restore" // a backup is written here
	markCopy    = "copy"    // another store is copied to here
	markMigrate = "migrate" // this store is copied
)

// closedFor is how long a store that is copied stays closed when whoever copies it is killed.
const closedFor = 15 * time.Second

// Why a store is closed, for people.
var (
	errRestoring = errors.New("a backup is being restored, or that was cut off: wait for it, or run feedwire restore again")
	errCopy      = errors.New("the data in Redis is a copy that is not complete: run feedwire migrate once more, or empty it")
	errMigrating = errors.New("the data in Redis is being copied by feedwire migrate, or was until a moment ago: " +
		"set store.redis and store.prefix to the new place; to go on here, wait until that has ended, or for 15 s after it was killed")
)

// whyClosed reads a mark.
func whyClosed(mark any) *error {
	text, _ := redis.String(mark, nil)
	switch kind, _, _ := strings.Cut(text, " "); kind {
	case markRestore:
		return &errRestoring
	case markMigrate:
		return &errMigrating
	}
	return &errCopy
}

// whileClosed closes the store, does something, and opens it again. What is done is ended when the store cannot be kept
// closed. feed.ErrConflict: it is closed already.
func (s *Store) whileClosed(ctx context.Context, do func(ctx context.Context) error) (err error) {
	mark := markMigrate + " " + rand.Text()
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
			err = fmt.Errorf("%w; it is open again in %v", end, closedFor)
		}
	}()
	return do(closed)
}

// keepClosed renews a mark until the context ends, or the mark has.
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

// close closes the store for a while, or with 0 opens it. The mark there has to be the one that is told.
func (s *Store) close(ctx context.Context, mark, there string, d time.Duration) error {
	found, err := redis.String(s.run(ctx, "close_store", []any{s.keys.closed()}, []any{mark, there, d.Milliseconds()}))
	switch {
	case err != nil:
		return fmt.Errorf("keep daemons away from the store: %w", err)
	case found == "":
		return fmt.Errorf("%w: daemons were not kept away from the store for more than %v; begin anew", feed.ErrConflict, closedFor)
	case found != mark:
		return fmt.Errorf("%w: %w", feed.ErrConflict, *whyClosed(found))
	}
	return nil
}
