package ops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of the commands that are sent before their replies are read, in keys and in bytes.
const (
	restoreBatch = 500
	restoreBytes = 4 << 20
)

// RestoreBackup checks a whole backup and then writes it to the server, under the prefix of this store. It continues an interrupted
// restore of the same backup. The store stays closed to daemons until all keys are written. feed.ErrConflict: the store is not
// empty; with force its keys are deleted first. feed.ErrInvalid: the backup is damaged.
func (s *Store) RestoreBackup(ctx context.Context, file io.ReadSeeker, force bool) (about Backup, err error) {
	if about, err = readArchive(file, func([]byte, []byte, time.Time) error { return ctx.Err() }); err != nil {
		return about, err
	}
	if about.Schema > core.SchemaVersion {
		return about, fmt.Errorf("the backup has layout %d, this program knows %d: use a newer feedwire", about.Schema, core.SchemaVersion)
	}
	c, err := s.db.Dedicated(ctx, pauseTime)
	if err != nil {
		return about, err
	}
	defer c.Close() //nolint:errcheck // all replies were read, or the restore failed
	if err := s.prepare(ctx, c, &about, force); err != nil {
		return about, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return about, err
	}
	b := &restoring{conn: c, prefix: s.db.Prefix(), last: map[string]bool{"schema": true, "installation": true}}
	if _, err := readArchive(file, func(name, value []byte, expires time.Time) error {
		return errors.Join(ctx.Err(), b.add(name, value, expires))
	}); err != nil {
		return about, err
	}
	if err := b.flush(); err != nil {
		return about, err
	}
	// These two keys are last: daemons wait for them.
	_, err = c.Do("MSET", s.db.SchemaKey(), about.Schema, s.db.InstallationKey(), about.Installation)
	if err == nil {
		_, err = c.Do("DEL", s.db.ClosedKey())
	}
	if err != nil {
		return about, fmt.Errorf("finish the restore: %w; run it again", err)
	}
	return about, nil
}

// prepare checks that the server can read the backup and that the store is empty, and marks the store as being restored.
func (s *Store) prepare(ctx context.Context, c redis.Conn, about *Backup, force bool) error {
	info, err := redis.String(c.Do("INFO", "server"))
	if err != nil {
		return fmt.Errorf("read the version of the server: %w", err)
	}
	server := infoField(info, "redis_version")
	if server == "" || OlderThan(server, about.Server) {
		return fmt.Errorf("the backup is from Redis %s, and this is %q: an older server cannot read it; use Redis %[1]s or newer", about.Server, server)
	}
	mark := core.MarkRestore + " " + about.Installation + " " + about.Created.Format(time.RFC3339Nano)
	found, err := redis.String(c.Do("GET", s.db.ClosedKey()))
	if err != nil && !errors.Is(err, redis.ErrNil) {
		return err
	}
	if found != mark {
		if err := s.empty(ctx, c, force); err != nil {
			return err
		}
	}
	if _, err := c.Do("SET", s.db.ClosedKey(), mark); err != nil {
		return fmt.Errorf("begin the restore: %w", err)
	}
	return nil
}

// empty deletes all keys of the store. feed.ErrConflict: there are keys, and force is not set.
func (s *Store) empty(ctx context.Context, c redis.Conn, force bool) error {
	if force { // running daemons notice it at once, and wait
		if _, err := c.Do("DEL", s.db.InstallationKey()); err != nil {
			return err
		}
	}
	for cursor := "0"; ; {
		next, names, err := core.Scan(c, cursor, s.db.Prefix())
		if err != nil {
			return errors.Join(ctx.Err(), err)
		}
		for _, name := range names {
			switch {
			case string(name) == s.db.ReadyKey():
			case !force:
				return fmt.Errorf("the store is not empty, it has the key %.100q: %w; "+
					"use --force to delete all its keys first, or set another store.prefix or database", name, feed.ErrConflict)
			default:
				if err := c.Send("UNLINK", name); err != nil {
					return err
				}
			}
		}
		if _, err := c.Do(""); err != nil { // reads all replies
			return fmt.Errorf("empty the store: %w", err)
		}
		if cursor = next; cursor == "0" {
			return ctx.Err()
		}
	}
}

// OlderThan compares versions such as 7.0.15 by their first two numbers, which determine the format of values.
func OlderThan(a, b string) bool {
	numbers := func(version string) (all [2]int) {
		for i, number := range strings.SplitN(version, ".", 3) {
			if i < 2 {
				all[i], _ = strconv.Atoi(number)
			}
		}
		return all
	}
	x, y := numbers(a), numbers(b)
	return x[0] < y[0] || x[0] == y[0] && x[1] < y[1]
}

// restoring writes keys in batches.
type restoring struct {
	conn   redis.Conn
	prefix string
	last   map[string]bool // names that are written at the end
	names  []string        // sent, without a reply so far
	bytes  int
}

func (r *restoring) add(name, value []byte, expires time.Time) error {
	if r.last[string(name)] {
		return nil
	}
	until := int64(0)
	if !expires.IsZero() {
		until = expires.UnixMilli()
	}
	key := r.prefix + string(name)
	if err := r.conn.Send("RESTORE", key, until, value, "REPLACE", "ABSTTL"); err != nil {
		return fmt.Errorf("restore key %.200q: %w", key, err)
	}
	r.names, r.bytes = append(r.names, key), r.bytes+len(value)
	if len(r.names) < restoreBatch && r.bytes < restoreBytes {
		return nil
	}
	return r.flush()
}

func (r *restoring) flush() error {
	if err := r.conn.Flush(); err != nil {
		return fmt.Errorf("restore: %w; run it again", err)
	}
	for _, name := range r.names {
		if _, err := r.conn.Receive(); err != nil {
			return fmt.Errorf("restore key %.200q: %w; run it again", name, err)
		}
	}
	r.names, r.bytes = r.names[:0], 0
	return nil
}
