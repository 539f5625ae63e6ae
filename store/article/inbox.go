package article

import (
	"context"
	"errors"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Dismiss takes articles out of the inbox for a person, or with restore puts dismissed articles back, in one exchange, each
// independently of the others. A rule does not publish a dismissed article. A repeated call with the same id returns the first
// result for 24 h; an id may not be used for anything else. Undo reverts it for an hour.
//
// The error of a result is feed.ErrConflict if the article was published, and feed.ErrNotFound if there is no such article.
func (s *Store) Dismiss(ctx context.Context, id string, uuids []string, restore bool) ([]feed.DecisionResult, error) {
	how := "dismiss"
	if restore {
		how = "restore"
	}
	all, calls := make([]feed.DecisionResult, len(uuids)), make([]core.Invocation, len(uuids))
	for i, uuid := range uuids {
		all[i] = feed.DecisionResult{UUID: uuid}
		calls[i] = s.dismissal(uuid, s.keys.request(id+" "+uuid), s.keys.undo(id))
		calls[i].Args = append(calls[i].Args, s.db.Stamp(), how)
	}
	return all, core.Wrap(s.runDecisions(ctx, "dismiss_article", calls, all), "%s %d articles", how, len(uuids))
}

// dismissal returns the keys and the arguments with which the scripts about the inbox begin, and more keys.
func (s *Store) dismissal(uuid string, more ...any) core.Invocation {
	keys := append([]any{s.keys.article(uuid), s.keys.inbox(), s.keys.dismissed()}, more...)
	return core.Invocation{Keys: keys, Args: []any{uuid, s.keys.Prefix()}}
}

// QueryInboxSize adds the command that counts the inbox.
func (s *Store) QueryInboxSize(b *core.Batch) { b.Add("ZCARD", s.keys.inbox()) }

// InboxSize returns the number of articles to review.
func (s *Store) InboxSize(ctx context.Context) (int, error) {
	n, err := redis.Int(s.db.Do(ctx, group, "ZCARD", s.keys.inbox()))
	return n, core.Wrap(err, "count the inbox")
}

// Neighbours returns the article before and the one after an article in the inbox, or in the list of all articles by their last change;
// empty: there is none. For an article that left the inbox it returns those that surround its date.
func (s *Store) Neighbours(ctx context.Context, a *feed.Article, inbox bool) (before, after string, err error) {
	key, score := s.keys.articles(), core.Stamp(a.Updated)
	if inbox {
		key = s.keys.inbox()
		if !a.Published.IsZero() && a.Published.Before(a.Updated) {
			score = core.Stamp(a.Published)
		}
	}
	rank, err := redis.Int(s.db.Do(ctx, group, "ZREVRANK", key, a.UUID))
	last := rank + 1
	if errors.Is(err, redis.ErrNil) {
		rank, err = redis.Int(s.db.Do(ctx, group, "ZCOUNT", key, "("+score, "+inf"))
		last = rank
	}
	var around []string
	if err == nil {
		around, err = redis.Strings(s.db.Do(ctx, group, "ZREVRANGE", key, max(0, rank-1), last))
	}
	around = slices.DeleteFunc(around, func(uuid string) bool { return uuid == a.UUID })
	if rank > 0 && len(around) > 0 {
		before, around = around[0], around[1:]
	}
	if len(around) > 0 {
		after = around[0]
	}
	return before, after, core.Wrap(err, "find the neighbours of article %s", a.UUID)
}

// indexBatch is how many articles IndexInbox reads at a time.
const indexBatch = 500

// IndexInbox adds the articles without a decision to the inbox of a store that had none. It is safe to repeat.
func (s *Store) IndexInbox(ctx context.Context) error {
	for cursor := "0"; ; {
		reply, err := redis.Values(s.db.Do(ctx, "upgrade", "ZSCAN", s.keys.articles(), cursor, "COUNT", indexBatch))
		var uuids map[string]string
		if err == nil {
			cursor, _ = redis.String(reply[0], nil) // ZSCAN returns a cursor and members with scores
			uuids, err = redis.StringMap(reply[1], nil)
		}
		var calls []core.Invocation
		for uuid := range uuids {
			calls = append(calls, s.dismissal(uuid))
		}
		if len(calls) > 0 {
			_, err = s.db.RunMany(ctx, s.scripts["index_inbox"], calls)
		}
		if err != nil || cursor == "0" {
			return core.Wrap(err, "index the inbox")
		}
	}
}
