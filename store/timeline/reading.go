package timeline

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// markedAtOnce bounds the entries or sources of one script.
const markedAtOnce = 500

// reading is what a user has read.
type reading struct {
	marks      map[string]float64 // by feed URL
	read       map[string]bool    // by member: "<n> <feed_url>"
	keptUnread map[string]bool
}

func member(number, feedURL string) string { return number + " " + feedURL }

// bySource returns the numbers of entries in some sets by feed URL.
func bySource(sets ...map[string]bool) map[string][]string {
	all := make(map[string][]string)
	for _, set := range sets {
		for m := range set {
			number, url, _ := strings.Cut(m, " ")
			all[url] = append(all[url], number)
		}
	}
	return all
}

// isRead reports whether an entry of a source is read.
func (r *reading) isRead(feedURL string, p feed.Cursor) bool {
	mark, marked := r.marks[feedURL]
	m := member(p.Member, feedURL)
	return r.read[m] || marked && p.Score <= mark && !r.keptUnread[m]
}

// queryReading adds the commands that read everything that a user has read. readingFrom decodes their replies.
func (k userKeys) queryReading(b *core.Batch) {
	b.Add("HGETALL", k.readMarks())
	b.Add("ZRANGE", k.read(), 0, -1)
	b.Add("ZRANGE", k.keptUnread(), 0, -1)
}

func readingFrom(r *core.Replies) *reading {
	all := &reading{marks: make(map[string]float64)}
	for url, text := range r.Map() {
		all.marks[url] = parseScore(text)
	}
	all.read, all.keptUnread = setOf(r.Texts()), setOf(r.Texts())
	return all
}

func setOf(members []string) map[string]bool {
	set := make(map[string]bool, len(members))
	for _, m := range members {
		set[m] = true
	}
	return set
}

// ForReader returns entries with what a user has done with them.
func (s *Store) ForReader(ctx context.Context, user int64, entries []feed.Entry) ([]feed.ReaderEntry, error) {
	all := make([]feed.ReaderEntry, len(entries))
	if len(entries) == 0 {
		return all, nil
	}
	k := s.of(user)
	urls, members, numbers := []any{k.readMarks()}, make([]any, len(entries)), make([]any, len(entries))
	for i := range entries {
		urls, members[i] = append(urls, entries[i].FeedURL), member(entries[i].Number(), entries[i].FeedURL)
		numbers[i] = entries[i].Number()
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HMGET", urls...)
		for _, key := range []string{k.read(), k.keptUnread()} {
			b.Add("ZMSCORE", append([]any{key}, members...)...)
		}
		b.Add("ZMSCORE", append([]any{k.saved()}, numbers...)...)
	})
	if err != nil {
		return nil, core.Wrap(err, "reading of user %d", user)
	}
	marks, read, keptUnread, saved := r.Texts(), r.Texts(), r.Texts(), r.Texts()
	for i, e := range entries {
		marked := marks[i] != "" && float64(e.Timestamp.Unix()) <= parseScore(marks[i])
		all[i] = feed.ReaderEntry{Entry: e, Read: read[i] != "" || marked && keptUnread[i] == "", Saved: saved[i] != ""}
	}
	return all, nil
}

// MarkEntries marks entries as read or unread by a user. Entries that do not exist are left out. If a user has read more than
// feed.MaxRead entries one by one, all entries of a source that are as old as the oldest of those become read.
func (s *Store) MarkEntries(ctx context.Context, user int64, ids []string, state feed.ReadState) error {
	k := s.of(user)
	for some := range slices.Chunk(ids, markedAtOnce) {
		found, err := s.entries.HeadlinesByID(ctx, some)
		if err != nil {
			return err
		}
		args := []any{string(state), feed.MaxRead, feed.MaxKeptUnread}
		for _, e := range found {
			args = append(args, e.Number(), e.FeedURL, e.Timestamp.Unix())
		}
		if _, err := s.db.Run(ctx, s.scripts["mark_entries"], k.marked(), args); err != nil {
			return core.Wrap(err, "mark entries of user %d", user)
		}
	}
	return nil
}

// MarkSources marks the entries of selected sources as read, up to a time; zero: all that are stored now. The mark of a source is the
// timestamp of its newest entry, so that an entry that arrives later is unread although it may be dated before the request.
func (s *Store) MarkSources(ctx context.Context, user int64, selected feed.Selection, upto time.Time) error {
	follows, err := s.Follows(ctx, user)
	if err != nil {
		return err
	}
	follows = slices.DeleteFunc(follows, func(f feed.Follow) bool { return !selected.Includes(&f) })
	k := s.of(user)
	var from feed.Cursor
	if !upto.IsZero() {
		from = feed.CursorUpTo(upto.Unix())
	}
	for some := range slices.Chunk(follows, markedAtOnce) {
		r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
			for i := range some {
				s.entries.QueryPlaces(b, some[i].FeedURL, "-inf", from, 1)
			}
		})
		args := []any{feed.MaxFollows}
		for i := range some {
			if err != nil {
				break
			}
			if newest := r.Page(from); len(newest) > 0 {
				args = append(args, some[i].FeedURL, formatScore(newest[0].Score))
			}
		}
		if err == nil && len(args) > 1 {
			_, err = s.db.Run(ctx, s.scripts["mark_sources"], k.marked(), args)
		}
		if err != nil {
			return core.Wrap(err, "mark sources of user %d", user)
		}
	}
	return nil
}

// UnreadCounts returns how many entries of each source that a user follows are unread, by feed URL. It reads no entries: it counts
// those above the mark of their source, and looks up those that differ from it.
func (s *Store) UnreadCounts(ctx context.Context, user int64) (map[string]int, error) {
	counts, err := s.unreadCounts(ctx, user)
	return counts, core.Wrap(err, "count unread entries of user %d", user)
}

func (s *Store) unreadCounts(ctx context.Context, user int64) (map[string]int, error) {
	k := s.of(user)
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HKEYS", k.follows())
		k.queryReading(b)
	})
	if err != nil {
		return nil, err
	}
	urls, reading := r.Texts(), readingFrom(&r)
	differ := bySource(reading.read, reading.keptUnread)
	r, err = s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, url := range urls {
			mark, marked := reading.marks[url]
			s.entries.QueryCountAfter(b, url, lowest(mark, marked))
			if len(differ[url]) > 0 {
				s.entries.QueryTimestamps(b, url, differ[url])
			}
		}
	})
	if err != nil {
		return nil, err
	}
	counts := make(map[string]int, len(urls))
	for _, url := range urls {
		n := r.Count()
		if len(differ[url]) > 0 {
			n += reading.difference(url, differ[url], r.Texts())
		}
		counts[url] = n
	}
	return counts, nil
}

// difference returns how many more entries of a source are unread than are above its mark. The timestamp of an entry that does not exist
// is empty.
func (r *reading) difference(feedURL string, numbers, timestamps []string) (n int) {
	mark, marked := r.marks[feedURL]
	for i, number := range numbers {
		if timestamps[i] == "" {
			continue
		}
		p := feed.Cursor{Score: parseScore(timestamps[i]), Member: number}
		switch above := !marked || p.Score > mark; {
		case above && r.isRead(feedURL, p):
			n--
		case !above && !r.isRead(feedURL, p):
			n++
		}
	}
	return n
}

// lowest is the bound of the scores above a mark, for Redis.
func lowest(mark float64, marked bool) string {
	if !marked {
		return "-inf"
	}
	return "(" + formatScore(mark)
}
