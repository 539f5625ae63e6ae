package timeline

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// The cache of a timeline.
const (
	cacheSize = 500
	cacheTTL  = 7 * 24 * time.Hour
	readyTTL  = cacheTTL - time.Minute // the marker ends first
	emptyTTL  = time.Minute
	slackTTL  = 10 * time.Second // the TTLs are not set again for so long
)

// maxRounds bounds how often Timeline reads on because it left out entries.
const maxRounds = 5

// Timeline returns up to limit entries of the sources that a user follows after a cursor, newest first. If very many entries must be
// left out, because their sources are muted, the page has fewer entries although more follow.
func (s *Store) Timeline(ctx context.Context, user int64, after feed.Cursor, limit int) (feed.TimelinePage, error) {
	return s.timeline(ctx, user, after, limit, nil)
}

// ScoredTimeline is Timeline with the scores of those entries that have votes, by id, and the votes of the user. It reads the scores in the
// exchange that reads the entries.
func (s *Store) ScoredTimeline(
	ctx context.Context, user int64, after feed.Cursor, limit int,
) (page feed.TimelinePage, scores map[string]feed.Score, err error) {
	scores = make(map[string]feed.Score)
	page, err = s.timeline(ctx, user, after, limit, scores)
	return page, scores, err
}

// timeline returns a page, and adds the scores of its entries and of others to scores, unless that is nil.
func (s *Store) timeline(ctx context.Context, user int64, after feed.Cursor, limit int, scores map[string]feed.Score) (feed.TimelinePage, error) {
	page, err := collect(after, limit, func(after feed.Cursor, size int) ([]feed.Cursor, map[string]feed.Entry, error) {
		places, err := s.places(ctx, user, after, size)
		if err != nil {
			return nil, nil, err
		}
		shown, err := s.shown(ctx, user, places, scores)
		return places, shown, err
	})
	return page, core.Wrap(err, "timeline of user %d", user)
}

// collect returns a page of up to limit entries after a cursor. read returns size places, or fewer at the end of the list, and by id those
// entries in these places that the page may have. An entry whose date has changed can have two places for a moment: one in the cache, until
// the fan-out has moved it, and one in the list of its source.
func collect(
	after feed.Cursor, limit int, read func(after feed.Cursor, size int) ([]feed.Cursor, map[string]feed.Entry, error),
) (page feed.TimelinePage, err error) {
	page.Entries = make([]feed.Entry, 0, limit)
	var last feed.Cursor // of page.Entries
	has := make(map[string]bool, limit)
	for round, size := 1, limit+1; ; round, size = round+1, min(4*size, cacheSize) {
		places, shown, err := read(after, size)
		if err != nil {
			return page, err
		}
		for _, p := range places {
			after = p
			e, ok := shown[entryPrefix+p.Member]
			switch {
			case !ok, has[p.Member]:
			case len(page.Entries) == limit:
				page.Next = last
				return page, nil
			default:
				page.Entries, last = append(page.Entries, e), p
				has[p.Member] = true
			}
		}
		if len(places) < size {
			return page, nil
		}
		if round == maxRounds {
			page.Next = after
			return page, nil
		}
	}
}

// places returns where the next entries of a timeline are: size of them, or fewer at its end. The members are numbers of entries.
func (s *Store) places(ctx context.Context, user int64, after feed.Cursor, size int) ([]feed.Cursor, error) {
	c, err := s.cached(ctx, user, after, size)
	if err == nil && c.cold {
		if err = s.rebuild(ctx, user); err == nil {
			c, err = s.cached(ctx, user, after, size)
		}
		if errors.Is(err, feed.ErrFull) { // the entries of the sources can be read
			err = nil
		}
	}
	if err != nil {
		return nil, err
	}
	if c.usable && (len(c.places) == size || s.db.Options().ShallowTimelines) {
		return s.withPulled(ctx, user, c, after, size)
	}
	urls, err := s.unmuted(ctx, user)
	if err != nil {
		return nil, err
	}
	return s.merge(ctx, urls, after, size)
}

// cached is what the cache of a timeline has.
type cached struct {
	usable bool
	cold   bool          // it must be built
	places []feed.Cursor // after a cursor
	pulled []string      // sources whose entries are not in the caches
}

// cached reads the cache.
func (s *Store) cached(ctx context.Context, user int64, after feed.Cursor, size int) (c cached, err error) {
	k, score := s.of(user), ""
	if !after.IsZero() {
		score = formatScore(after.Score)
	}
	r, err := s.db.Pipeline(ctx, "read_timeline", func(b *core.Batch) {
		s.db.AddScript(b, s.scripts["read_timeline"], []any{k.cache(), k.warm()},
			[]any{score, after.Member, size, seconds(cacheTTL), seconds(readyTTL), seconds(slackTTL)})
		b.Add("SMEMBERS", s.pulledKey())
	})
	if err != nil {
		return c, err
	}
	of := r.Replies()
	return cached{usable: of.Count() == 1, cold: of.Count() == 1, places: of.Places(), pulled: r.Texts()}, nil
}

// withPulled returns the places in a cache with those of sources whose entries are not in the caches.
func (s *Store) withPulled(ctx context.Context, user int64, c cached, after feed.Cursor, size int) ([]feed.Cursor, error) {
	if len(c.pulled) == 0 {
		return c.places, nil
	}
	urls, err := s.unmuted(ctx, user)
	if err != nil {
		return nil, err
	}
	pulls, err := s.merge(ctx, slices.DeleteFunc(urls, func(url string) bool { return !slices.Contains(c.pulled, url) }), after, size)
	// A source that became pulled later has entries in the cache, too, which may have moved since.
	read := make(map[string]bool, len(pulls))
	for _, p := range pulls {
		read[p.Member] = true
	}
	for _, p := range c.places {
		if !read[p.Member] {
			pulls = append(pulls, p)
		}
	}
	all := newestFirst(pulls)
	return all[:min(size, len(all))], err
}

// unmuted returns the sources that a user follows and has not muted.
func (s *Store) unmuted(ctx context.Context, user int64) (urls []string, err error) {
	follows, err := s.Follows(ctx, user)
	for _, f := range follows {
		if !f.Muted {
			urls = append(urls, f.FeedURL)
		}
	}
	return urls, err
}

// shown returns the entries in some places, by id, without those that do not exist, and those of sources that the user does not
// follow or has muted. It removes entries that do not exist from the cache. Unless scores is nil, it adds their scores.
func (s *Store) shown(ctx context.Context, user int64, places []feed.Cursor, scores map[string]feed.Score) (map[string]feed.Entry, error) {
	if len(places) == 0 {
		return nil, nil //nolint:nilnil // there is nothing to show
	}
	ids := make([]string, len(places))
	for i, p := range places {
		ids[i] = entryPrefix + p.Member
	}
	k, likely := s.of(user), s.hints.sourcesOf(places)
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		s.entries.QueryHeadlines(b, ids)
		likely.query(b, k)
		if scores != nil {
			s.scores.QueryScores(b, ids)
		}
	})
	if err != nil {
		return nil, err
	}
	found, err := s.entries.ReadHeadlines(ctx, ids, &r)
	if err != nil {
		return nil, err
	}
	likely.read(&r)
	if scores != nil {
		read, err := s.scores.ReadScores(ctx, user, ids, &r)
		if err != nil {
			return nil, err
		}
		maps.Copy(scores, read)
	}
	gone, others := []any{k.cache()}, new(visibility)
	for i, p := range places {
		e, ok := found[ids[i]]
		if !ok {
			gone = append(gone, p.Member)
			continue
		}
		s.hints.remember(&e)
		if _, known := likely.of[e.FeedURL]; !known {
			others.add(e.FeedURL)
		}
	}
	r, err = s.db.Pipeline(ctx, group, func(b *core.Batch) {
		others.query(b, k)
		if len(gone) > 1 {
			b.Add("ZREM", gone...)
		}
	})
	if err != nil {
		return nil, err
	}
	others.read(&r)
	maps.DeleteFunc(found, func(_ string, e feed.Entry) bool {
		return !likely.of[e.FeedURL] && !others.of[e.FeedURL] || !e.ShownTo(user)
	})
	return found, nil
}

const entryPrefix = "Entry:"

// newestFirst sorts places in the order of Redis.
func newestFirst(all []feed.Cursor) []feed.Cursor {
	slices.SortFunc(all, func(a, b feed.Cursor) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(b.Member, a.Member))
	})
	return all
}

func parseScore(text string) float64 {
	score, _ := strconv.ParseFloat(text, 64) // Redis replies with a number, and so do our scripts
	return score
}

func formatScore(score float64) string { return strconv.FormatFloat(score, 'f', -1, 64) }

func seconds(d time.Duration) int { return int(d / time.Second) }
