package core

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/address"
	"github.com/feedwire/feedwire/store/route"
)

// connect makes the pool, which does not connect yet, and the layout that follows from its kind and the prefix.
func (db *DB) connect() (err error) {
	db.pool, db.clustered, err = newPool(db.opts)
	db.Layout = layoutOf(&db.opts, db.clustered)
	return err
}

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

// Dedicated returns a connection of its own whose commands may take up to timeout, if that is more than Options.Timeout.
// A Redis Cluster has none, because its keys are on several servers.
func (db *DB) Dedicated(ctx context.Context, timeout time.Duration) (redis.Conn, error) {
	if db.clustered {
		return nil, errors.New("a Redis Cluster has no single moment to back up or restore; " +
			"stop the daemons, and copy it to a single Redis with feedwire migrate")
	}
	opts := db.opts
	opts.Pool, opts.Timeout = 1, max(opts.Timeout, timeout)
	pool, _, err := newPool(opts)
	if err != nil {
		return nil, err
	}
	c, err := pool.GetContext(ctx)
	if err != nil {
		_ = pool.Close() // it holds no connection
		return nil, &Error{Op: "connect", Class: ClassOf(err), Err: err}
	}
	return dedicatedConn{c, pool}, nil
}

// dedicatedConn is the only connection of its pool.
type dedicatedConn struct {
	redis.Conn
	pool route.Pool
}

func (c dedicatedConn) Close() error { return errors.Join(c.Conn.Close(), c.pool.Close()) }
