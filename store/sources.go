package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// AddSource adds a source with a feed_created signal, due at once, or where many are added together within
// Options.Spread; or, where the URL is known, updates what a person decided about it (feeds, publish, interval,
// request, filters, and categories unless they are nil). Title, link and Paused are taken for a new source only. It
// returns the source as stored and whether it is new. The URL must be
// canonical, see feed.CanonicalURL. feed.ErrChanged: the source has another Edition than this one, unless that is 0.
func (s *Store) AddSource(ctx context.Context, src feed.Source) (feed.Source, bool, error) {
	url, err := feed.CanonicalURL(src.URL)
	if err != nil {
		return feed.Source{}, false, err
	}
	src.ID, src.URL = feed.SourceID(url), url
	for _, typ := range src.Feeds {
		if err := feed.CheckType(typ); err != nil {
			return feed.Source{}, false, err
		}
	}
	if src.Publish != feed.PublishAuto {
		src.Publish = feed.PublishManual
	}
	if err := s.checkChoices(ctx, &src); err != nil {
		return feed.Source{}, false, err
	}
	settings := append(settingFields(&src), choiceFields(&src)...)
	spread := s.terms().Spread
	if src.Interval > 0 {
		spread = min(spread, src.Interval)
	}
	args := append([]any{src.ID, url, s.stamp(), spread.Seconds(), src.Edition, len(settings) / 2}, settings...)
	args = append(args, "added", s.seconds(), "host", s.host(url))
	args = append(args, listedFields(&src)...)
	p := s.keys.of(url)
	keys := []any{p.feeds(), p.meta(url), p.due(), p.signals(), p.added(), p.activity(s.opts.Now())}
	done, err := redis.Int(s.run(ctx, "add_source", keys, args))
	if err == nil && done < 0 {
		err = feed.ErrChanged
	}
	if err != nil {
		return feed.Source{}, false, fmt.Errorf("add source %s: %w", url, err)
	}
	added := done == 1
	if added {
		s.gather(ctx, p)
		s.opts.OnDue()
	}
	if added && src.Paused { // a kill before this costs one poll, after which a paused source is not due any more
		if err := s.SetPaused(ctx, src.ID, true, 0); err != nil {
			return feed.Source{}, false, err
		}
	}
	stored, err := s.Source(ctx, src.ID)
	return stored, added, err
}

// Source is one source by its id, with its last polls. feed.ErrNotFound when there is none.
func (s *Store) Source(ctx context.Context, id string) (feed.Source, error) {
	url, err := s.sourceURL(ctx, id)
	if err != nil {
		return feed.Source{}, err
	}
	source, _, err := s.sourceWithNewest(ctx, url, 0)
	return source, err
}

// sourceURL is the URL of a source that is known. Where the id was asked for before, one part is asked.
func (s *Store) sourceURL(ctx context.Context, id string) (string, error) {
	parts := s.keys.parts
	if url, known := s.topics.Load(id); known { // a topic that is a source has its id
		parts = []part{s.keys.of(url.(string))}
	}
	replies, err := s.pipeline(ctx, "sources", func(b *batch) {
		for _, p := range parts {
			b.add("HGET", p.feeds(), id)
		}
	})
	if err != nil {
		return "", fmt.Errorf("look for source %s: %w", id, err)
	}
	for _, reply := range replies {
		if url, _ := redis.String(reply, nil); url != "" {
			s.topics.Store(id, url)
			return url, nil
		}
	}
	return "", fmt.Errorf("source %s: %w", id, feed.ErrNotFound)
}

// sourceURLs are the URLs of all sources, in order.
func (s *Store) sourceURLs(ctx context.Context) ([]string, error) {
	replies, err := s.askParts(ctx, "sources", func(p part) []any { return []any{"HVALS", p.feeds()} })
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", err)
	}
	var all []string
	for _, reply := range replies {
		urls, err := redis.Strings(reply, nil)
		if err != nil {
			return nil, fmt.Errorf("list sources: %w", err)
		}
		all = append(all, urls...)
	}
	slices.Sort(all)
	return all, nil
}

// SourceByURL is one source by its canonical URL. feed.ErrNotFound when there is none.
func (s *Store) SourceByURL(ctx context.Context, url string) (feed.Source, error) {
	all, err := s.loadSources(ctx, []string{url})
	if err != nil {
		return feed.Source{}, err
	}
	if len(all) == 0 {
		return feed.Source{}, fmt.Errorf("source %s: %w", url, feed.ErrNotFound)
	}
	return all[0], nil
}

// Sources are all sources, by URL.
func (s *Store) Sources(ctx context.Context) ([]feed.Source, error) {
	urls, err := s.sourceURLs(ctx)
	if err != nil {
		return nil, err
	}
	return s.loadSources(ctx, urls)
}

// SourcesPage are up to limit sources by URL, behind the one with the URL after ("" for the first), and the URL after which
// to go on; empty: there are no more.
func (s *Store) SourcesPage(ctx context.Context, after string, limit int) ([]feed.Source, string, error) {
	urls, err := s.sourceURLs(ctx)
	if err != nil {
		return nil, "", err
	}
	first, found := slices.BinarySearch(urls, after)
	if found {
		first++
	}
	urls, next := urls[first:], ""
	if len(urls) > limit {
		urls, next = urls[:limit], urls[limit-1]
	}
	all, err := s.loadSources(ctx, urls)
	return all, next, err
}

// eachSource calls look with every source, by URL. It holds but a few in memory.
func (s *Store) eachSource(ctx context.Context, look func(*feed.Source)) error {
	urls, err := s.sourceURLs(ctx)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(urls, sourcesAtOnce) {
		sources, err := s.loadSources(ctx, part)
		if err != nil {
			return err
		}
		for i := range sources {
			look(&sources[i])
		}
	}
	return nil
}

// sourcesAtOnce bounds how many sources are asked for in one pipeline: what the server answers takes several times the
// memory of what is made of it.
const sourcesAtOnce = 200

// loadSources reads sources; unknown ones are left out.
func (s *Store) loadSources(ctx context.Context, urls []string) ([]feed.Source, error) {
	all := make([]feed.Source, 0, len(urls))
	for part := range slices.Chunk(urls, sourcesAtOnce) {
		var err error
		if all, err = s.appendSources(ctx, all, part); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// appendSources reads sources in one pipeline.
func (s *Store) appendSources(ctx context.Context, all []feed.Source, urls []string) ([]feed.Source, error) {
	replies, err := s.pipeline(ctx, "sources", func(b *batch) {
		for _, url := range urls {
			p := s.keys.of(url)
			b.add("HGETALL", p.meta(url))
			b.add("HGETALL", p.push(url))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read sources: %w", err)
	}
	hash := make(map[string]string, 64) // one for all: claiming reads many
	for i, url := range urls {
		if err := readHash(hash, replies[2*i]); err != nil {
			return nil, fmt.Errorf("read source %s: %w", url, err)
		}
		if len(hash) == 0 {
			continue
		}
		src := sourceFromMeta(url, hash)
		if err := readHash(hash, replies[2*i+1]); err != nil {
			return nil, fmt.Errorf("read push of %s: %w", url, err)
		}
		if len(hash) > 0 {
			src.Push = callbackFrom(url, hash).Push
		}
		all = append(all, src)
	}
	return all, nil
}

// readHash reads the answer of HGETALL into a map, in place of what that held.
func readHash(hash map[string]string, reply any) error {
	clear(hash)
	flat, err := redis.Values(reply, nil)
	if err != nil {
		return err
	}
	for i := 0; i+1 < len(flat); i += 2 {
		name, _ := flat[i].([]byte)
		value, _ := flat[i+1].([]byte)
		hash[string(name)] = string(value)
	}
	return nil
}

// SetPaused stops or resumes polling a source; one that is stopped leaves its hub. Resuming makes it due as PollSource
// does, also after 410. feed.ErrChanged: the source has another Edition than this one, unless that is 0.
func (s *Store) SetPaused(ctx context.Context, id string, paused bool, edition int) error {
	floor := s.terms().PollFloor
	plan := schedule{how: "resume", edition: edition, floor: floor, failed: floor, why: askedFor}
	if !paused {
		return s.schedule(ctx, id, plan)
	}
	plan.how = "pause"
	if err := s.schedule(ctx, id, plan); err != nil {
		return err
	}
	url, err := s.sourceURL(ctx, id)
	if err != nil {
		return err
	}
	return s.leaveHub(ctx, url)
}

// PollSource makes a source due now, or Options.PollFloor after its last poll. feed.ErrConflict when it is paused;
// feed.ErrChanged as for SetPaused.
func (s *Store) PollSource(ctx context.Context, id string, edition int) error {
	floor := s.terms().PollFloor
	return s.schedule(ctx, id, schedule{how: "poll", edition: edition, floor: floor, failed: floor, why: askedFor})
}

// PollInFull does as PollSource, and has the document read anew whether it has changed or not.
func (s *Store) PollInFull(ctx context.Context, id string, edition int) error {
	floor := s.terms().PollFloor
	return s.schedule(ctx, id, schedule{how: "poll in full", edition: edition, floor: floor, failed: floor, why: askedFor})
}

// PollSources makes all sources due that are neither paused nor gone, as PollSource does with one, and returns how many
// those are. They come in the order of their ids, which mixes the hosts.
func (s *Store) PollSources(ctx context.Context) (int, error) {
	replies, err := s.askParts(ctx, "sources", func(p part) []any { return []any{"HGETALL", p.feeds()} })
	if err != nil {
		return 0, fmt.Errorf("list sources: %w", err)
	}
	const atOnce = 500 // so that no script holds the server for long
	due := 0
	for i, p := range s.keys.parts {
		feeds, err := redis.StringMap(replies[i], nil)
		if err != nil {
			return due, fmt.Errorf("list sources: %w", err)
		}
		before := 0
		for ids := range slices.Chunk(slices.Sorted(maps.Keys(feeds)), atOnce) {
			keys, args := []any{p.due(), p.lease()}, []any{s.stamp(), s.terms().PollFloor.Seconds(), before}
			for _, id := range ids {
				keys, args = append(keys, p.meta(feeds[id])), append(args, feeds[id])
			}
			n, err := redis.Int(s.run(ctx, "poll_sources", keys, args))
			if err != nil {
				return due, fmt.Errorf("poll sources: %w", err)
			}
			due, before = due+n, before+len(ids)
			s.opts.OnDue()
		}
	}
	return due, nil
}

// askedFor is why a source is due for which a person asked.
const askedFor = "asked for"

// schedule is what is to happen with the polling of a source.
type schedule struct {
	how           string        // one of the things that schedule_source.lua can do
	edition       int           // that the source must have still; 0: any
	floor, failed time.Duration // from the last poll to the next, and the same where that poll has failed
	why           string        // for a person
}

func (s *Store) schedule(ctx context.Context, id string, plan schedule) error {
	url, err := s.sourceURL(ctx, id)
	if err != nil {
		return err
	}
	p := s.keys.of(url)
	keys := []any{p.feeds(), p.meta(url), p.due(), p.lease(), p.unwell()}
	done, err := redis.Int(s.run(ctx, "schedule_source", keys, []any{
		id, url, s.stamp(), plan.how, plan.floor.Seconds(), plan.failed.Seconds(), plan.why, plan.edition,
	}))
	switch {
	case err != nil:
		return fmt.Errorf("%s source %s: %w", plan.how, id, err)
	case done == 0:
		return fmt.Errorf("source %s: %w", id, feed.ErrNotFound)
	case done == -1:
		return fmt.Errorf("source %s is paused: %w; resume it first", id, feed.ErrConflict)
	case done < 0:
		return fmt.Errorf("%s source %s: %w", plan.how, id, feed.ErrChanged)
	}
	s.opts.OnDue()
	return nil
}

// RemoveSource removes a source with its entries. Its articles stay, and for a day what RestoreSource needs. When it is
// interrupted the source is left paused and the call can be repeated. feed.ErrChanged as for SetPaused; what is decided about
// the source after that goes with it.
func (s *Store) RemoveSource(ctx context.Context, id string, edition int) error {
	url, err := s.sourceURL(ctx, id)
	if err != nil {
		return err
	}
	if err := s.keepSettings(ctx, id, url); err != nil {
		return err
	}
	if err := s.SetPaused(ctx, id, true, edition); err != nil {
		if errors.Is(err, feed.ErrChanged) { // it stays, and is to be kept as it will be when it goes
			_, forget := s.do(ctx, "DEL", s.keys.removed(id))
			err = cmp.Or(forget, err)
		}
		return err
	}
	for {
		if _, err := s.expire(ctx, url, expiry{}); err != nil {
			return fmt.Errorf("remove source %s: %w", id, err)
		}
		p := s.keys.of(url)
		keys := []any{
			p.feeds(), p.meta(url), p.due(), p.lease(), p.sort(url), p.guidmap(url), p.dead(url), p.polls(url), p.alias(url), p.unwell(),
		}
		removed, err := redis.Bool(s.run(ctx, "remove_source", keys, []any{id, url}))
		if err != nil {
			return fmt.Errorf("remove source %s: %w", id, err)
		}
		if removed { // else a poll that was under way has added entries
			return s.forgetPush(ctx, url)
		}
	}
}
