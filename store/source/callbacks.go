package source

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Callback returns the subscription whose callback URL has a token. Its source may be ending it. feed.ErrNotFound: there is none.
func (s *Store) Callback(ctx context.Context, token string) (feed.PushSubscription, error) {
	r, err := s.db.QueryAll(ctx, groupPush, func(k core.Keyspace) []any { return []any{"HGET", keys{Keyspace: k}.pushTokens(), token} })
	if err != nil {
		return feed.PushSubscription{}, fmt.Errorf("find a callback: %w", err)
	}
	url := ""
	for len(r) > 0 {
		url = cmp.Or(url, r.Text())
	}
	at := s.db.Source(url)
	all, err := s.loadCallbacks(ctx, []callbackRef{{at, url}, {at, token}})
	for _, c := range all {
		if c.Token == token {
			return c.PushSubscription, nil
		}
		err = cmp.Or(err, c.damage)
	}
	return feed.PushSubscription{}, core.Wrap(cmp.Or(err, feed.ErrNotFound), "callback")
}

// SourceCallback returns the subscription of a source. If there is none, only FeedURL is set.
func (s *Store) SourceCallback(ctx context.Context, feedURL string) (feed.PushSubscription, error) {
	all, err := s.loadCallbacks(ctx, []callbackRef{{s.db.Source(feedURL), feedURL}})
	if err != nil {
		return feed.PushSubscription{}, err
	}
	return all[0].PushSubscription, all[0].damage
}

// callbackRef names a callback by its member of push:due: the URL of a source, or the token of a subscription to end.
type callbackRef struct {
	core.Keyspace
	member string
}

// key returns the key of the callback. Only URLs have a colon.
func (r callbackRef) key() string {
	if strings.Contains(r.member, ":") {
		return keys{r.Keyspace, r.member}.push()
	}
	return keys{Keyspace: r.Keyspace}.leaving(r.member)
}

// loaded is a callback that was read.
type loaded struct {
	feed.PushSubscription

	damage error // feed.ErrDamaged if its key holds another type; then only FeedURL is set
}

// loadCallbacks reads callbacks. If one does not exist, only its FeedURL is set.
func (s *Store) loadCallbacks(ctx context.Context, refs []callbackRef) ([]loaded, error) {
	replies, err := s.db.Pipeline(ctx, groupPush, func(b *core.Batch) {
		b.ReturnDamage()
		for _, r := range refs {
			b.Add("HGETALL", r.key())
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read callbacks: %w", err)
	}
	all := make([]loaded, len(refs))
	for i, r := range refs {
		if _, damaged := replies[i].(redis.Error); damaged {
			all[i] = loaded{feed.PushSubscription{FeedURL: r.member}, damagedHash(r.key())}
			continue
		}
		fields, err := redis.StringMap(replies[i], nil)
		if err != nil {
			return nil, fmt.Errorf("read callbacks: %w", err)
		}
		all[i].PushSubscription = callbackFrom(r.member, fields)
	}
	return all, nil
}

// ReplaceCallback replaces a callback that was read, and returns it as stored. If the token changes, the previous callback becomes a
// subscription to end: its state is feed.PushLeaving, and it is due at once. To write such a callback without a token deletes it.
// feed.ErrConflict: someone else changed the callback since; feed.ErrNotFound: it would be a new subscription of a source that does
// not exist. Both write nothing.
func (s *Store) ReplaceCallback(ctx context.Context, before, after feed.PushSubscription) (feed.PushSubscription, error) {
	leaving := before.State == feed.PushLeaving
	remove := leaving && after.Token == ""
	mustExist, leaves := "", "1"
	if after.Token != "" && after.Token != before.Token {
		mustExist = feed.SourceID(before.FeedURL)
	}
	if leaving {
		leaves = ""
	}
	if remove {
		after.Due = time.Time{}
	}
	after.FeedURL, after.Revision = before.FeedURL, rand.Text()
	ref := callbackRef{s.db.Source(before.FeedURL), before.FeedURL}
	if leaving {
		ref.member = before.Token
	}
	args := []any{
		mustExist, ref.member, before.FeedURL, before.Revision, after.Revision, core.StampOrNone(after.Due), s.db.Stamp(),
		before.Token, after.Token, leaves,
	}
	if !remove {
		fields, _ := callbackFields.Changes(&feed.PushSubscription{}, &after)
		args = append(args, fields...)
	}
	k := s.of(before.FeedURL)
	done, err := redis.Int(s.db.Run(ctx, s.scripts["replace_callback"],
		[]any{ref.key(), k.pushTokens(), k.pushDue(), k.feeds(), k.leaving(before.Token)}, args))
	switch {
	case err != nil:
	case done == 0:
		err = feed.ErrConflict
	case done < 0:
		err = fmt.Errorf("source %w", feed.ErrNotFound)
	}
	return after, core.Wrap(err, "write callback of %s", before.FeedURL)
}

// ClaimCallbacks claims up to limit due callbacks, oldest due first, and returns when the next one is due (zero: never). A callback
// is due again when the claim ends, unless it is replaced.
func (s *Store) ClaimCallbacks(ctx context.Context, limit int, lease time.Duration) ([]feed.PushSubscription, time.Time, error) {
	now := s.db.Now()
	parts, err := s.db.ClaimDue(ctx, groupPush, pushDueSet, limit, now, s.scripts["claim_callbacks"], 1, func(_ int, share core.Share) core.Invocation {
		return core.Invocation{
			Keys: []any{keys{Keyspace: share.Keyspace}.pushDue()}, Args: []any{core.Stamp(now), share.Count, core.Stamp(now.Add(lease))},
		}
	})
	var refs []callbackRef
	for _, part := range parts {
		for _, member := range part.Words {
			refs = append(refs, callbackRef{part.Keyspace, member})
		}
	}
	var next time.Time
	if err == nil {
		next, err = s.db.NextDue(ctx, groupPush, pushDueSet)
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("claim callbacks: %w", err)
	}
	all, err := s.loadCallbacks(ctx, refs)
	if err != nil {
		return nil, next, err
	}
	var claimed []feed.PushSubscription
	for i, c := range all {
		if c.Token != "" {
			claimed = append(claimed, c.PushSubscription)
			continue
		}
		due := keys{Keyspace: refs[i].Keyspace}.pushDue()
		change := []any{due, refs[i].member}
		command := "ZREM" // leftover of an interrupted removal
		if c.damage != nil {
			again := now.Add(damagedDelay)
			command, change, next = "ZADD", []any{due, "XX", core.Stamp(again), refs[i].member}, core.Sooner(next, again)
		}
		if _, err := s.db.Do(ctx, groupPush, command, change...); err != nil {
			return claimed, next, err
		}
	}
	return claimed, next, nil
}

// leaveHub ends the subscription of a source. The subscriber unsubscribes at the hub later.
func (s *Store) leaveHub(ctx context.Context, url string) error {
	for {
		c, err := s.SourceCallback(ctx, url)
		if err != nil || c.Token == "" {
			return err
		}
		left := c
		left.Leave(s.db.Now())
		if _, err := s.ReplaceCallback(ctx, c, left); !errors.Is(err, feed.ErrConflict) {
			return err
		}
	}
}
