package entry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// draft is an entry ready to be written. It is made once for each save, because most of the time of a save goes into the digest.
type draft struct {
	id      string // empty: the entry with this guid, or a new one
	fields  map[string]string
	aliases []string
	flag    string // for save_entries.lua
}

// Flags of a draft.
const (
	flagUnsignalled = "unsignalled" // append no signal of its own
	flagRevived     = "revived"     // create it although an expired entry had its guid
	flagNew         = "new"         // flagRevived, unless an entry has the guid
	flagHeld        = "held"        // flagNew, hidden and without a signal until it is shown
	flagSeen        = "seen "       // followed by a digest: modify the entry only if it has this digest
	flagKnown       = "known"       // set names and fields of an entry with the same digest, silently
	flagMisread     = "misread"     // followed by a time: replace all fields of an entry that did not change after it, silently
)

func newDraft(e *feed.Entry) draft { return draft{id: e.ID, fields: e.Fields(), aliases: e.Aliases} }

// named returns the draft of a stored entry that has new names only.
func (d draft) named() draft {
	fields := map[string]string{"guid": d.fields["guid"], "digest": d.fields["digest"], "timestamp": d.fields["timestamp"]}
	return draft{fields: fields, aliases: d.aliases, flag: flagKnown}
}

// reread returns the draft without what a person reads: the rest may be new although the entry has not changed.
func (d draft) reread() draft {
	known := d.named()
	for i := range feed.Fields {
		f := &feed.Fields[i]
		if value := d.fields[f.Name]; value != "" && (!f.Digest || f.Name == feed.FieldEnclosures) { // the digest has only their URLs
			known.fields[f.Name] = value
		}
	}
	return known
}

// batch describes entries that are written together.
type batch struct {
	feedURL  string
	token    string      // of the lease; tokenOfAny and empty as in save_entries.lua
	about    *feed.About // nil: unchanged
	received string      // when the document arrived; empty: a person writes
	format   string      // of the document; empty: unchanged
	limit    int         // of entries that a hub may push in feed.PushWindow; 0: no limit
	day      int         // of signalled entries in a day; 0: no limit

	timestamp feed.TimestampRule
}

// tokenOfAny is the token of a write that needs no lease, but a source.
const tokenOfAny = "push"

// write sends entries to the script in calls that are short enough not to block the server. It returns the id of the last entry.
// The description of the feed is saved with the last call.
func (s *Store) write(ctx context.Context, b batch, entries []draft) (feed.Saved, string, error) {
	const maxEntries, maxBytes = 200, 2 << 20
	k := s.of(b.feedURL)
	keys := []any{
		k.ids(), k.sort(), k.guidmap(), k.dead(), k.meta(), k.Outbox(), k.lease(), k.alias(), k.Activity(s.db.Now()),
		k.takedowns(), k.deleted(),
	}
	step, offset := k.Numbering()
	now := s.db.Stamp() // the same for all calls: readers of the signals distinguish documents by it
	limit, pushed, signalled := b.limit, 0, 0
	for i := range entries {
		switch flag, _, _ := strings.Cut(entries[i].flag, " "); flag {
		case flagKnown, flagMisread:
		case flagUnsignalled:
			pushed++
		default:
			pushed++
			signalled++
		}
	}
	var total feed.Saved
	for {
		args := []any{b.feedURL, b.token, now, k.Prefix(), "", "", "", "", "", b.received, b.format, step, offset, limit, pushed,
			string(b.timestamp), b.day, signalled}
		n, size := 0, 0
		for n < len(entries) && n < maxEntries && size < maxBytes {
			e := &entries[n]
			args = append(args, e.id, e.fields["guid"], e.fields["digest"], e.fields["timestamp"], e.flag,
				strings.Join(e.aliases, " "), len(e.fields))
			for name, value := range e.fields {
				args = append(args, name, value)
				size += len(name) + len(value)
			}
			n++
		}
		entries = entries[n:]
		if b.about != nil && len(entries) == 0 {
			details, _ := json.Marshal(b.about.Details()) // texts always encode
			args[4], args[5], args[6], args[7], args[8] = details, b.about.Title, b.about.Description, b.about.Link, b.about.Language
		}
		saved, id, err := readSaved(s.db.Run(ctx, s.scripts["save_entries"], keys, args))
		if over, ok := errors.AsType[*feed.PushLimitError](err); ok {
			over.Entries, over.Limit = pushed, b.limit
		}
		if over, ok := errors.AsType[*feed.DayLimitError](err); ok {
			over.Entries, over.Limit = signalled, b.day
		}
		limit, signalled = 0, 0 // the first call counts the whole document
		if err != nil {
			return total, "", fmt.Errorf("save entries of %s: %w", b.feedURL, err)
		}
		total.Created += saved.Created
		total.Modified += saved.Modified
		total.Unchanged += saved.Unchanged
		total.Dead += saved.Dead
		total.FeedModified = total.FeedModified || saved.FeedModified
		total.Unsignalled.Created += saved.Unsignalled.Created
		total.Unsignalled.Modified += saved.Unsignalled.Modified
		if saved.Changed() {
			s.db.Signalled(ctx, k.Keyspace)
		}
		if len(entries) == 0 {
			return total, id, nil
		}
	}
}

// readSaved reads the reply of save_entries.lua: what it saved, and the id of the last entry.
func readSaved(value any, err error) (saved feed.Saved, id string, _ error) {
	reply, err := redis.Values(value, err)
	if err == nil && len(reply) <= 2 {
		switch reply[0] {
		case int64(-4):
			limit := &feed.PushLimitError{} // write completes it
			if _, err = redis.Scan(reply[1:], &limit.Wait); err == nil {
				limit.Wait *= time.Second
				err = limit
			}
		case int64(-6):
			limit := &feed.DayLimitError{} // write completes it
			if _, err = redis.Scan(reply[1:], &limit.Wait); err == nil {
				limit.Wait *= time.Second
				err = limit
			}
		case int64(-1):
			err = feed.ErrLeaseLost
		case int64(-2):
			err = fmt.Errorf("another entry has this guid: %w", feed.ErrExists)
		case int64(-5):
			err = feed.ErrChanged
		default:
			err = feed.ErrNotFound
		}
	}
	if err == nil {
		_, err = redis.Scan(reply, &saved.Created, &saved.Modified, &saved.Unchanged, &saved.Dead, &saved.FeedModified, &id,
			&saved.Unsignalled.Created, &saved.Unsignalled.Modified)
	}
	return saved, id, err
}
