package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// Callback is the subscription whose callback URL has this token, which its source may have given up.
// feed.ErrNotFound when there is none.
func (s *Store) Callback(ctx context.Context, token string) (feed.Callback, error) {
	replies, err := s.askParts(ctx, "callbacks", func(p part) []any { return []any{"HGET", p.pushTokens(), token} })
	if err != nil {
		return feed.Callback{}, fmt.Errorf("look for a callback: %w", err)
	}
	for a := answers(replies); len(a) > 0; {
		url := a.text()
		if url == "" {
			continue
		}
		p := s.keys.of(url)
		all, err := s.loadCallbacks(ctx, []callbackRef{{p, url}, {p, token}})
		if err != nil {
			return feed.Callback{}, err
		}
		for _, c := range all {
			if c.Token == token {
				return c, nil
			}
		}
	}
	return feed.Callback{}, fmt.Errorf("callback: %w", feed.ErrNotFound)
}

// SourceCallback is the subscription of a source, or an empty one with its URL where there is none.
func (s *Store) SourceCallback(ctx context.Context, feedURL string) (feed.Callback, error) {
	all, err := s.loadCallbacks(ctx, []callbackRef{{s.keys.of(feedURL), feedURL}})
	if err != nil {
		return feed.Callback{}, err
	}
	return all[0], nil
}

// callbackRef names a callback by its member of push:due in a part.
type callbackRef struct {
	part
	member string
}

// key is the key of the callback: only URLs have a colon.
func (r callbackRef) key() string {
	if strings.Contains(r.member, ":") {
		return r.push(r.member)
	}
	return r.leaving(r.member)
}

// loadCallbacks reads callbacks in one pipeline; what does not exist is empty.
func (s *Store) loadCallbacks(ctx context.Context, refs []callbackRef) ([]feed.Callback, error) {
	replies, err := s.pipeline(ctx, "callbacks", func(b *batch) {
		for _, r := range refs {
			b.add("HGETALL", r.key())
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read callbacks: %w", err)
	}
	all := make([]feed.Callback, len(refs))
	for i, r := range refs {
		fields, err := redis.StringMap(replies[i], nil)
		if err != nil {
			return nil, fmt.Errorf("read callbacks: %w", err)
		}
		all[i] = callbackFrom(r.member, fields)
	}
	return all, nil
}

func (s *Store) callbackRef(c *feed.Callback) callbackRef {
	ref := callbackRef{s.keys.of(c.FeedURL), c.FeedURL}
	if c.State == feed.PushLeaving {
		ref.member = c.Token
	}
	return ref
}

// ReplaceCallback writes a callback in place of the one that was read. Where the token differs, the one before becomes a
// subscription of its own, of state feed.PushLeaving and due at once. A callback of that state is forgotten by writing it
// without a token. feed.ErrConflict: somebody has written it since; feed.ErrNotFound: it would be a new subscription, and
// the source is not known any more. Nothing is written then. It returns the callback as it is stored.
func (s *Store) ReplaceCallback(ctx context.Context, before, after feed.Callback) (feed.Callback, error) {
	leaving := before.State == feed.PushLeaving
	forget := leaving && after.Token == ""
	mustExist, leaves := "", "1"
	if after.Token != "" && after.Token != before.Token {
		mustExist = feed.SourceID(before.FeedURL)
	}
	if leaving {
		leaves = ""
	}
	if forget {
		after.Due = time.Time{}
	}
	after.FeedURL, after.Revision = before.FeedURL, rand.Text()
	ref := s.callbackRef(&before)
	args := []any{
		mustExist, ref.member, before.FeedURL, before.Revision, after.Revision, preciseTime(after.Due), s.stamp(),
		before.Token, after.Token, leaves,
	}
	if !forget {
		args = append(args, callbackFields(&after)...)
	}
	keys := []any{ref.key(), ref.pushTokens(), ref.pushDue(), ref.feeds(), ref.leaving(before.Token)}
	done, err := redis.Int(s.run(ctx, "replace_callback", keys, args))
	switch {
	case err != nil:
	case done == 0:
		err = feed.ErrConflict
	case done < 0:
		err = fmt.Errorf("source %w", feed.ErrNotFound)
	}
	if err != nil {
		return feed.Callback{}, fmt.Errorf("write callback of %s: %w", before.FeedURL, err)
	}
	return after, nil
}

// ClaimCallbacks claims at most limit callbacks that are due, those due longest first, and says when the next one comes
// due (the zero time: none). What is claimed comes due again when the lease ends, or when its next Due says.
func (s *Store) ClaimCallbacks(ctx context.Context, limit int, lease time.Duration) ([]feed.Callback, time.Time, error) {
	now := s.opts.Now()
	refs, next, err := s.claimCallbacks(ctx, now, limit, now.Add(lease))
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("claim callbacks: %w", err)
	}
	all, err := s.loadCallbacks(ctx, refs)
	if err != nil {
		return nil, next, err
	}
	claimed := all[:0]
	for i, c := range all {
		if c.Token != "" {
			claimed = append(claimed, c)
			continue
		}
		// What is due but no callback any more was left by a removal that was cut short.
		if _, err := s.do(ctx, "ZREM", refs[i].pushDue(), refs[i].member); err != nil {
			return claimed, next, err
		}
	}
	return claimed, next, nil
}

// claimCallbacks claims in each part its share.
func (s *Store) claimCallbacks(ctx context.Context, now time.Time, limit int, until time.Time) (refs []callbackRef, next time.Time, err error) {
	shares, err := s.dueShares(ctx, "callbacks", part.pushDue, stamp(now), limit)
	if err != nil {
		return nil, next, err
	}
	calls := make([][]any, len(shares))
	for i, sh := range shares {
		calls[i] = s.withKeys([]any{sh.pushDue()}, []any{stamp(now), sh.count, stamp(until)})
	}
	replies, err := s.runMany(ctx, "claim_callbacks", calls)
	if err != nil {
		return nil, next, err
	}
	for i, reply := range replies {
		words, err := redis.Strings(reply, nil)
		if err != nil {
			return nil, next, err
		}
		next = feed.ParseTime(words[0])
		for _, member := range words[1:] {
			refs = append(refs, callbackRef{shares[i].part, member})
		}
	}
	if s.keys.partitioned() {
		next, err = s.nextIn(ctx, "callbacks", part.pushDue)
	}
	return refs, next, err
}

// How soon after a poll there is another one for a hub's sake. It is shorter than what a person has to wait, because a
// ping is the publisher's own word that there is something new, and a bound all the same.
const (
	pingFloor       = 3 * time.Second
	pingFloorFailed = time.Minute // where that poll failed: the server has trouble enough
)

// PollSoon makes a source due for the sake of its hub: now, or 3 s after its last poll, or a minute after one that
// failed; but not before a Retry-After of its server, and never where that said 410. Why is told to people. feed.ErrConflict when it is paused.
func (s *Store) PollSoon(ctx context.Context, id, why string) error {
	return s.schedule(ctx, id, schedule{how: "ping", floor: pingFloor, failed: pingFloorFailed, why: why})
}

// leaveHub gives the subscription of a source up; its hub is told later.
func (s *Store) leaveHub(ctx context.Context, url string) error {
	for {
		c, err := s.SourceCallback(ctx, url)
		if err != nil || c.Token == "" {
			return err
		}
		left := c
		left.Leave(s.opts.Now())
		if _, err := s.ReplaceCallback(ctx, c, left); !errors.Is(err, feed.ErrConflict) {
			return err
		}
	}
}

// forgetPush drops what is known of the hub of a source that was removed.
func (s *Store) forgetPush(ctx context.Context, url string) error {
	if err := s.leaveHub(ctx, url); err != nil {
		return err
	}
	_, err := s.do(ctx, "DEL", s.keys.of(url).push(url))
	return err
}

// callbackFrom reads the hash of a callback.
func callbackFrom(member string, m map[string]string) feed.Callback {
	number := func(name string) int {
		n, _ := strconv.Atoi(m[name]) // absent: 0
		return n
	}
	c := feed.Callback{
		FeedURL: member,
		Push: feed.Push{
			State: feed.PushState(m["state"]), Hub: m["hub"], Topic: m["topic"],
			Since: feed.ParseTime(m["since"]), LeaseEnd: feed.ParseTime(m["lease_end"]), LastPush: feed.ParseTime(m["last_push"]),
			LastPing: feed.ParseTime(m["last_ping"]),
			Pushes:   number("pushes"), Refused: number("refused"), Missed: number("missed"), Errors: number("errors"),
			ErrorText: m["error_text"],
		},
		Token: m["token"], Secret: m["secret"], Asked: m["asked"], Until: feed.ParseTime(m["until"]),
		Due: feed.ParseTime(m["due"]), Revision: m["revision"],
	}
	if url := m["feed_url"]; url != "" {
		c.FeedURL = url
	}
	return c
}

// callbackFields writes a callback as the fields of its hash.
func callbackFields(c *feed.Callback) (fields []any) {
	put := func(name, value string) {
		if value != "" && value != "0" {
			fields = append(fields, name, value)
		}
	}
	put("feed_url", c.FeedURL)
	put("state", string(c.State))
	put("hub", c.Hub)
	put("topic", c.Topic)
	put("since", preciseTime(c.Since))
	put("lease_end", preciseTime(c.LeaseEnd))
	put("last_push", preciseTime(c.LastPush))
	put("last_ping", preciseTime(c.LastPing))
	put("pushes", strconv.Itoa(c.Pushes))
	put("refused", strconv.Itoa(c.Refused))
	put("missed", strconv.Itoa(c.Missed))
	put("errors", strconv.Itoa(c.Errors))
	put("error_text", c.ErrorText)
	put("token", c.Token)
	put("secret", c.Secret)
	put("asked", c.Asked)
	put("until", preciseTime(c.Until))
	put("due", preciseTime(c.Due))
	put("revision", c.Revision)
	return fields
}

// preciseTime is stamp, and nothing for the zero time.
func preciseTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return stamp(t)
}
