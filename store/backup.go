package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/route"
)

// The pause of all writes while a backup is taken. It is renewed long before its end; should this daemon be killed, Redis goes on
// after the rest of it by itself.
const (
	pauseTime  = 10 * time.Second
	renewAfter = 2 * time.Second
	scanCount  = 200 // keys that are read at a time
)

// Backup writes all of this installation as it is at one moment. For that the server lets no client write meanwhile
// (CLIENT PAUSE WRITE, Redis 6.2), which daemons bear as a server that is slow; w should be a file, and no client at
// the end of a slow line. In memory is the largest key, and no more.
func (s *Store) Backup(ctx context.Context, w io.Writer) (about Backup, err error) {
	c, err := s.longConn(ctx)
	if err != nil {
		return about, err
	}
	defer c.Close() //nolint:errcheck // it is of no use any more
	if about, err = s.describe(c); err != nil {
		return about, err
	}
	p := &writePause{conn: c}
	if err := p.renew(); err != nil {
		return about, fmt.Errorf("no backup: the server does not let feedwire hold all writes for a moment: %w; "+
			"allow its user CLIENT PAUSE and CLIENT UNPAUSE, DUMP and SCAN", err)
	}
	defer func() {
		if _, end := c.Do("CLIENT", "UNPAUSE"); err == nil && end != nil {
			err = fmt.Errorf("end the pause of writes: %w; it ends by itself within %v", end, pauseTime)
		}
	}()
	about.Created = s.opts.Now().UTC()
	archive, err := newArchiveWriter(w, about)
	if err != nil {
		return about, err
	}
	for cursor := "0"; ; {
		if err := ctx.Err(); err != nil {
			return about, err
		}
		var names [][]byte
		if cursor, names, err = scan(c, cursor, s.keys.prefix); err != nil {
			return about, err
		}
		if err := s.dump(c, names, archive); err != nil {
			return about, err
		}
		if err := p.renew(); err != nil {
			return about, err
		}
		if cursor == "0" {
			break
		}
	}
	about.Keys = archive.keys
	return about, archive.end()
}

// longConn is a connection whose commands may take their time. A cluster has none: its keys are on several servers.
func (s *Store) longConn(ctx context.Context) (redis.Conn, error) {
	if s.clustered {
		return nil, errors.New("a Redis Cluster is not held still by one command: feedwire migrate copies it to a single Redis, daemons stopped")
	}
	opts := s.opts
	opts.Pool, opts.Timeout = 1, max(opts.Timeout, pauseTime)
	pool, _, err := newPool(opts)
	if err != nil {
		return nil, err
	}
	c, err := pool.GetContext(ctx)
	if err != nil {
		_ = pool.Close() // it holds nothing
		return nil, &Error{Op: "connect", Class: ClassOf(err), Err: err}
	}
	return lonelyConn{c, pool}, nil
}

// lonelyConn is the only connection of its pool.
type lonelyConn struct {
	redis.Conn
	pool route.Pool
}

func (c lonelyConn) Close() error { return errors.Join(c.Conn.Close(), c.pool.Close()) }

// describe reads what a backup says of itself.
func (s *Store) describe(c redis.Conn) (about Backup, err error) {
	info, err := redis.String(c.Do("INFO", "server"))
	if err != nil {
		return about, fmt.Errorf("read the version of the server: %w", err)
	}
	about.Server = infoField(info, "redis_version")
	if about.Server == "" {
		return about, errors.New("no backup: the store is in memory, which keeps nothing; install redis-server, or set store.redis")
	}
	about.Installation, err = redis.String(c.Do("GET", s.keys.installation()))
	if err == nil {
		about.Schema, err = redis.Int(c.Do("GET", s.keys.schema()))
	}
	if errors.Is(err, redis.ErrNil) {
		return about, errEmptied
	}
	return about, err
}

// infoField reads a line of INFO.
func infoField(info, name string) string {
	for line := range bytes.SplitSeq([]byte(info), []byte("\n")) {
		if value, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte(name+":")); ok {
			return string(value)
		}
	}
	return ""
}

// writePause keeps the writes of all clients waiting.
type writePause struct {
	conn  redis.Conn
	since time.Time // the last renewal; zero: there was none
}

// renew lengthens the pause, unless that was done a moment ago. Once it may have ended, what was read is not of one moment.
func (p *writePause) renew() error {
	age := time.Since(p.since)
	if !p.since.IsZero() && age > pauseTime {
		return fmt.Errorf("no backup: the server took %v for a few keys, so that others could write meanwhile; try again", age.Round(time.Second))
	}
	if !p.since.IsZero() && age < renewAfter {
		return nil
	}
	begun := time.Now()
	if _, err := p.conn.Do("CLIENT", "PAUSE", pauseTime.Milliseconds(), "WRITE"); err != nil {
		return err
	}
	p.since = begun
	return nil
}

// scan reads the next few names that begin with a prefix.
func scan(c redis.Conn, cursor, prefix string) (next string, names [][]byte, err error) {
	args := []any{cursor, "COUNT", scanCount}
	if prefix != "" {
		args = append(args, "MATCH", globEscape(prefix)+"*")
	}
	reply, err := redis.Values(c.Do("SCAN", args...))
	if err == nil {
		_, err = redis.Scan(reply, &next, &names)
	}
	if err != nil {
		return "", nil, fmt.Errorf("list keys: %w", err)
	}
	return next, names, nil
}

// globEscape is a text as a pattern that matches nothing else.
func globEscape(text string) string {
	var b bytes.Buffer
	for _, c := range []byte(text) {
		if bytes.IndexByte([]byte(`\*?[]^-`), c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// dump writes keys into a backup, under their names without the prefix. One key after the other is in memory.
func (s *Store) dump(c redis.Conn, names [][]byte, archive *archiveWriter) error {
	for _, name := range names {
		if err := errors.Join(c.Send("DUMP", name), c.Send("PTTL", name)); err != nil {
			return err
		}
	}
	if err := c.Flush(); err != nil {
		return err
	}
	for _, name := range names {
		value, err := redis.Bytes(c.Receive())
		if err != nil && !errors.Is(err, redis.ErrNil) {
			return fmt.Errorf("read key %.200q: %w", name, err)
		}
		left, err := redis.Int64(c.Receive())
		if err != nil {
			return fmt.Errorf("read the life of key %.200q: %w", name, err)
		}
		own := bytes.TrimPrefix(name, []byte(s.keys.prefix))
		if key := string(name); value == nil || key == s.keys.ready() || key == s.keys.closed() { // it has expired; or it is of this moment only
			continue
		}
		if len(own) > maxKeyName {
			return fmt.Errorf("%w key: its name has %d bytes, more than a backup takes", feed.ErrInvalid, len(own))
		}
		var expires time.Time
		if left > 0 {
			expires = s.opts.Now().Add(time.Duration(left) * time.Millisecond)
		}
		if err := archive.add(own, value, expires); err != nil {
			return fmt.Errorf("write the backup: %w", err)
		}
	}
	return nil
}
