package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// restoreBatch bounds what is on its way to the server at once, in keys and in bytes.
const (
	restoreBatch = 500
	restoreBytes = 4 << 20
)

// RestoreBackup checks a backup from its beginning to its end, and then writes it to the server, under the prefix of this
// store. A server that holds anything under that prefix is left as it is (feed.ErrConflict) unless force says that it is to go. One
// that a restore of the same backup was cut off on is taken up again. No daemon begins its work before all of it is there.
func (s *Store) RestoreBackup(ctx context.Context, file io.ReadSeeker, force bool) (about Backup, err error) {
	if about, err = readArchive(file, func([]byte, []byte, time.Time) error { return ctx.Err() }); err != nil {
		return about, err
	}
	if about.Schema > schemaVersion {
		return about, fmt.Errorf("the backup has layout %d, this program knows %d: take a newer feedwire", about.Schema, schemaVersion)
	}
	c, err := s.longConn(ctx)
	if err != nil {
		return about, err
	}
	defer c.Close() //nolint:errcheck // what it was to do is done, or failed
	if err := s.prepare(ctx, c, &about, force); err != nil {
		return about, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return about, err
	}
	b := &restoring{conn: c, prefix: s.keys.prefix, last: map[string]bool{"schema": true, "installation": true}}
	if _, err := readArchive(file, func(name, value []byte, expires time.Time) error {
		return errors.Join(ctx.Err(), b.add(name, value, expires))
	}); err != nil {
		return about, err
	}
	if err := b.flush(); err != nil {
		return about, err
	}
	// By these two daemons know that all is there.
	_, err = c.Do("MSET", s.keys.schema(), about.Schema, s.keys.installation(), about.Installation)
	if err == nil {
		_, err = c.Do("DEL", s.keys.closed())
	}
	if err != nil {
		return about, fmt.Errorf("end the restore: %w; run it again", err)
	}
	return about, nil
}

// prepare sees to it that the server can take a backup and holds nothing else.
func (s *Store) prepare(ctx context.Context, c redis.Conn, about *Backup, force bool) error {
	info, err := redis.String(c.Do("INFO", "server"))
	if err != nil {
		return fmt.Errorf("read the version of the server: %w", err)
	}
	server := infoField(info, "redis_version")
	if server == "" || OlderThan(server, about.Server) {
		return fmt.Errorf("the backup is from Redis %s, and this is %q: an older server does not read it; take one that is as new", about.Server, server)
	}
	mark := markRestore + " " + about.Installation + " " + about.Created.Format(time.RFC3339Nano)
	under, err := redis.String(c.Do("GET", s.keys.closed()))
	if err != nil && !errors.Is(err, redis.ErrNil) {
		return err
	}
	if under != mark {
		if err := s.empty(ctx, c, force); err != nil {
			return err
		}
	}
	if _, err := c.Do("SET", s.keys.closed(), mark); err != nil {
		return fmt.Errorf("begin the restore: %w", err)
	}
	return nil
}

// empty deletes what the store holds, or says that it may not.
func (s *Store) empty(ctx context.Context, c redis.Conn, force bool) error {
	if force { // daemons that run notice it at once, and wait
		if _, err := c.Do("DEL", s.keys.installation()); err != nil {
			return err
		}
	}
	for cursor := "0"; ; {
		next, names, err := scan(c, cursor, s.keys.prefix)
		if err != nil {
			return errors.Join(ctx.Err(), err)
		}
		for _, name := range names {
			switch {
			case string(name) == s.keys.ready():
			case !force:
				return fmt.Errorf("the store holds data already, such as %.100q: %w; "+
					"with --force all of it is deleted first; or choose another store.prefix or database", name, feed.ErrConflict)
			default:
				if err := c.Send("UNLINK", name); err != nil {
					return err
				}
			}
		}
		if _, err := c.Do(""); err != nil { // reads all replies
			return fmt.Errorf("delete what is there: %w", err)
		}
		if cursor = next; cursor == "0" {
			return ctx.Err()
		}
	}
}

// OlderThan compares versions such as 7.0.15 by their first two numbers, which decide about the format of values.
func OlderThan(a, b string) bool {
	numbers := func(version string) (all [2]int) {
		for i, part := range strings.SplitN(version, ".", 3) {
			if i < 2 {
				all[i], _ = strconv.Atoi(part)
			}
		}
		return all
	}
	x, y := numbers(a), numbers(b)
	return x[0] < y[0] || x[0] == y[0] && x[1] < y[1]
}

// restoring writes keys, several at a time.
type restoring struct {
	conn   redis.Conn
	prefix string
	last   map[string]bool // names that are left for the end
	names  []string        // on their way
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
