package core

import (
	"context"
	"fmt"

	"github.com/feedwire/feedwire/store/feed"
)

// TypedKey is a key and the type that it has.
type TypedKey struct {
	Name string // the value of the label key of feedwire_damaged_keys_total, such as "meta"
	Key  string
	Type string // as the command TYPE names it
}

// DamageError is the error about a key that holds a value of another type. It is feed.ErrDamaged.
type DamageError struct {
	TypedKey

	Found string // the type of the value
}

func (d *DamageError) Error() string {
	return fmt.Sprintf("key %s holds a %s instead of a %s, which another program wrote: repair or delete the key", d.Key, d.Found, d.Type)
}

// DamagedKey returns the key.
func (d *DamageError) DamagedKey() string { return d.Key }

// Is reports feed.ErrDamaged.
func (d *DamageError) Is(target error) bool { return target == feed.ErrDamaged }

// Damage finds and counts keys that hold a value of another type.
type Damage struct{ db *DB }

// Damage returns what finds and counts damage, and makes the series of the named keys.
func (db *DB) Damage(names ...string) Damage {
	for _, name := range names {
		db.metrics.damaged.WithLabelValues(name)
	}
	return Damage{db}
}

// Find returns the first of some keys that holds a value of another type, or nil. A missing key is not damaged.
func (d Damage) Find(ctx context.Context, op string, keys []TypedKey) (*DamageError, error) {
	r, err := d.db.Pipeline(ctx, op, func(b *Batch) {
		for _, k := range keys {
			b.Add("TYPE", k.Key)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if found := r.Text(); found != k.Type && found != "none" {
			return &DamageError{k, found}, nil
		}
	}
	return nil, nil //nolint:nilnil // none is damaged
}

// Count counts a key that was found damaged.
func (d Damage) Count(found *DamageError) { d.db.metrics.damaged.WithLabelValues(found.Name).Inc() }
