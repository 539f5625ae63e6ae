package entry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// SaveEntries stores the new and changed entries of a document with their signals, under the lease of a claim. It reads first which
// entries those are, because most documents that changed have changed in one entry.
//
// feed.ErrLeaseLost: another daemon owns the source now, and nothing was written. A claim without a token is that of a push, which
// needs no lease, because the digests show what a poll saved meanwhile; its feed.ErrLeaseLost means that the source was removed.
// feed.ErrInvalid: an entry lacks a required field, and nothing was written. *feed.PushLimitError, *feed.DayLimitError: there are
// more entries than core.Options.PushEntries and DayEntries allow, and nothing was written.
//
// A document with news first removes the oldest entries of a source that holds too many, see makeRoom. It removes none of its own:
// a signal is appended while its entry is stored, and the entry stays until hundreds of newer ones were saved.
func (s *Store) SaveEntries(ctx context.Context, c feed.Claim, doc feed.Document) (feed.Saved, error) {
	src := &c.Source
	stored, drafts, all, err := s.compare(ctx, src, &doc)
	if err != nil {
		return feed.Saved{}, err
	}
	var saved feed.Saved
	var toWrite []draft
	var listed []any // expired entries that the source still lists
	relisted := []any{s.of(src.URL).takedowns(), "XX"}
	for i, m := range all {
		switch {
		case m.verdict == feed.VerdictExpired:
			saved.Dead++
			listed = append(listed, s.db.Seconds(), doc.Entries[i].GUID)
		case m.verdict == feed.VerdictTakenDown:
			saved.Dead++
			names := append(disguises(&doc.Entries[i], drafts[i].aliases), drafts[i].aliases...)
			for _, name := range append(names, doc.Entries[i].GUID) {
				relisted = append(relisted, s.db.Seconds(), name)
			}
		case m.verdict == feed.VerdictSame && doc.Reread:
			if !m.renamed {
				drafts[i].aliases = nil
			}
			if m.misread {
				drafts[i].flag = flagMisread + " " + core.Stamp(src.Poll.LastDocument)
			} else {
				drafts[i] = drafts[i].reread()
			}
			toWrite = append(toWrite, drafts[i])
		case m.verdict == feed.VerdictSame && m.renamed:
			toWrite = append(toWrite, drafts[i].named())
		case m.verdict == feed.VerdictSame:
			saved.Unchanged++
		default:
			if m.unsignalled {
				drafts[i].flag = flagUnsignalled
			} else if m.revived {
				drafts[i].flag = flagRevived
			}
			toWrite = append(toWrite, drafts[i])
		}
	}
	if len(listed) > 0 {
		if _, err := s.db.Do(ctx, group, "ZADD", append([]any{s.of(src.URL).dead()}, listed...)...); err != nil {
			return feed.Saved{}, fmt.Errorf("save entries of %s: %w", src.URL, err)
		}
	}
	if len(relisted) > 2 {
		if _, err := s.db.Do(ctx, group, "ZADD", relisted...); err != nil {
			return feed.Saved{}, fmt.Errorf("save entries of %s: %w", src.URL, err)
		}
	}
	b := batch{
		feedURL: src.URL, token: c.Token, received: core.Stamp(doc.Received), about: &doc.About, timestamp: src.Timestamp,
		day: s.db.Options().DayEntries,
	}
	if doc.Received.IsZero() {
		b.received = s.db.Stamp()
	}
	if !doc.Partial {
		b.format = doc.Format
	}
	if src.About.Equal(&doc.About) || doc.Partial {
		b.about = nil
	}
	if len(toWrite) == 0 && b.about == nil {
		return saved, nil
	}
	if b.token == "" {
		b.token, b.limit = tokenOfAny, s.db.Options().PushEntries
	}
	if err := s.makeRoom(ctx, src, &doc, stored); err != nil {
		return feed.Saved{}, err
	}
	written, _, err := s.write(ctx, b, toWrite)
	written.Unchanged += saved.Unchanged
	written.Dead += saved.Dead
	return written, err
}

// CompareEntries returns what SaveEntries would do with each entry of a document. It writes nothing.
func (s *Store) CompareEntries(ctx context.Context, src feed.Source, doc feed.Document) ([]feed.Comparison, error) {
	_, _, matches, err := s.compare(ctx, &src, &doc)
	if err != nil {
		return nil, err
	}
	all := make([]feed.Comparison, len(matches))
	for i, m := range matches {
		all[i] = feed.Comparison{Verdict: m.verdict, MatchedBy: m.by, Unsignalled: m.unsignalled}
		if m.verdict == feed.VerdictChanged {
			if all[i].Changed, err = s.changedFields(ctx, m.id, &doc.Entries[i]); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// compare makes drafts of the entries of a document and decides about each. It returns how many entries are stored.
func (s *Store) compare(ctx context.Context, src *feed.Source, doc *feed.Document) (stored int, _ []draft, _ []match, _ error) {
	drafts := make([]draft, 0, len(doc.Entries))
	for i := range doc.Entries {
		if err := doc.Entries[i].Validate(); err != nil {
			return 0, nil, nil, fmt.Errorf("document %s: %w", src.URL, err)
		}
		drafts = append(drafts, newDraft(&doc.Entries[i]))
		drafts[i].id = ""
	}
	stored, all, err := s.matchEntries(ctx, src, doc, drafts)
	if err != nil {
		return 0, nil, nil, err
	}
	for i := range all {
		switch m := &all[i]; {
		case m.verdict != feed.VerdictChanged:
		case doc.SameBytes:
			m.verdict, m.misread = feed.VerdictSame, true
		case src.IgnoreUpdates:
			m.verdict, m.renamed = feed.VerdictSame, false
		}
	}
	newest := newestKnown(doc, all)
	if newest.IsZero() && slices.ContainsFunc(all, func(m match) bool { return m.verdict == feed.VerdictNew }) &&
		!src.Poll.LastDocument.IsZero() {
		if newest, err = s.newestStored(ctx, src.URL); err != nil {
			return 0, nil, nil, err
		}
	}
	markUnsignalled(src, doc, all, max(0, cmp.Or(s.db.Options().FirstSignals, 10)), newest)
	return stored, drafts, all, nil
}

// newestStored returns the timestamp of the newest entry of a source, or zero if the source has none.
func (s *Store) newestStored(ctx context.Context, url string) (time.Time, error) {
	reply, err := redis.Strings(s.db.Do(ctx, group, "ZREVRANGE", s.of(url).sort(), 0, 0, "WITHSCORES"))
	if err != nil || len(reply) != 2 {
		return time.Time{}, err
	}
	return feed.ParseTime(reply[1]), nil
}

// changedFields returns the names of the fields in which an entry differs from the stored one.
func (s *Store) changedFields(ctx context.Context, id string, e *feed.Entry) ([]string, error) {
	stored, err := s.Entry(ctx, id)
	if errors.Is(err, feed.ErrNotFound) {
		return nil, nil // deleted since the comparison
	}
	if err != nil {
		return nil, err
	}
	was, is := stored.Fields(), e.Fields()
	changed := []string{}
	for name := range is {
		if _, had := was[name]; !had {
			changed = append(changed, name)
		}
	}
	if !e.Updated.After(stored.Updated) { // it is no date of this edit
		delete(was, "date_updated")
	}
	for name, value := range was {
		if name != "digest" && name != "timestamp" && name != "guid" && is[name] != value {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed, nil
}
