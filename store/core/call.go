package core

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/route"
)

// Do sends one command. Like all calls it is retried once if the connection was closed; op names it in metrics and errors.
func (db *DB) Do(ctx context.Context, op, command string, args ...any) (any, error) {
	return db.Call(ctx, op, func(c redis.Conn) (any, error) { return c.Do(command, args...) })
}

// DoBlocking sends one command that may block on the server for up to wait. It ends with its context: then the connection is
// closed, and the error is that of the context. The command may have been executed.
func (db *DB) DoBlocking(ctx context.Context, op string, wait time.Duration, command string, args ...any) (any, error) {
	return db.Call(ctx, op, func(c redis.Conn) (any, error) {
		limited, cancel := context.WithTimeout(ctx, wait+db.Options().Timeout)
		defer cancel()
		return redis.DoContext(c, limited, command, args...)
	})
}

// Call lends a connection to f. It is retried once if the connection was closed.
func (db *DB) Call(ctx context.Context, op string, f func(redis.Conn) (any, error)) (any, error) {
	return db.withRetry(ctx, op, func() (any, error) { return db.lend(ctx, db.pool, f) })
}

// withRetry retries once if the connection was closed.
func (db *DB) withRetry(ctx context.Context, op string, do func() (any, error)) (any, error) {
	reply, err := db.try(ctx, op, do)
	if ClassOf(err) == ClassClosed && ctx.Err() == nil && !db.once {
		return db.try(ctx, op, do)
	}
	return reply, err
}

// try counts and times a call, and gives its error a class. A call that was cancelled is not counted.
func (db *DB) try(ctx context.Context, op string, do func() (any, error)) (any, error) {
	if why := db.suspended.Load(); why != nil && op != "check" {
		return nil, &Error{Op: strings.ReplaceAll(op, "_", " "), Class: ClassEmptied, Err: *why}
	}
	start := time.Now()
	reply, err := do()
	if err != nil && errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil, err
	}
	class := ClassOf(err)
	db.metrics.observe(op, class, time.Since(start))
	if err != nil {
		return nil, &Error{Op: strings.ReplaceAll(op, "_", " "), Class: class, Err: err}
	}
	return reply, nil
}

// lend lends a connection of a pool to f.
func (db *DB) lend(ctx context.Context, pool route.Pool, f func(redis.Conn) (any, error)) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, db.Options().Timeout)
	defer cancel()
	c, err := pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close() //nolint:errcheck // it returns to the pool, which drops it after an error
	return f(c)
}
