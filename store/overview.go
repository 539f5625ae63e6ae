package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// Overview looks at the whole wire, in two exchanges however much there is. It takes a test write along: where Redis
// refuses that and answers the rest, the overview tells why.
func (s *Store) Overview(ctx context.Context, q feed.OverviewQuery) (feed.Overview, error) {
	view, found, err := s.survey(ctx, &q)
	if err == nil {
		err = s.fillOverview(ctx, &view, found, &q)
	}
	if err != nil {
		return feed.Overview{}, fmt.Errorf("look at everything: %w", err)
	}
	return view, nil
}

// surveyed is what the first exchange of an overview leads to.
type surveyed struct {
	urls    []string // of alarming sources
	imports []string // ids
	cursors []string // ids of the last signals that readers of the outbox were given, or have handled
	pending []string // groups that were given signals which they have not acknowledged
}

// survey is the first exchange: what can be counted, and the names of what is to be read.
func (s *Store) survey(ctx context.Context, q *feed.OverviewQuery) (view feed.Overview, found surveyed, err error) {
	now := s.opts.Now()
	var b batch
	for _, p := range s.keys.parts {
		b.add("HLEN", p.feeds())
		b.add("ZCOUNT", p.unwell(), scorePaused, scorePaused)
		b.add("ZCOUNT", p.unwell(), 0, fmt.Sprintf("(%d", scoreGone))
		b.add("ZCOUNT", p.unwell(), scoreGone, "+inf")
		b.add("ZCOUNT", p.unwell(), q.Alarm, "+inf")
		b.add("ZREVRANGEBYSCORE", p.unwell(), "+inf", q.Alarm, "WITHSCORES", "LIMIT", 0, q.Sources)
		b.add("ZCOUNT", p.due(), "-inf", "("+stamp(q.Late))
	}
	for _, typ := range q.Types {
		s.askState(&b, typ, q.Visits)
		for _, state := range feed.States()[1:] {
			b.add("ZREVRANGE", s.keys.placed(state, typ), 0, 0, "WITHSCORES")
		}
		b.add("ZRANGE", s.keys.placed(feed.StatePublished, typ), 0, 0, "WITHSCORES")
	}
	s.askHub(&b)
	b.add("XLEN", s.keys.signals())
	b.add("XREVRANGE", s.keys.signals(), "+", "-", "COUNT", q.Signals)
	b.add("GET", s.keys.hub("cursor"))
	b.add("ZRANGE", s.keys.jobs(), 0, q.Imports-1)
	minutes, open := s.minutes.known(now)
	for _, i := range open {
		for _, key := range s.keys.activities(minuteAt(now, i)) {
			b.add("HGETALL", key)
		}
	}
	sure := len(b.commands) // those that follow may be refused
	b.add("XINFO", "GROUPS", s.keys.signals())
	b.add("SET", s.keys.ready(), stamp(now), "EX", 60)
	b.add("INFO", "memory")
	b.add("INFO", "persistence")
	reply, err := s.call(ctx, "overview", func(c redis.Conn) (any, error) {
		replies, err := converse(c, b.commands)
		if err == nil {
			err = refusedIn(replies[:sure])
		}
		return replies, err
	})
	if err != nil {
		return view, found, err
	}
	a := answers(reply.([]any))
	s.countSources(&a, &view, &found, q.Sources)
	for range q.Types {
		state, err := stateFrom(a.take(stateReplies))
		if err != nil {
			return view, found, err
		}
		for range feed.States()[1:] {
			if at := a.score(); at.After(state.Changed) {
				state.Changed = at
			}
		}
		state.Oldest = a.score()
		view.Feeds = append(view.Feeds, state)
	}
	view.Hub = hubFrom(a.take(hubReplies))
	view.Kept = a.count()
	records, err := parseRecords(a.next())
	if err != nil {
		return view, found, err
	}
	view.Signals = signalsFrom(records)
	if cursor := a.text(); cursor != "" {
		found.cursors = append(found.cursors, cursor)
	}
	found.imports = a.texts()
	for _, i := range open {
		minutes[i] = minuteFrom(a.take(len(s.keys.activities(now))))
	}
	if view.Minutes = minutes; s.keys.partitioned() {
		s.minutes.keep(now, minutes)
	}
	found.readGroups(a.next())
	view.Redis = redisStateFrom(a.next(), a.text()+a.text())
	return view, found, nil
}

// countSources reads what the parts answered about their sources.
func (s *Store) countSources(a *answers, view *feed.Overview, found *surveyed, most int) {
	var all, paused, failing, gone int
	var alarming []feed.Cursor
	for range s.keys.parts {
		all, paused, failing, gone = all+a.count(), paused+a.count(), failing+a.count(), gone+a.count()
		view.Alarms += a.count()
		alarming = append(alarming, a.places()...)
		view.Late += a.count()
	}
	view.Sources = map[feed.SourceState]int{
		feed.SourceActive: max(0, all-paused-failing-gone), feed.SourcePaused: paused, feed.SourceFailing: failing, feed.SourceGone: gone,
	}
	slices.SortStableFunc(alarming, func(a, b feed.Cursor) int { return cmp.Compare(b.Score, a.Score) })
	for _, place := range alarming[:min(most, len(alarming))] {
		found.urls = append(found.urls, place.Member)
	}
}

// answers are replies that are taken one after the other, as they were asked for.
type answers []any

func (a *answers) take(n int) []any {
	taken := (*a)[:n]
	*a = (*a)[n:]
	return taken
}

func (a *answers) next() any { return a.take(1)[0] }

func (a *answers) count() int {
	n, _ := redis.Int(a.next(), nil) // the command answers a number
	return n
}

// text is empty where there is none, or the command was refused.
func (a *answers) text() string {
	text, _ := redis.String(a.next(), nil)
	return text
}

func (a *answers) texts() []string {
	list, _ := redis.Strings(a.next(), nil) // the command answers a list
	return list
}

// score is that of the one member asked for; zero: there is none.
func (a *answers) score() time.Time {
	if place := a.texts(); len(place) == 2 {
		return feed.ParseTime(place[1])
	}
	return time.Time{}
}

// places are members of a sorted set with their scores.
func (a *answers) places() []feed.Cursor {
	flat := a.texts()
	all := make([]feed.Cursor, 0, len(flat)/2)
	for i := 0; i+1 < len(flat); i += 2 {
		score, _ := strconv.ParseFloat(flat[i+1], 64) // the command answers a number
		all = append(all, feed.Cursor{Score: score, Member: flat[i]})
	}
	return all
}

// readGroups notes how far the groups have come that read the outbox; there may be no outbox yet.
func (f *surveyed) readGroups(reply any) {
	groups, _ := redis.Values(reply, nil)
	for _, group := range groups {
		fields, err := groupFields(group)
		if err != nil || fields["last-delivered-id"] == "" {
			continue
		}
		f.cursors = append(f.cursors, fields["last-delivered-id"])
		if fields["pending"] != "0" {
			f.pending = append(f.pending, fields["name"])
		}
	}
}

// minuteFrom sums up the hashes activity:<n> of one minute; one that is not there says that nothing happened.
func minuteFrom(replies []any) feed.Minute {
	n := make(map[string]int)
	for _, reply := range replies {
		counts, _ := redis.IntMap(reply, nil)
		for name, count := range counts {
			n[name] += count
		}
	}
	return feed.Minute{
		Polls: n["polls"], Failed: n["failed"], Created: n["created"], Modified: n["modified"], Signals: n["signals"],
		Published: n["published"], Impressions: n["impressions"], Imported: n["imported"],
	}
}

// redisStateFrom reads the answers to a write and to INFO, which some servers do not give, or not whole.
func redisStateFrom(written any, info string) (state feed.RedisState) {
	if refused, ok := written.(redis.Error); ok {
		state.Refuses = string(ClassOf(refused))
	}
	fields := make(map[string]string)
	for line := range strings.Lines(info) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			fields[name] = value
		}
	}
	state.Used, _ = strconv.ParseInt(fields["used_memory"], 10, 64)
	state.Most, _ = strconv.ParseInt(fields["maxmemory"], 10, 64)
	state.AppendOnly = fields["aof_enabled"] == "1"
	if seconds, _ := strconv.ParseInt(fields["rdb_last_save_time"], 10, 64); seconds > 0 {
		state.Saved = time.Unix(seconds, 0).UTC()
	}
	state.DiskFails = fields["rdb_last_bgsave_status"] == "err" || state.AppendOnly && fields["aof_last_write_status"] == "err"
	return state
}

// fillOverview is the second exchange: it reads what the first one has found.
func (s *Store) fillOverview(ctx context.Context, view *feed.Overview, found surveyed, q *feed.OverviewQuery) error {
	posts := postsOf(view.Signals)
	var b batch
	s.askListing(&b, found.urls)
	s.askHeadlines(&b, posts)
	for _, id := range found.imports {
		b.add("GET", s.keys.job(id))
	}
	for _, cursor := range found.cursors {
		b.add("XRANGE", s.keys.signals(), "("+cursor, "+", "COUNT", 1)
	}
	for _, group := range found.pending {
		b.add("XPENDING", s.keys.signals(), group)
	}
	for _, typ := range q.Types {
		for _, uuid := range q.Held[typ] {
			s.askArticle(&b, uuid, []string{typ}, false)
		}
	}
	if len(b.commands) == 0 {
		return nil
	}
	reply, err := s.call(ctx, "overview", func(c redis.Conn) (any, error) { return exchange(c, b.commands) })
	if err != nil {
		return err
	}
	a := answers(reply.([]any))
	if view.Alarming, err = appendListing(nil, found.urls, a.take(len(found.urls))); err != nil {
		return err
	}
	entries, err := headlinesFrom(posts, a.take(len(posts)))
	if err != nil {
		return err
	}
	joinPosts(view.Signals, entries)
	for range found.imports {
		if job, err := s.jobFrom(a.next()); err == nil { // it may have ended and been forgotten since
			view.Imports = append(view.Imports, job.Seen(s.opts.Now()))
		}
	}
	for range found.cursors {
		if next, err := parseRecords(a.next()); err == nil && len(next) > 0 {
			view.Waits = sooner(view.Waits, next[0].time())
		}
	}
	for range found.pending {
		if summary, err := redis.Values(a.next(), nil); err == nil && len(summary) > 1 && summary[1] != nil {
			id, _ := redis.String(summary[1], nil)
			oldest := record{id: id}
			view.Waits = sooner(view.Waits, oldest.time())
		}
	}
	for i, typ := range q.Types {
		uuids, one := q.Held[typ], []string{typ}
		held, err := articlesFromReplies(uuids, one, a.take(len(uuids)*articleReplies(one, false)), false)
		if err != nil {
			return err
		}
		view.Feeds[i].Out = slices.DeleteFunc(held, func(h feed.Article) bool { return h.Feeds[typ].State != feed.StatePublished })
	}
	return nil
}

// sooner is the earlier of two times, of which the first may not be known.
func sooner(known, other time.Time) time.Time {
	if known.IsZero() || other.Before(known) {
		return other
	}
	return known
}
