package people

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// knownTTL is how long an address counts as known after a sign-in.
const knownTTL = 90 * 24 * time.Hour

// AddSession adds a session.
func (s *Store) AddSession(ctx context.Context, n feed.Session) error {
	seconds := func(d time.Duration) int { return int(d / time.Second) }
	_, err := s.db.Run(ctx, s.scripts["add_session"], []any{s.keys.session(n.Sum), s.keys.sessions(n.Account), s.keys.known(n.Account)}, []any{
		n.Sum, n.Address, feed.FormatTime(n.Created), feed.FormatTime(n.Created.Add(feed.SessionLife)),
		seconds(feed.SessionIdle), seconds(feed.SessionLife), seconds(knownTTL),
		"account", n.Account, "created", feed.FormatTime(n.Created), "seen", feed.FormatTime(n.Seen), "address", n.Address,
		"agent", n.Agent, "generation", n.Generation,
	})
	if err != nil {
		return fmt.Errorf("add a session of %s: %w", n.Account, err)
	}
	return nil
}

// Session returns the session with a hash, and the account that it should belong to, in one exchange. The caller checks
// feed.Session.Valid. feed.ErrNotFound: there is no such session or account.
func (s *Store) Session(ctx context.Context, sum, account string) (feed.Session, feed.Account, error) {
	replies, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HGETALL", s.keys.session(sum))
		b.Add("HGETALL", s.keys.account(account))
	})
	if err != nil {
		return feed.Session{}, feed.Account{}, fmt.Errorf("read a session of %s: %w", account, err)
	}
	n, err := sessionFrom(sum, replies[0])
	if err != nil {
		return feed.Session{}, feed.Account{}, fmt.Errorf("read a session of %s: %w", account, err)
	}
	a, err := accountFrom(replies[1])
	if err == nil && (n.Account == "" || a.Name == "") {
		err = feed.ErrNotFound
	}
	if err != nil {
		return n, a, fmt.Errorf("session of %s: %w", account, err)
	}
	return n, a, nil
}

// sessionFrom reads the hash of a session. If there is none, the account is empty.
func sessionFrom(sum string, reply any) (feed.Session, error) {
	f, err := redis.StringMap(reply, nil)
	generation, _ := strconv.ParseInt(f["generation"], 10, 64) // absent: 0
	return feed.Session{
		Sum: sum, Account: f["account"], Created: feed.ParseTime(f["created"]), Seen: feed.ParseTime(f["seen"]),
		Address: f["address"], Agent: f["agent"], Generation: generation,
	}, err
}

// TouchSession extends a session. It is a no-op if the session has ended.
func (s *Store) TouchSession(ctx context.Context, sum string) error {
	_, err := s.db.Run(ctx, s.scripts["touch_session"], []any{s.keys.session(sum)}, []any{s.db.Seconds(), int(feed.SessionIdle / time.Second)})
	if err != nil {
		return fmt.Errorf("touch a session: %w", err)
	}
	return nil
}

// EndSession ends a session. It is a no-op if the session has ended.
func (s *Store) EndSession(ctx context.Context, sum, account string) error {
	_, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("DEL", s.keys.session(sum))
		b.Add("ZREM", s.keys.sessions(account), sum) // a leftover is not listed: the session is gone
	})
	if err != nil {
		return fmt.Errorf("end a session of %s: %w", account, err)
	}
	return nil
}

// Sessions returns the valid sessions of an account, newest first. feed.ErrNotFound: there is no such account.
func (s *Store) Sessions(ctx context.Context, account string) ([]feed.Session, error) {
	replies, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HGETALL", s.keys.account(account))
		b.Add("ZREVRANGE", s.keys.sessions(account), 0, -1)
	})
	if err != nil {
		return nil, fmt.Errorf("list the sessions of %s: %w", account, err)
	}
	a, err := accountFrom(replies[0])
	if err == nil && a.Name == "" {
		err = feed.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("account %s: %w", account, err)
	}
	sums, err := redis.Strings(replies[1], nil)
	if err != nil {
		return nil, fmt.Errorf("list the sessions of %s: %w", account, err)
	}
	replies, err = s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, sum := range sums {
			b.Add("HGETALL", s.keys.session(sum))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("list the sessions of %s: %w", account, err)
	}
	var all []feed.Session
	for i, reply := range replies {
		n, err := sessionFrom(sums[i], reply)
		if err != nil {
			return nil, fmt.Errorf("read a session of %s: %w", account, err)
		}
		if n.Valid(&a, s.db.Now()) {
			all = append(all, n)
		}
	}
	return all, nil
}
