package ops

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// RestoreBackup checks a whole backup and then writes it to the server, under the prefix of this store. It continues an interrupted
// restore of the same backup. The store stays closed to daemons until all keys are written. feed.ErrConflict: the store is not
// empty; with force its keys are deleted first. feed.ErrInvalid: the backup is damaged.
func (s *Store) RestoreBackup(ctx context.Context, file io.ReadSeeker, force bool) (about Backup, err error) {
	if about, err = readArchive(file, func(string, []byte, int64) error { return ctx.Err() }); err != nil {
		return about, err
	}
	if about.Schema > core.SchemaVersion {
		return about, fmt.Errorf("the backup has layout %d, this program knows %d: use a newer feedwire", about.Schema, core.SchemaVersion)
	}
	db, err := s.db.Dedicated(pauseTime)
	if err != nil {
		return about, err
	}
	defer db.Close() //nolint:errcheck // all replies were read, or the restore failed
	if err := prepare(ctx, db, &about, force); err != nil {
		return about, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return about, err
	}
	l := &loader{db: db}
	_, err = readArchive(file, func(name string, value []byte, until int64) error {
		key := db.Prefix() + name
		if key == db.SchemaKey() || key == db.InstallationKey() {
			return nil
		}
		return l.add(ctx, dumped{key, bytes.Clone(value), until}, "ABSTTL")
	})
	if err == nil {
		err = l.flush(ctx)
	}
	if err == nil { // daemons wait for these two keys
		_, err = db.Do(ctx, group, "MSET", db.SchemaKey(), about.Schema, db.InstallationKey(), about.Installation)
	}
	if err == nil {
		_, err = db.Do(ctx, group, "DEL", db.ClosedKey())
	}
	if err != nil {
		return about, fmt.Errorf("restore: %w; run it again", err)
	}
	return about, nil
}

// prepare checks that the server can read the backup and that the store is empty, and marks the store as being restored.
func prepare(ctx context.Context, db *core.DB, about *Backup, force bool) error {
	server, err := serverVersion(ctx, db)
	if err != nil {
		return err
	}
	if server == "" || OlderThan(server, about.Server) {
		return fmt.Errorf("the backup is from Redis %s, and this is %q: an older server cannot read it; use Redis %[1]s or newer", about.Server, server)
	}
	mark := core.MarkRestore + " " + about.Installation + " " + about.Created.Format(time.RFC3339Nano)
	found, err := core.OptionalString(db.Do(ctx, group, "GET", db.ClosedKey()))
	if err != nil {
		return err
	}
	if found != "" && found != mark && !force {
		return notEmpty(db.ClosedKey())
	}
	if found != mark {
		if err := empty(ctx, db, force); err != nil {
			return err
		}
	}
	_, err = db.Do(ctx, group, "SET", db.ClosedKey(), mark)
	return core.Wrap(err, "begin the restore")
}

// empty deletes all keys of the store. feed.ErrConflict: there are keys, and force is not set.
func empty(ctx context.Context, db *core.DB, force bool) error {
	if force { // running daemons notice it at once, and wait
		if _, err := db.Do(ctx, group, "DEL", db.InstallationKey()); err != nil {
			return err
		}
	}
	return db.Walk(ctx, func(keys []string) error {
		keys = slices.DeleteFunc(keys, func(key string) bool { return key == db.ReadyKey() })
		if len(keys) > 0 && !force {
			return notEmpty(keys[0])
		}
		_, err := each(ctx, db, keys, "UNLINK")
		return core.Wrap(err, "empty the store")
	})
}

func notEmpty(key string) error {
	return fmt.Errorf("the store is not empty, it has the key %.100q: %w; "+
		"use --force to delete all its keys first, or set another store.prefix or database", key, feed.ErrConflict)
}

// OlderThan compares versions such as 7.0.15 by their first two numbers, which determine the format of values.
func OlderThan(a, b string) bool {
	var x, y [2]int
	_, _ = fmt.Sscanf(a, "%d.%d", &x[0], &x[1]) // missing numbers are 0
	_, _ = fmt.Sscanf(b, "%d.%d", &y[0], &y[1])
	return slices.Compare(x[:], y[:]) < 0
}
