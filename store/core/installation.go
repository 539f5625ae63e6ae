package core

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/gomodule/redigo/redis"
)

// An installation has an id, made at its first start. A daemon remembers the id that it found first, so that it notices if the
// data is lost (FLUSHALL, a Redis that does not persist and was restarted) or replaced by that of another installation. From
// then on every call but Check fails as if Redis were down: the last good copy is served, nothing is polled or written, and no
// index is built from half of the data.

// SchemaVersion is the version of the key layout that this program writes.
const SchemaVersion = 5

// Marks begin the value of ClosedKey. A store is closed while part of its data is missing, or while it is copied. A daemon that
// starts then refuses; one that runs waits.
const (
	MarkRestore = "restore" // a backup is being written here
	MarkCopy    = "copy"    // another store is being copied to here
	MarkMigrate = "migrate" // this store is being copied
)

// Reasons why calls fail.
var (
	ErrEmptied   = errors.New("the data of this installation is gone from Redis: restore a backup, or restart the daemon to begin with an empty store")
	errRestoring = errors.New("a backup is being restored, or its restore was interrupted: wait until it ends, or run feedwire restore again")
	errCopy      = errors.New("the data in Redis is an incomplete copy: run feedwire migrate again, or empty it")
	errMigrating = errors.New("the data in Redis is being copied by feedwire migrate, or was until a moment ago: " +
		"set store.redis and store.prefix to the new place; to continue here, wait until it ends, or 15 s if it was killed")
)

// InstallationKey holds the id of the installation.
func (l *Layout) InstallationKey() string { return l.desk.Key("installation") }

// SchemaKey holds the version of the layout.
func (l *Layout) SchemaKey() string { return l.desk.Key("schema") }

// ClosedKey holds why the store is closed.
func (l *Layout) ClosedKey() string { return l.desk.Key("closed") }

// ReadyKey takes the test write of Check.
func (l *Layout) ReadyKey() string { return l.desk.Key("ready") }

// WhyClosed reads the value of ClosedKey.
func WhyClosed(mark any) error {
	text, _ := redis.String(mark, nil)
	switch kind, _, _ := strings.Cut(text, " "); kind {
	case MarkRestore:
		return errRestoring
	case MarkMigrate:
		return errMigrating
	}
	return errCopy
}

// Check tests readiness: the server replies, accepts a write, and holds a layout that this program knows, of the installation
// that it held before. While the store is closed, a daemon that starts on a copy, or on what is being copied, gets an error
// that does not pass; all others wait.
func (db *DB) Check(ctx context.Context) error {
	known := db.Installation()
	replies, err := db.Pipeline(ctx, "check", func(b *Batch) {
		b.Add("SET", db.ReadyKey(), db.Stamp(), "EX", 60)
		b.Add("GET", db.SchemaKey())
		b.Add("GET", db.InstallationKey())
		b.Add("GET", db.ClosedKey())
	})
	db.metrics.setUp(err == nil)
	if err != nil {
		return err
	}
	if replies[3] != nil {
		why := WhyClosed(replies[3])
		if known == "" && !errors.Is(why, errRestoring) {
			return why
		}
		db.suspend(why)
		return &Error{Op: "check", Class: ClassEmptied, Err: why}
	}
	if known == "" && (replies[1] == nil || replies[2] == nil) {
		if replies, err = db.begin(ctx); err != nil {
			return err
		}
	}
	found, err := db.checkNodes(ctx, known, replies[2])
	if err == nil {
		err = db.CheckInstallation(known, found)
	}
	if err != nil {
		return err
	}
	db.suspend(nil)
	schema, err := redis.Int(replies[1], nil)
	switch {
	case err != nil:
		return fmt.Errorf("schema key %s does not hold a number: another program uses this Redis; set store.prefix", db.SchemaKey())
	case schema > SchemaVersion:
		return fmt.Errorf("the data in Redis has layout %d, this program knows %d: start a newer feedwire", schema, SchemaVersion)
	case schema < SchemaVersion && db.Options().Upgrade != nil:
		if err := db.Options().Upgrade(ctx, db, schema); err != nil {
			return fmt.Errorf("upgrade the data from layout %d to %d: %w", schema, SchemaVersion, err)
		}
		if _, err := db.Do(ctx, "upgrade", "SET", db.SchemaKey(), SchemaVersion); err != nil {
			return err
		}
		db.Options().Logger.Info("data upgraded", "from", schema, "to", SchemaVersion)
	}
	if id, _ := redis.String(replies[2], nil); known == "" {
		db.installation.CompareAndSwap(nil, id)
	}
	return nil
}

// begin makes an installation if there is none. If several daemons start at once, one of them does.
func (db *DB) begin(ctx context.Context) ([]any, error) {
	replies, err := db.Pipeline(ctx, "check", func(b *Batch) {
		b.Add("SETNX", db.SchemaKey(), SchemaVersion)
		b.Add("SETNX", db.InstallationKey(), rand.Text())
		b.Add("GET", db.SchemaKey())
		b.Add("GET", db.InstallationKey())
	})
	if err != nil {
		return nil, err
	}
	return replies[1:], nil
}

// Installation returns the id that Check found first, or an empty string before that.
func (db *DB) Installation() string {
	id, _ := db.installation.Load().(string)
	return id
}

// CheckInstallation compares a reply for InstallationKey with the id that was known before the question. Ask for the key after
// something else whose absence means something: an empty Redis must not be taken for an installation without articles.
func (db *DB) CheckInstallation(known string, installation any) error {
	found, _ := redis.String(installation, nil)
	if known == "" || found == known {
		return nil
	}
	db.suspend(ErrEmptied)
	return &Error{Op: "check", Class: ClassEmptied, Err: ErrEmptied}
}

// Confirm notices at once that the data is lost or replaced, which Check does some seconds later. Ask before a change that needs nothing of the
// data: it would begin an unknown installation.
func (db *DB) Confirm(ctx context.Context) error {
	known := db.Installation()
	if known == "" {
		return nil
	}
	found, err := db.Do(ctx, "confirm", "GET", db.InstallationKey())
	if err != nil {
		return err
	}
	return db.CheckInstallation(known, found)
}

// suspend makes all calls but Check fail for a reason; nil resumes them.
func (db *DB) suspend(why error) {
	var now *error
	if why != nil {
		now = &why
	}
	was := db.suspended.Swap(now)
	if (was == nil) == (why == nil) && (was == nil || errors.Is(*was, why)) {
		return
	}
	db.metrics.setEmptied(errors.Is(why, ErrEmptied) || errors.Is(why, errRestoring))
	if why != nil {
		db.Options().Logger.Error("the store is suspended", "err", why)
	} else {
		db.Options().Logger.Info("the store is in use again")
	}
}

// Proof returns a digest of a question and the id of the installation, which only this installation can give. It is empty while no
// installation is known.
func (db *DB) Proof(question string) string {
	id := db.Installation()
	if id == "" {
		return ""
	}
	mac := hmac.New(sha256.New, []byte(id))
	mac.Write([]byte(question))
	return hex.EncodeToString(mac.Sum(nil))
}
