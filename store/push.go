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
	url, err := redis.String(s.do(ctx, "HGET", s.keys.pushTokens(), token))
	if err == redis.ErrNil { //nolint:errorlint // redigo returns it unwrapped
		return feed.Callback{}, fmt.Errorf("callback: %w", feed.ErrNotFound)
	}
	if err != nil {
		return feed.Callback{}, err
	}
	all, err := s.loadCallbacks(ctx, []string{url, token})
	if err != nil {
		return feed.Callback{}, err
	}
	for _, c := range all {
		if c.Token == token {
			return c, nil
		}
	}
	return feed.Callback{}, fmt.Errorf("callback: %w", feed.ErrNotFound)
}

// SourceCallback is the subscription of a source, or an empty one with its URL where there is none.
func (s *Store) SourceCallback(ctx context.Context, feedURL string) (feed.Callback, error) {
	all, err := s.loadCallbacks(ctx, []string{feedURL})
	if err != nil {
		return feed.Callback{}, err
	}
	return all[0], nil
}

// loadCallbacks reads callbacks by their members of push:due in one pipeline; what does not exist is empty.
func (s *Store) loadCallbacks(ctx context.Context, members []string) ([]feed.Callback, error) {
	replies, err := s.pipeline(ctx, "callbacks", func(b *batch) {
		for _, m := range members {
			b.add("HGETALL", s.callbackKey(m))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read callbacks: %w", err)
	}
	all := make([]feed.Callback, len(members))
	for i, m := range members {
		fields, err := redis.StringMap(replies[i], nil)
		if err != nil {
			return nil, fmt.Errorf("read callbacks: %w", err)
		}
		all[i] = callbackFrom(m, fields)
	}
	return all, nil
}

// callbackKey is the key of a callback by its member of push:due: only URLs have a colon.
func (s *Store) callbackKey(member string) string {
	if strings.Contains(member, ":") {
		return s.keys.push(member)
	}
	return s.keys.leaving(member)
}

func callbackMember(c *feed.Callback) string {
	if c.State == feed.PushLeaving {
		return c.Token
	}
	return c.FeedURL
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
	args := []any{
		mustExist, callbackMember(&before), before.FeedURL, before.Revision, after.Revision, preciseTime(after.Due), s.stamp(),
		before.Token, after.Token, leaves,
	}
	if !forget {
		args = append(args, callbackFields(&after)...)
	}
	keys := []any{
		s.callbackKey(callbackMember(&before)), s.keys.pushTokens(), s.keys.pushDue(), s.keys.feeds(), s.keys.leaving(before.Token),
	}
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
	members, err := redis.Strings(s.run(ctx, "claim_callbacks",
		[]any{s.keys.pushDue()}, []any{stamp(now), limit, stamp(now.Add(lease))}))
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("claim callbacks: %w", err)
	}
	next := feed.ParseTime(members[0])
	all, err := s.loadCallbacks(ctx, members[1:])
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
		if _, err := s.do(ctx, "ZREM", s.keys.pushDue(), members[1+i]); err != nil {
			return claimed, next, err
		}
	}
	return claimed, next, nil
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
	_, err := s.do(ctx, "DEL", s.keys.push(url))
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
