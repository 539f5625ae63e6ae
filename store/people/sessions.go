package people

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// knownTTL is how long an address counts as known after a sign-in.
const knownTTL = 90 * 24 * time.Hour

// AddSession adds a session.
func (s *Store) AddSession(ctx context.Context, n feed.Session) error {
	seconds := func(d time.Duration) int { return int(d / time.Second) }
	_, err := s.db.Run(ctx, s.scripts["add_session"], []any{s.keys.session(n.Sum), s.keys.sessions(n.Account), s.keys.known(n.Account)}, []any{
		n.Sum, feed.NetworkOf(n.Address), feed.FormatTime(n.Created), feed.FormatTime(n.Created.Add(feed.SessionLife)),
		seconds(feed.SessionIdle), seconds(feed.SessionLife), seconds(knownTTL),
		"account", n.Account, "created", feed.FormatTime(n.Created), "seen", feed.FormatTime(n.Seen), "address", n.Address,
		"agent", n.Agent, "generation", n.Generation,
	})
	return core.Wrap(err, "add a session of %s", n.Account)
}

// Session returns the session with a hash, and the account that it should belong to, in one exchange. The caller checks
// feed.Session.Valid. feed.ErrNotFound: there is no such session or account.
func (s *Store) Session(ctx context.Context, sum, account string) (n feed.Session, a feed.Account, err error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HGETALL", s.keys.session(sum))
		b.Add("HGETALL", s.keys.account(account))
	})
	if err == nil {
		n, a = sessionFrom(sum, r.Map()), accountFrom(r.Map())
	}
	return n, a, core.Wrap(core.Unless(n.Account != "" && a.Name != "", err, feed.ErrNotFound), "session of %s", account)
}

// sessionFrom reads the hash of a session. If there is none, the account is empty.
func sessionFrom(sum string, hash map[string]string) feed.Session {
	n := feed.Session{Sum: sum}
	sessionFields.Read(hash, &n)
	return n
}

var sessionFields = core.FieldsOf[feed.Session]()

// TouchSession extends a session. It is a no-op if the session has ended.
func (s *Store) TouchSession(ctx context.Context, sum string) error {
	_, err := s.db.Run(ctx, s.scripts["touch_session"], []any{s.keys.session(sum)}, []any{s.db.Seconds(), int(feed.SessionIdle / time.Second)})
	return core.Wrap(err, "touch a session")
}

// EndSession ends a session. It is a no-op if the session has ended.
func (s *Store) EndSession(ctx context.Context, sum, account string) error {
	_, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("DEL", s.keys.session(sum))
		b.Add("ZREM", s.keys.sessions(account), sum) // a leftover is not listed: the session is gone
	})
	return core.Wrap(err, "end a session of %s", account)
}

// Sessions returns the valid sessions of an account, newest first. feed.ErrNotFound: there is no such account.
func (s *Store) Sessions(ctx context.Context, account string) ([]feed.Session, error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HGETALL", s.keys.account(account))
		b.Add("ZREVRANGE", s.keys.sessions(account), 0, -1)
	})
	if err != nil {
		return nil, core.Wrap(err, "list the sessions of %s", account)
	}
	a, sums := accountFrom(r.Map()), r.Texts()
	if a.Name == "" {
		return nil, core.Wrap(feed.ErrNotFound, "account %s", account)
	}
	hashes, err := s.hashes(ctx, s.keys.session, sums, err)
	var all []feed.Session
	for i, fields := range hashes {
		if n := sessionFrom(sums[i], fields); n.Valid(&a, s.db.Now()) {
			all = append(all, n)
		}
	}
	return all, core.Wrap(err, "list the sessions of %s", account)
}
