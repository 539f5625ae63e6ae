package core

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	mergeBatch  = 200         // records that one script merges
	mergeEvery  = time.Second // how often a daemon reads all outboxes
	keepMerged  = time.Minute // how long a merged record stays in its outbox, because a failover may lose the other copy
	signalsName = "signals"
)

// merger merges the outboxes of the shards and of the desk into the stream at the hub: in the order of each outbox and every record once,
// however many daemons do it and whenever one is killed, because the cursor of a shard moves in the script that merges.
type merger struct {
	db     *DB
	script *Script

	reading sync.Mutex // of all outboxes; guards read and merged
	read    time.Time  // last time
	merged  []mark     // by number of the outbox: a cursor of some time ago

	mu      sync.Mutex
	cursors []string // by number of the outbox, as last seen; the stored one may have moved in either direction
}

// mark is a cursor and when it was seen.
type mark struct {
	cursor string
	seen   time.Time
}

func newMerger(db *DB) *merger {
	scripts := db.AddNoun("signals", files, Families{
		Outbox: {signalsName}, Cursors: {"signals:gathered"}, Summed: {"activity:<n>"}, AtDesk: {"schema", "installation", "closed", "ready"},
	})
	db.time = scripts["time"]
	outboxes := db.everywhere()
	m := &merger{db: db, script: scripts["merge"], merged: make([]mark, len(outboxes)), cursors: make([]string, len(outboxes))}
	for i := range m.cursors {
		m.cursors[i] = NoSignal
	}
	return m
}

func (m *merger) cursor(k Keyspace) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cursors[k.number]
}

func (m *merger) setCursor(k Keyspace, cursor string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cursors[k.number] = cursor
}

// Outbox returns the stream that a script appends signals to, with keys of the same Keyspace.
func (k Keyspace) Outbox() string { return k.prefix + signalsName }

// Signals returns the stream that all readers of signals follow. Call MergeOutboxes before reading it.
func (l *Layout) Signals() string { return l.hub.Outbox() }

// cursors returns the hash of the stored cursors.
func (l *Layout) cursors() string { return l.hub.Key("signals:gathered") }

func (k Keyspace) field() string { return strconv.Itoa(k.number) }

// Signalled makes the signals that a script has just appended to the outbox of k visible to readers. If it fails, or the
// daemon is killed first, MergeOutboxes does it later.
func (db *DB) Signalled(ctx context.Context, k Keyspace) {
	if !db.sharded() {
		return
	}
	if err := db.merger.mergeFrom(ctx, k); err != nil {
		db.Options().Logger.Debug("signals stay in their outbox for now", "outbox", k.Outbox(), "err", err)
	}
}

// MergeOutboxes makes all signals visible to readers, if that was not tried in the last second. An outbox that cannot be reached
// does not hold up the others.
func (db *DB) MergeOutboxes(ctx context.Context) {
	m := db.merger
	if !db.sharded() || !m.reading.TryLock() {
		return
	}
	defer m.reading.Unlock()
	if time.Since(m.read) < mergeEvery {
		return
	}
	if err := m.mergeAll(ctx); err != nil {
		db.Options().Logger.Debug("signals may stay in their outboxes for now", "err", err)
	}
	m.read = time.Now()
}

// MergeNow is MergeOutboxes without a limit of its rate.
func (db *DB) MergeNow(ctx context.Context) error {
	if !db.sharded() {
		return nil
	}
	db.merger.reading.Lock()
	defer db.merger.reading.Unlock()
	return db.merger.mergeAll(ctx)
}

// mergeAll merges every outbox, and trims what was merged long enough ago.
func (m *merger) mergeAll(ctx context.Context) error {
	cursors, replies, err := m.readOutboxes(ctx, func(k Keyspace) []any {
		return []any{"XRANGE", k.Outbox(), "(" + m.cursor(k), "+", "COUNT", 1}
	})
	if err != nil {
		return err
	}
	var trims Batch
	for i, k := range m.db.everywhere() {
		cursor, seen := cmp.Or(cursors[k.field()], NoSignal), m.cursor(k)
		m.setCursor(k, cursor)
		if left, _ := redis.Values(replies[i], nil); len(left) > 0 || feed.SignalLess(cursor, seen) {
			if err := m.mergeFrom(ctx, k); err != nil {
				return err
			}
		}
		if old := &m.merged[i]; old.cursor == "" || time.Since(old.seen) >= keepMerged {
			if old.cursor != "" && old.cursor != NoSignal && !feed.SignalLess(cursor, old.cursor) {
				trims.Add("XTRIM", k.Outbox(), "MINID", old.cursor)
			}
			*old = mark{cursor, time.Now()}
		}
	}
	_, err = m.db.Pipeline(ctx, "merge", func(b *Batch) { *b = trims })
	return err
}

// readOutboxes reads the stored cursors, and sends a command to each shard.
func (m *merger) readOutboxes(ctx context.Context, command func(Keyspace) []any) (cursors map[string]string, replies Replies, err error) {
	replies, err = m.db.Pipeline(ctx, "merge", func(b *Batch) {
		b.Add("HGETALL", m.db.cursors())
		for _, k := range m.db.everywhere() {
			b.commands = append(b.commands, command(k))
		}
	})
	if err == nil {
		cursors = replies.Map()
	}
	return cursors, replies, err
}

// mergeFrom merges all that an outbox holds.
func (m *merger) mergeFrom(ctx context.Context, k Keyspace) error {
	for from := m.cursor(k); ; {
		records, err := m.outbox(ctx, k, from)
		if err != nil || len(records) == 0 {
			return err
		}
		cursor, err := m.move(ctx, k, from, records)
		if err != nil {
			return err
		}
		m.setCursor(k, cursor)
		if len(records) < mergeBatch && !feed.SignalLess(cursor, from) {
			return nil
		}
		from = cursor
	}
}

// outbox reads the next records of an outbox after an id.
func (m *merger) outbox(ctx context.Context, k Keyspace, from string) ([]any, error) {
	return redis.Values(m.db.Do(ctx, "merge", "XRANGE", k.Outbox(), "("+from, "+", "COUNT", mergeBatch))
}

// move appends those of the records to the stream that are not there yet, and returns the new cursor of the shard.
func (m *merger) move(ctx context.Context, k Keyspace, from string, records []any) (string, error) {
	args := []any{k.number, from}
	for _, r := range records {
		record, err := redis.Values(r, nil)
		if err != nil {
			return "", err
		}
		fields, err := redis.Values(record[1], nil)
		if err != nil {
			return "", err
		}
		args = append(append(args, record[0], len(fields)), fields...)
	}
	return redis.String(m.db.Run(ctx, m.script, []any{m.db.Signals(), m.db.cursors()}, args))
}

// CheckMerged returns feed.ErrConflict if an outbox holds signals that are not merged.
func (db *DB) CheckMerged(ctx context.Context) error {
	if !db.sharded() {
		return nil
	}
	cursors, replies, err := db.merger.readOutboxes(ctx, func(k Keyspace) []any {
		return []any{"XREVRANGE", k.Outbox(), "+", "-", "COUNT", 1}
	})
	if err != nil {
		return err
	}
	for _, k := range db.everywhere() {
		if last := replies.Records(); len(last) > 0 && feed.SignalLess(cmp.Or(cursors[k.field()], NoSignal), last[0].ID) {
			return fmt.Errorf("%w: %s holds signals that are not merged; stop every daemon that uses this store", feed.ErrConflict, k.Outbox())
		}
	}
	return nil
}
