package ops

import (
	"context"
	"errors"
	"fmt"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
)

// dumped is the content of a key.
type dumped struct {
	key   string
	value []byte // in the format of DUMP
	left  int64  // TTL in milliseconds; 0: none
}

// dump calls use with the index and content of each of the keys that exists. One value at a time is in memory.
func dump(ctx context.Context, db *core.DB, keys []string, use func(i int, d dumped) error) error {
	var b core.Batch
	for _, key := range keys {
		b.Add("PTTL", key)
		b.Add("DUMP", key)
	}
	d := dumped{}
	return db.Stream(ctx, group, &b, func(i int, reply any) (err error) {
		if i%2 == 0 {
			d = dumped{key: keys[i/2]}
			if d.left, err = redis.Int64(reply, nil); err != nil {
				return fmt.Errorf("read the TTL of key %.200q: %w", d.key, err)
			}
			return nil
		}
		d.value, err = redis.Bytes(reply, nil)
		switch {
		case errors.Is(err, redis.ErrNil), d.left == -2: // expired
			return nil
		case err != nil:
			return fmt.Errorf("read key %.200q: %w", d.key, err)
		case d.left == -1:
			d.left = 0
		default:
			d.left = max(1, d.left)
		}
		return use(i/2, d)
	})
}

// Bounds of the commands that a loader sends before it reads their replies, in keys and in bytes.
const (
	loadKeys  = 500
	loadBytes = 4 << 20
)

// loader writes keys in batches. It replaces a key completely or not at all.
type loader struct {
	db    *core.DB
	batch core.Batch
	keys  []string // in the batch
	bytes int
}

// add writes a key, at the latest with flush. The options are those of RESTORE.
func (l *loader) add(ctx context.Context, d dumped, options ...any) error {
	l.batch.Add("RESTORE", append([]any{d.key, d.left, d.value, "REPLACE"}, options...)...)
	l.keys, l.bytes = append(l.keys, d.key), l.bytes+len(d.value)
	if len(l.keys) < loadKeys && l.bytes < loadBytes {
		return nil
	}
	return l.flush(ctx)
}

func (l *loader) flush(ctx context.Context) error {
	l.batch.ReturnErrors()
	replies, err := l.db.Exchange(ctx, group, &l.batch)
	if err != nil {
		return err
	}
	for i, reply := range replies {
		if refused, ok := reply.(redis.Error); ok {
			return &core.Error{Op: fmt.Sprintf("restore key %.200q", l.keys[i]), Class: core.ClassOf(refused), Err: refused}
		}
	}
	*l = loader{db: l.db}
	return nil
}
