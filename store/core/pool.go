package core

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/feedwire/feedwire/store/address"
	"github.com/feedwire/feedwire/store/route"
)

func newPool(o Options) (pool route.Pool, clustered bool, err error) {
	options := route.Options{Size: o.Pool, Timeout: o.Timeout}
	if o.Dial != nil {
		options.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) { return o.Dial(ctx) }
		pool, err = route.New(address.Address{Kind: address.One, Socket: "embedded"}, options)
		return pool, false, err
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
	if pool, err = route.New(at, options); err != nil {
		return nil, false, fmt.Errorf("store URL: %w", err)
	}
	return pool, clustered, nil
}

// Dedicated returns a DB with one connection, whose commands may take up to timeout, if that is more than Options.Timeout, and are
// not repeated: if the connection is closed, whatever was done on it has failed. The caller closes it. A Redis Cluster has no such
// connection, because its keys are on several servers.
func (db *DB) Dedicated(timeout time.Duration) (*DB, error) {
	if db.clustered {
		return nil, errors.New("a Redis Cluster has no single moment to back up or restore; " +
			"stop the daemons, and copy it to a single Redis with feedwire migrate")
	}
	opts := *db.Options()
	opts.Pool, opts.Timeout, opts.Registerer = 1, max(opts.Timeout, timeout), nil
	dedicated, err := New(opts)
	if err == nil {
		dedicated.once = true
	}
	return dedicated, err
}
