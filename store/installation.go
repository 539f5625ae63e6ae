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

// errRestoring is what a daemon gets that starts then.
var errRestoring = errors.New("a backup is being restored, or that was cut off: wait for it, or run feedwire restore again")

// Check is the readiness test: the server answers, takes a write, and holds a layout that this program understands, of
// the installation that it held before.
func (s *Store) Check(ctx context.Context) error {
	known := s.known()
	replies, err := s.pipeline(ctx, "check", func(b *batch) {
		b.add("SET", s.keys.ready(), s.stamp(), "EX", 60)
		b.add("GET", s.keys.schema())
		b.add("GET", s.keys.installation())
		b.add("EXISTS", s.keys.migrating())
	})
	s.metrics.setUp(err == nil)
	if err != nil {
		return err
	}
	if replies[3] != int64(0) {
		return fmt.Errorf("the data in Redis is a copy that is not complete: run feedwire migrate once more, or empty it")
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
	replies, err := s.pipeline(ctx, "check", func(b *batch) { b.add("GET", s.keys.restoring()) })
	switch {
	case err != nil:
		return nil, err
	case replies[0] != nil:
		return nil, &Error{Op: "check", Class: ClassEmptied, Err: errRestoring}
	}
	replies, err = s.pipeline(ctx, "check", func(b *batch) {
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
	return s.noticeEmptied(known, found)
}

// noticeEmptied compares the installation that was found with the one that is known, and shuts or opens the store.
func (s *Store) noticeEmptied(known, found string) error {
	emptied := known != "" && found != known
	if was := s.emptied.Swap(emptied); was != emptied {
		s.metrics.setEmptied(emptied)
		if emptied {
			s.opts.Logger.Error("the data in Redis is gone or another one: all work waits", "err", errEmptied)
		} else {
			s.opts.Logger.Info("the data in Redis is back")
		}
	}
	if emptied {
		return &Error{Op: "check", Class: ClassEmptied, Err: errEmptied}
	}
	return nil
}
