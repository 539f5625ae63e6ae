package storetest

import (
	"context"
	"net"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"github.com/feedwire/feedwire/store"
)

// Engines runs a test on each server a store may stand on: a real Redis and the one in memory.
func Engines(t *testing.T, test func(t *testing.T, dial store.DialFunc)) {
	t.Helper()
	t.Run("redis", func(t *testing.T) { test(t, Redis(t)) })
	t.Run("memory", func(t *testing.T) { test(t, Memory(t)) })
}

// Memory starts a miniredis for a test.
func Memory(tb testing.TB) store.DialFunc {
	tb.Helper()
	m := miniredis.RunT(tb)
	return func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", m.Addr())
	}
}

// New makes a store on a server and closes it when the test ends.
func New(tb testing.TB, opts store.Options) *store.Store {
	tb.Helper()
	s, err := store.New(opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}
