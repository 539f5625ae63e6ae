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

// SaveEntries stores what is new in a document, with its signals, under the lease of the claim. It first asks by guid
// and digest what is new, and then sends only that: most documents that changed at all changed in one entry.
// feed.ErrLeaseLost when another daemon owns the source now; nothing is written then. A claim without a token is that of
// a push, which needs no lease, because the digests tell what a poll has saved meanwhile; there feed.ErrLeaseLost says that
// the source was removed.
//
// An entry without the required fields is feed.ErrInvalid for the whole document: the translator makes none.
func (s *Store) SaveEntries(ctx context.Context, c feed.Claim, doc feed.Document) (feed.Saved, error) {
	url := c.Source.URL
	entries := make([]draft, 0, len(doc.Entries))
	for i := range doc.Entries {
		if err := doc.Entries[i].Validate(); err != nil {
			return feed.Saved{}, fmt.Errorf("document %s: %w", url, err)
		}
		entries = append(entries, newDraft(&doc.Entries[i]))
	}
	verdicts, err := s.probe(ctx, url, entries)
	if err != nil {
		return feed.Saved{}, err
	}
	var saved feed.Saved
	var news []draft
	var dead []any
	for i, verdict := range verdicts {
		switch verdict {
		case '=':
			saved.Unchanged++
		case 'x':
			saved.Dead++
			dead = append(dead, s.seconds(), entries[i].fields["guid"])
		default:
			news = append(news, entries[i])
		}
	}
	if len(dead) > 0 { // seen today: the source lists them still
		if _, err := s.do(ctx, "ZADD", append([]any{s.keys.dead(url), "XX"}, dead...)...); err != nil {
			return feed.Saved{}, fmt.Errorf("save entries of %s: %w", url, err)
		}
	}
	about := &doc.About
	if c.Source.About == doc.About || doc.Partial {
		about = nil
	}
	if len(news) == 0 && about == nil {
		return saved, nil
	}
	token := c.Token
	if token == "" {
		token = "push"
	}
	done, _, err := s.saveEntries(ctx, url, token, about, news)
	done.Unchanged += saved.Unchanged
	done.Dead += saved.Dead
	return done, err
}

// probe asks which entries are new or changed: one letter each, see probe_entries.lua.
func (s *Store) probe(ctx context.Context, url string, entries []draft) (string, error) {
	if len(entries) == 0 {
		return "", nil
	}
	args := make([]any, 1, 1+2*len(entries))
	args[0] = s.keys.prefix
	for i := range entries {
		args = append(args, entries[i].fields["guid"], entries[i].fields["digest"])
	}
	verdicts, err := redis.String(s.run(ctx, "probe_entries", []any{s.keys.guidmap(url), s.keys.dead(url)}, args))
	if err == nil && len(verdicts) != len(entries) {
		err = fmt.Errorf("probe_entries answered %d letters for %d entries", len(verdicts), len(entries))
	}
	if err != nil {
		return "", fmt.Errorf("compare entries of %s: %w", url, err)
	}
	return verdicts, nil
}

// CompareEntries says what SaveEntries would make of each entry, and writes nothing.
func (s *Store) CompareEntries(ctx context.Context, feedURL string, entries []feed.Entry) ([]feed.Comparison, error) {
	drafts := make([]draft, 0, len(entries))
	for i := range entries {
		drafts = append(drafts, newDraft(&entries[i]))
	}
	letters, err := s.probe(ctx, feedURL, drafts)
	if err != nil {
		return nil, err
	}
	all := make([]feed.Comparison, len(entries))
	for i, letter := range []byte(letters) {
		switch letter {
		case '=':
			all[i].Verdict = feed.VerdictSame
		case 'x':
			all[i].Verdict = feed.VerdictExpired
		case 'm':
			all[i].Verdict = feed.VerdictChanged
			if all[i].Changed, err = s.changedFields(ctx, &entries[i]); err != nil {
				return nil, err
			}
		default:
			all[i].Verdict = feed.VerdictNew
		}
	}
	return all, nil
}

// changedFields are the names of the fields in which an entry is not as it is stored.
func (s *Store) changedFields(ctx context.Context, e *feed.Entry) ([]string, error) {
	stored, err := s.EntryByGUID(ctx, e.FeedURL, e.GUID)
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
		if name != "digest" && name != "timestamp" && is[name] != value {
			changed = append(changed, name)
		}
	}
	sort.Strings(changed)
	return changed, nil
}

// tombstoneAge is how long a tombstone outlives the last document in which its entry could have been listed.
const tombstoneAge = 30 * 24 * time.Hour

// ExpireAll expires the entries of every source beyond keep, where what the last document listed is always kept, and
// drops old tombstones. It returns how many entries were deleted.
func (s *Store) ExpireAll(ctx context.Context, keep int) (int, error) {
	sources, err := s.Sources(ctx)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, src := range sources {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		n, err := s.ExpireEntries(ctx, src.URL, max(keep, src.Poll.Entries))
		total += n
		if err != nil {
			return total, err
		}
		if src.Poll.LastDocument.IsZero() {
			continue
		}
		before := feed.FormatTime(src.Poll.LastDocument.Add(-tombstoneAge))
		if _, err := s.call(ctx, "tombstones", func(c redis.Conn) (any, error) {
			return c.Do("ZREMRANGEBYSCORE", s.keys.dead(src.URL), "-inf", before)
		}); err != nil {
			return total, err
		}
	}
	return total, nil
}

func isNotFound(err error) bool { return errors.Is(err, feed.ErrNotFound) }
