package store

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/feedwire/feedwire/store/address"
	"github.com/feedwire/feedwire/store/route"
)

// DialFunc opens a connection to the store's server.
type DialFunc func(ctx context.Context) (net.Conn, error)

// connect makes the pool, which does not connect yet, and finds out whether it is one to a cluster. A server is named by a
// URL, or dialled by a function where it is embedded.
func (s *Store) connect() error {
	options := route.Options{Size: s.opts.Pool, Timeout: s.opts.Timeout}
	if s.opts.Dial != nil {
		options.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) { return s.opts.Dial(ctx) }
		s.pool = route.New(address.Address{Kind: address.One, Socket: "embedded"}, options)
		return nil
	}
	at, err := address.Parse(s.opts.URL)
	if err != nil {
		return fmt.Errorf("store URL: %w", err)
	}
	if at.Kind == address.Cluster {
		if !strings.HasPrefix(s.opts.Prefix, "{") {
			return fmt.Errorf("a Redis Cluster has to be told which keys belong together: let the prefix begin with a tag, as {feedwire}: does")
		}
		s.clustered = true
	}
	s.pool = route.New(at, options)
	return nil
}
