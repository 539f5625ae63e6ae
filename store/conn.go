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

// connect makes the pool, which does not connect yet, and finds out whether it is one to a cluster, and with it the layout.
func (s *Store) connect() (err error) {
	s.pool, s.clustered, err = newPool(s.opts)
	s.keys = newKeys(s.opts.Prefix, s.opts.Partitioned || s.clustered && !strings.HasPrefix(s.opts.Prefix, "{"))
	return err
}

// newPool is a pool to what the options name. A server is named by a URL, or dialled by a function where it is embedded.
func newPool(o Options) (pool route.Pool, clustered bool, err error) {
	options := route.Options{Size: o.Pool, Timeout: o.Timeout}
	if o.Dial != nil {
		options.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) { return o.Dial(ctx) }
		return route.New(address.Address{Kind: address.One, Socket: "embedded"}, options), false, nil
	}
	at, err := address.Parse(o.URL)
	if err != nil {
		return nil, false, fmt.Errorf("store URL: %w", err)
	}
	clustered = at.Kind == address.Cluster
	if clustered {
		if err := checkTag(o.Prefix); err != nil {
			return nil, false, err
		}
	}
	return route.New(at, options), clustered, nil
}
