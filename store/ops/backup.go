package ops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// All writes are paused during a backup. The pause is renewed long before it ends; if this daemon is killed, it ends by itself.
const (
	pauseTime  = 10 * time.Second
	renewAfter = 2 * time.Second
)

// Backup writes a consistent copy of this installation. Meanwhile the server delays the writes of all clients (CLIENT PAUSE WRITE,
// Redis 6.2), so w should be a file and not a slow network connection. It needs memory for the largest key.
func (s *Store) Backup(ctx context.Context, w io.Writer) (about Backup, err error) {
	c, err := s.db.Dedicated(ctx, pauseTime)
	if err != nil {
		return about, err
	}
	defer c.Close() //nolint:errcheck // it is not used again
	if about, err = s.describe(c); err != nil {
		return about, err
	}
	p := &writePause{conn: c}
	if err := p.renew(); err != nil {
		return about, fmt.Errorf("back up: the server refuses to pause writes: %w; "+
			"allow its user CLIENT PAUSE and CLIENT UNPAUSE, DUMP and SCAN", err)
	}
	defer func() {
		if _, end := c.Do("CLIENT", "UNPAUSE"); err == nil && end != nil {
			err = fmt.Errorf("resume writes: %w; they resume by themselves within %v", end, pauseTime)
		}
	}()
	about.Created = s.db.Now().UTC()
	archive, err := newArchiveWriter(w, about)
	if err != nil {
		return about, err
	}
	for cursor := "0"; ; {
		if err := ctx.Err(); err != nil {
			return about, err
		}
		var names [][]byte
		if cursor, names, err = core.Scan(c, cursor, s.db.Prefix()); err != nil {
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

// describe reads the description of a backup from the server.
func (s *Store) describe(c redis.Conn) (about Backup, err error) {
	info, err := redis.String(c.Do("INFO", "server"))
	if err != nil {
		return about, fmt.Errorf("read the version of the server: %w", err)
	}
	about.Server = infoField(info, "redis_version")
	if about.Server == "" {
		return about, errors.New("back up: the store is in memory only; install redis-server, or set store.redis")
	}
	about.Installation, err = redis.String(c.Do("GET", s.db.InstallationKey()))
	if err == nil {
		about.Schema, err = redis.Int(c.Do("GET", s.db.SchemaKey()))
	}
	if errors.Is(err, redis.ErrNil) {
		return about, core.ErrEmptied
	}
	return about, err
}

// infoField returns the value of a field of INFO.
func infoField(info, name string) string {
	for line := range bytes.SplitSeq([]byte(info), []byte("\n")) {
		if value, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte(name+":")); ok {
			return string(value)
		}
	}
	return ""
}

// writePause delays the writes of all clients.
type writePause struct {
	conn  redis.Conn
	since time.Time // the last renewal; zero: none
}

// renew extends the pause, unless it was renewed recently. It fails if the pause may have ended: the backup is then inconsistent.
func (p *writePause) renew() error {
	age := time.Since(p.since)
	if !p.since.IsZero() && age > pauseTime {
		return fmt.Errorf("back up: the server took %v to read a few keys, so other clients may have written meanwhile; try again", age.Round(time.Second))
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

// dump adds keys to a backup, by their names without the prefix. One value at a time is in memory.
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
			return fmt.Errorf("read the TTL of key %.200q: %w", name, err)
		}
		own := bytes.TrimPrefix(name, []byte(s.db.Prefix()))
		if key := string(name); value == nil || key == s.db.ReadyKey() || key == s.db.ClosedKey() { // expired, or temporary
			continue
		}
		if len(own) > maxKeyName {
			return fmt.Errorf("%w key: its name has %d bytes, a backup allows %d", feed.ErrInvalid, len(own), maxKeyName)
		}
		var expires time.Time
		if left > 0 {
			expires = s.db.Now().Add(time.Duration(left) * time.Millisecond)
		}
		if err := archive.add(own, value, expires); err != nil {
			return fmt.Errorf("write the backup: %w", err)
		}
	}
	return nil
}
