// Package storetest gives tests a store: a real Redis that they may stop and kill, one in memory, a check of what must hold in
// either, and one with the data of a small daemon's day.
package storetest

import (
	"cmp"
	"context"
	"net"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/embedded"
)

// Engines runs a test on each server a store may stand on: a real Redis and the one in memory.
func Engines(t *testing.T, test func(t *testing.T, dial core.DialFunc)) {
	t.Helper()
	t.Run("redis", func(t *testing.T) { test(t, Redis(t)) })
	t.Run("memory", func(t *testing.T) { test(t, Memory(t)) })
}

// Memory starts a miniredis for a test.
func Memory(tb testing.TB) core.DialFunc {
	tb.Helper()
	m := miniredis.RunT(tb)
	return func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", m.Addr())
	}
}

// timeout is that of commands unless a test sets another one. On a busy machine a command that usually takes a millisecond can take
// seconds.
const timeout = 20 * time.Second

// New makes a store on a server and closes it when the test ends.
func New(tb TB, opts store.Options) *store.Store {
	tb.Helper()
	opts.Timeout = cmp.Or(opts.Timeout, timeout)
	s, err := store.New(opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return s
}

// DB opens a core.DB and closes it when the test ends.
func DB(tb TB, opts core.Options) *core.DB {
	tb.Helper()
	opts.Timeout = cmp.Or(opts.Timeout, timeout)
	db, err := core.New(opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return db
}

// Open runs a server over the data in a directory, as the daemon keeps it there, until the test ends.
func Open(tb testing.TB, dir string) core.DialFunc {
	tb.Helper()
	server := embedded.New(dir, embedded.Options{Mode: embedded.ModeChild})
	if err := server.Start(context.Background()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := server.Close(); err != nil {
			tb.Error(err)
		}
	})
	return server.Dial
}
