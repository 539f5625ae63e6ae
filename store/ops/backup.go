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

// All writes are paused during a backup. The pause is renewed long before it ends; if this daemon is killed, it ends by itself.
const (
	pauseTime  = 10 * time.Second
	renewAfter = 2 * time.Second
)

// Backup writes a consistent copy of this installation. Meanwhile the server delays the writes of all clients (CLIENT PAUSE WRITE,
// Redis 6.2), so w should be a file and not a slow network connection. It needs memory for the largest key.
func (s *Store) Backup(ctx context.Context, w io.Writer) (about Backup, err error) {
	db, err := s.db.Dedicated(pauseTime)
	if err != nil {
		return about, err
	}
	defer db.Close() //nolint:errcheck // it is not used again
	if about, err = describe(ctx, db); err != nil {
		return about, err
	}
	p := &writePause{db: db}
	if err := p.renew(ctx); err != nil {
		return about, fmt.Errorf("back up: the server refuses to pause writes: %w; "+
			"allow its user CLIENT PAUSE and CLIENT UNPAUSE, DUMP and SCAN", err)
	}
	defer func() {
		if _, end := db.Do(context.WithoutCancel(ctx), group, "CLIENT", "UNPAUSE"); err == nil && end != nil {
			err = fmt.Errorf("resume writes: %w; they resume by themselves within %v", end, pauseTime)
		}
	}()
	about.Created = db.Now().UTC()
	archive, err := newArchiveWriter(w, about)
	if err != nil {
		return about, err
	}
	if err := db.Walk(ctx, func(keys []string) error {
		if err := dump(ctx, db, keys, func(_ int, d dumped) error { return archive.addKey(db, d) }); err != nil {
			return err
		}
		return p.renew(ctx)
	}); err != nil {
		return about, err
	}
	about.Keys = archive.keys
	return about, archive.end()
}

// addKey adds a key by its name without the prefix, unless it is temporary.
func (a *archiveWriter) addKey(db *core.DB, d dumped) error {
	name := strings.TrimPrefix(d.key, db.Prefix())
	if d.key == db.ReadyKey() {
		return nil
	}
	if len(name) > maxKeyName {
		return fmt.Errorf("%w key: its name has %d bytes, a backup allows %d", feed.ErrInvalid, len(name), maxKeyName)
	}
	until := int64(0)
	if d.left > 0 {
		until = db.Now().UnixMilli() + d.left
	}
	return core.Wrap(a.add(name, d.value, until), "write the backup")
}

// describe reads the description of a backup from the server.
func describe(ctx context.Context, db *core.DB) (about Backup, err error) {
	if about.Server, err = serverVersion(ctx, db); err != nil {
		return about, err
	}
	if about.Server == "" {
		return about, errors.New("back up: the store is in memory only; install redis-server, or set store.redis")
	}
	about.Installation, err = redis.String(db.Do(ctx, group, "GET", db.InstallationKey()))
	if err == nil {
		about.Schema, err = redis.Int(db.Do(ctx, group, "GET", db.SchemaKey()))
	}
	if errors.Is(err, redis.ErrNil) {
		return about, core.ErrEmptied
	}
	return about, err
}

// serverVersion returns the version of Redis, or "" if the store is in memory.
func serverVersion(ctx context.Context, db *core.DB) (string, error) {
	info, err := redis.String(db.Do(ctx, group, "INFO", "server"))
	return serverInfo(info).field("redis_version"), core.Wrap(err, "read the version of the server")
}

// serverInfo is the reply of INFO.
type serverInfo string

// field returns the value of a field; "" if there is none.
func (i serverInfo) field(name string) string {
	for line := range strings.Lines(string(i)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// number returns the value of a field; 0 if there is none.
func (i serverInfo) number(name string) int64 {
	n, _ := strconv.ParseInt(i.field(name), 10, 64)
	return n
}

// writePause delays the writes of all clients.
type writePause struct {
	db    *core.DB
	since time.Time // the last renewal; zero: none
}

// renew extends the pause, unless it was renewed recently. It fails if the pause may have ended: the backup is then inconsistent.
func (p *writePause) renew(ctx context.Context) error {
	age := time.Since(p.since)
	if !p.since.IsZero() && age > pauseTime {
		return fmt.Errorf("back up: the server took %v to read a few keys, so other clients may have written meanwhile; try again", age.Round(time.Second))
	}
	if !p.since.IsZero() && age < renewAfter {
		return nil
	}
	begun := time.Now()
	if _, err := p.db.Do(ctx, group, "CLIENT", "PAUSE", pauseTime.Milliseconds(), "WRITE"); err != nil {
		return err
	}
	p.since = begun
	return nil
}
