package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/gomodule/redigo/redis"
)

// An installation has an id, which is made with its first start. A daemon remembers the one that it found, so that it
// notices when the data below it is gone (FLUSHALL, a Redis that keeps nothing and was restarted) or is that of another
// one. From then on all calls but Check fail as if Redis were away: what is served stays the last good copy, nothing is
// polled or written, and no index is built up again out of half of the data.

// errEmptied is what calls get meanwhile.
var errEmptied = errors.New("the data of this installation is gone from Redis: restore a backup, or restart the daemon to begin anew")

// Check is the readiness test: the server answers, takes a write, and holds a layout that this program understands, of
// the installation that it held before. While the store is closed, see closed.go, a daemon that starts on a copy, or on what is
// copied, is told so by an error that does not pass; all others wait.
func (s *Store) Check(ctx context.Context) error {
	known := s.known()
	replies, err := s.pipeline(ctx, "check", func(b *batch) {
		b.add("SET", s.keys.ready(), s.stamp(), "EX", 60)
		b.add("GET", s.keys.schema())
		b.add("GET", s.keys.installation())
		b.add("GET", s.keys.closed())
	})
	s.metrics.setUp(err == nil)
	if err != nil {
		return err
	}
	if replies[3] != nil {
		why := whyClosed(replies[3])
		if known == "" && why != &errRestoring {
			return *why
		}
		s.shutFor(why)
		return &Error{Op: "check", Class: ClassEmptied, Err: *why}
	}
	if known == "" && (replies[1] == nil || replies[2] == nil) {
		if replies, err = s.begin(ctx); err != nil {
			return err
		}
	}
	found, err := s.whole(ctx, known, replies[2])
	if err == nil {
		err = s.same(known, found)
	}
	if err != nil {
		return err
	}
	s.shutFor(nil)
	schema, err := redis.Int(replies[1], nil)
	switch {
	case err != nil:
		return fmt.Errorf("schema key %s does not hold a number: another program uses this Redis; set store.prefix", s.keys.schema())
	case schema > schemaVersion:
		return fmt.Errorf("the data in Redis has layout %d, this program knows %d: start a newer feedwire", schema, schemaVersion)
	}
	if id, _ := redis.String(replies[2], nil); known == "" {
		s.installation.CompareAndSwap(nil, id)
	}
	return nil
}

// begin makes an installation where there is none; of several daemons that start at once, one does.
func (s *Store) begin(ctx context.Context) ([]any, error) {
	replies, err := s.pipeline(ctx, "check", func(b *batch) {
		b.add("SETNX", s.keys.schema(), schemaVersion)
		b.add("SETNX", s.keys.installation(), rand.Text())
		b.add("GET", s.keys.schema())
		b.add("GET", s.keys.installation())
	})
	if err != nil {
		return nil, err
	}
	return replies[1:], nil
}

// known is the installation that Check found first; empty: it found none yet.
func (s *Store) known() string {
	id, _ := s.installation.Load().(string)
	return id
}

// same looks at an answer for the installation, asked for after something else: what an empty Redis answers must not be
// taken for that of an installation without articles. What was known is of before the question: one that begins in between
// is not gone.
func (s *Store) same(known string, installation any) error {
	found, _ := redis.String(installation, nil)
	if known == "" || found == known {
		return nil
	}
	s.shutFor(&errEmptied)
	return &Error{Op: "check", Class: ClassEmptied, Err: errEmptied}
}

// shutFor has all calls but Check fail for a reason; nil: not any more.
func (s *Store) shutFor(why *error) {
	if was := s.shut.Swap(why); was == why {
		return
	}
	s.metrics.setEmptied(why == &errEmptied || why == &errRestoring)
	if why != nil {
		s.opts.Logger.Error("all work on the store waits", "err", *why)
	} else {
		s.opts.Logger.Info("work on the store goes on")
	}
}
