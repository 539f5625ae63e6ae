package store

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// SaveEntries stores what is new in a document, with its signals, under the lease of the claim. It first asks what is
// new, and then sends only that: most documents that changed at all changed in one entry.
// feed.ErrLeaseLost when another daemon owns the source now; nothing is written then. A claim without a token is that of
// a push, which needs no lease, because the digests tell what a poll has saved meanwhile; there feed.ErrLeaseLost says that
// the source was removed.
//
// An entry without the required fields is feed.ErrInvalid for the whole document: the translator makes none.
func (s *Store) SaveEntries(ctx context.Context, c feed.Claim, doc feed.Document) (feed.Saved, error) {
	src := &c.Source
	drafts, all, err := s.compare(ctx, src, &doc)
	if err != nil {
		return feed.Saved{}, err
	}
	var saved feed.Saved
	var news []draft
	var dead []any
	for i, r := range all {
		switch {
		case r.verdict == feed.VerdictExpired:
			saved.Dead++
			dead = append(dead, s.seconds(), doc.Entries[i].GUID)
		case r.verdict == feed.VerdictSame && !r.renamed:
			saved.Unchanged++
		default:
			if r.held {
				drafts[i].flag = flagHeld
			} else if r.revived {
				drafts[i].flag = flagRevived
			}
			news = append(news, drafts[i])
		}
	}
	if len(dead) > 0 { // seen today: the source lists them still
		if _, err := s.do(ctx, "ZADD", append([]any{s.keys.of(src.URL).dead(src.URL)}, dead...)...); err != nil {
			return feed.Saved{}, fmt.Errorf("save entries of %s: %w", src.URL, err)
		}
	}
	w := writing{feedURL: src.URL, token: c.Token, received: stamp(doc.Received), about: &doc.About}
	if doc.Received.IsZero() {
		w.received = s.stamp()
	}
	if !doc.Partial {
		w.format = doc.Format
	}
	if src.About == doc.About || doc.Partial {
		w.about = nil
	}
	if len(news) == 0 && w.about == nil {
		return saved, nil
	}
	if w.token == "" {
		w.token = "push"
	}
	done, _, err := s.saveEntries(ctx, w, news)
	done.Unchanged += saved.Unchanged
	done.Dead += saved.Dead
	return done, err
}

// compare makes the drafts of a document's entries and finds out what is to become of each.
func (s *Store) compare(ctx context.Context, src *feed.Source, doc *feed.Document) ([]draft, []recognised, error) {
	drafts := make([]draft, 0, len(doc.Entries))
	for i := range doc.Entries {
		if err := doc.Entries[i].Validate(); err != nil {
			return nil, nil, fmt.Errorf("document %s: %w", src.URL, err)
		}
		drafts = append(drafts, newDraft(&doc.Entries[i]))
		drafts[i].id = ""
	}
	all, err := s.recognise(ctx, src, doc, drafts)
	if err != nil {
		return nil, nil, err
	}
	newest := newestKnown(doc, all)
	if newest.IsZero() && anyNew(all) && !src.Poll.LastDocument.IsZero() {
		if newest, err = s.newestStored(ctx, src.URL); err != nil {
			return nil, nil, err
		}
	}
	hold(src, doc, all, s.terms().FirstSignals, newest)
	for i := range all {
		if src.IgnoreUpdates && all[i].verdict == feed.VerdictChanged {
			all[i].verdict, all[i].held, all[i].renamed = feed.VerdictSame, false, false
		}
	}
	return drafts, all, nil
}

// newestStored is the timestamp of the newest entry of a source; zero: it has none.
func (s *Store) newestStored(ctx context.Context, url string) (time.Time, error) {
	reply, err := redis.Strings(s.do(ctx, "ZREVRANGE", s.keys.of(url).sort(url), 0, 0, "WITHSCORES"))
	if err != nil || len(reply) != 2 {
		return time.Time{}, err
	}
	return feed.ParseTime(reply[1]), nil
}

// CompareEntries says what SaveEntries would make of each entry of a document, and writes nothing.
func (s *Store) CompareEntries(ctx context.Context, src feed.Source, doc feed.Document) ([]feed.Comparison, error) {
	_, compared, err := s.compare(ctx, &src, &doc)
	if err != nil {
		return nil, err
	}
	all := make([]feed.Comparison, len(compared))
	for i, r := range compared {
		all[i] = feed.Comparison{Verdict: r.verdict, KnownBy: r.knownBy, Held: r.held}
		if r.verdict == feed.VerdictChanged {
			if all[i].Changed, err = s.changedFields(ctx, r.id, &doc.Entries[i]); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// changedFields are the names of the fields in which an entry is not as it is stored.
func (s *Store) changedFields(ctx context.Context, id string, e *feed.Entry) ([]string, error) {
	stored, err := s.Entry(ctx, id)
	if isNotFound(err) {
		return nil, nil // deleted a moment ago
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
	for name, value := range was {
		if name != "digest" && name != "timestamp" && name != "guid" && is[name] != value {
			changed = append(changed, name)
		}
	}
	sort.Strings(changed)
	return changed, nil
}

// tombstoneAge is how long a tombstone outlives the last document in which its entry could have been listed.
const tombstoneAge = 30 * 24 * time.Hour

// ExpireAll expires the entries of every source that are beyond what it keeps, or beyond keep where the source says
// nothing, and drops old tombstones. What the source may still list is always kept. It returns how many entries were deleted.
func (s *Store) ExpireAll(ctx context.Context, keep feed.Keep) (int, error) {
	sources, err := s.Sources(ctx)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, src := range sources {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		n, err := s.expire(ctx, src.URL, s.expiryOf(&src, keep))
		total += n
		if err != nil {
			return total, err
		}
		if src.Poll.LastDocument.IsZero() {
			continue
		}
		before := feed.FormatTime(src.Poll.LastDocument.Add(-tombstoneAge))
		if _, err := s.call(ctx, "tombstones", func(c redis.Conn) (any, error) {
			return c.Do("ZREMRANGEBYSCORE", s.keys.of(src.URL).dead(src.URL), "-inf", before)
		}); err != nil {
			return total, err
		}
	}
	return total, nil
}

// expiryOf is what goes of the entries of a source.
func (s *Store) expiryOf(src *feed.Source, keep feed.Keep) expiry {
	if src.Keep.Entries > 0 {
		keep.Entries = src.Keep.Entries
	}
	if src.Keep.For > 0 {
		keep.For = src.Keep.For
	}
	listed := max(src.Poll.Listed, src.Poll.Entries)
	e := expiry{keep: max(keep.Entries, listed), listed: listed, tombstone: s.seconds()}
	if keep.For > 0 {
		e.before = feed.FormatTime(s.opts.Now().Add(-keep.For))
	}
	return e
}

func isNotFound(err error) bool { return errors.Is(err, feed.ErrNotFound) }
