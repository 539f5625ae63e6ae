package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/signal"
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
	now := s.db.Now()
	var b core.Batch
	s.Sources.AskStates(&b, q.Alarm, q.Sources, q.Late)
	for _, typ := range q.Types {
		s.Articles.AskFeedState(&b, typ, q.Visits)
		s.Articles.AskFeedTimes(&b, typ)
	}
	s.Hub.AskHubState(&b)
	b.Add("XLEN", s.db.Signals())
	s.Signals.AskSignals(&b, q.Signals)
	s.Hub.AskHubCursor(&b)
	s.Ops.AskJobs(&b, q.Imports)
	minutes := s.db.AskMinutes(&b, now)
	required := b.Len() // those that follow may be refused
	b.Add("XINFO", "GROUPS", s.db.Signals())
	b.Add("SET", s.db.ReadyKey(), core.Stamp(now), "EX", 60)
	b.Add("INFO", "memory")
	b.Add("INFO", "persistence")
	replies, err := s.db.ExchangeRequired(ctx, "overview", &b, required)
	if err != nil {
		return view, found, err
	}
	a := core.Replies(replies)
	found.urls = s.Sources.ReadStates(&a, &view, q.Sources)
	for range q.Types {
		state, err := s.Articles.ReadFeedState(&a)
		if err != nil {
			return view, found, err
		}
		s.Articles.ReadFeedTimes(&a, &state)
		view.Feeds = append(view.Feeds, state)
	}
	view.Hub = s.Hub.ReadHubState(&a)
	view.StoredSignals = a.Count()
	if view.Signals, err = s.Signals.ReadSignals(&a); err != nil {
		return view, found, err
	}
	if cursor := a.Text(); cursor != "" {
		found.cursors = append(found.cursors, cursor)
	}
	found.imports = a.Texts()
	view.Minutes = minutes.Read(&a)
	found.readGroups(a.Next())
	view.Redis = redisStateFrom(a.Next(), a.Text()+a.Text())
	return view, found, nil
}

// readGroups notes how far the groups have come that read the outbox; there may be no outbox yet.
func (f *surveyed) readGroups(reply any) {
	groups, _ := redis.Values(reply, nil)
	for _, group := range groups {
		fields, err := core.GroupFields(group)
		if err != nil || fields["last-delivered-id"] == "" {
			continue
		}
		f.cursors = append(f.cursors, fields["last-delivered-id"])
		if fields["pending"] != "0" {
			f.pending = append(f.pending, fields["name"])
		}
	}
}

// redisStateFrom reads the answers to a write and to INFO, which some servers do not give, or not whole.
func redisStateFrom(written any, info string) (state feed.RedisState) {
	if refused, ok := written.(redis.Error); ok {
		state.WriteError = string(core.ClassOf(refused))
	}
	fields := make(map[string]string)
	for line := range strings.Lines(info) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			fields[name] = value
		}
	}
	state.MemoryUsed, _ = strconv.ParseInt(fields["used_memory"], 10, 64)
	state.MemoryLimit, _ = strconv.ParseInt(fields["maxmemory"], 10, 64)
	state.AppendOnly = fields["aof_enabled"] == "1"
	if seconds, _ := strconv.ParseInt(fields["rdb_last_save_time"], 10, 64); seconds > 0 {
		state.Saved = time.Unix(seconds, 0).UTC()
	}
	state.DiskFails = fields["rdb_last_bgsave_status"] == "err" || state.AppendOnly && fields["aof_last_write_status"] == "err"
	return state
}

// fillOverview is the second exchange: it reads what the first one has found.
func (s *Store) fillOverview(ctx context.Context, view *feed.Overview, found surveyed, q *feed.OverviewQuery) error {
	posts := signal.PostsOf(view.Signals)
	var b core.Batch
	s.Sources.AskListing(&b, found.urls)
	s.Entries.AskHeadlines(&b, posts)
	for _, id := range found.imports {
		s.Ops.AskJob(&b, id)
	}
	for _, cursor := range found.cursors {
		b.Add("XRANGE", s.db.Signals(), "("+cursor, "+", "COUNT", 1)
	}
	for _, group := range found.pending {
		b.Add("XPENDING", s.db.Signals(), group)
	}
	for _, typ := range q.Types {
		for _, uuid := range q.Blocked[typ] {
			s.Articles.AskArticle(&b, uuid, []string{typ}, false)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	replies, err := s.db.Exchange(ctx, "overview", &b)
	if err != nil {
		return err
	}
	a := core.Replies(replies)
	if view.Alarming, err = s.Sources.ReadListing(found.urls, &a); err != nil {
		return err
	}
	entries, err := s.Entries.ReadHeadlines(posts, &a)
	if err != nil {
		return err
	}
	signal.AddPosts(view.Signals, entries)
	for range found.imports {
		if job, err := s.Ops.ReadJob(&a); err == nil { // it may have expired since
			view.Imports = append(view.Imports, job.AsOf(s.db.Now()))
		}
	}
	for range found.cursors {
		if next, err := core.ParseRecords(a.Next()); err == nil && len(next) > 0 {
			view.OldestPending = core.Sooner(view.OldestPending, next[0].Time())
		}
	}
	for range found.pending {
		if summary, err := redis.Values(a.Next(), nil); err == nil && len(summary) > 1 && summary[1] != nil {
			id, _ := redis.String(summary[1], nil)
			oldest := core.Record{ID: id}
			view.OldestPending = core.Sooner(view.OldestPending, oldest.Time())
		}
	}
	for i, typ := range q.Types {
		for range q.Blocked[typ] {
			if blocked, ok := s.Articles.ReadArticle(&a, []string{typ}, false); ok && blocked.Feeds[typ].State == feed.StatePublished {
				view.Feeds[i].Published = append(view.Feeds[i].Published, blocked)
			}
		}
	}
	return nil
}
