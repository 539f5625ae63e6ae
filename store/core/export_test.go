package core

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// MutateMerge replaces a text, which occurs once, in the script that merges.
func (db *DB) MutateMerge(from, to string) error {
	text := db.merger.script.lua
	if n := strings.Count(text, from); n != 1 {
		return fmt.Errorf("the script holds %q %d times", from, n)
	}
	db.merger.script = db.newScript("merge", strings.Replace(text, from, to, 1))
	return nil
}

// AgeMerged makes what was merged look older.
func (db *DB) AgeMerged(d time.Duration) {
	for i := range db.merger.merged {
		db.merger.merged[i].seen = db.merger.merged[i].seen.Add(-d)
	}
}

// Taken is what a daemon has read of an outbox and not merged yet.
type Taken struct {
	from    string
	records []any
}

// Len is how many records were read.
func (t Taken) Len() int { return len(t.records) }

// TakeOutbox is the first half of merging.
func (db *DB) TakeOutbox(ctx context.Context, k Keyspace) (Taken, error) {
	taken := Taken{from: db.merger.cursor(k)}
	var err error
	taken.records, err = db.merger.outbox(ctx, k, taken.from)
	return taken, err
}

// MergeTaken is the second half.
func (db *DB) MergeTaken(ctx context.Context, k Keyspace, taken Taken) error {
	cursor, err := db.merger.move(ctx, k, taken.from, taken.records)
	if err == nil {
		db.merger.setCursor(k, cursor)
	}
	return err
}

// Classes are all classes.
func Classes() []Class { return classes() }

// Observe counts a call.
func (db *DB) Observe(op string, class Class) { db.metrics.observe(op, class, time.Millisecond) }

// NewScript is newScript.
func (db *DB) NewScript(name, text string) *Script { return db.newScript(name, text) }
