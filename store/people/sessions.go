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
	k := s.keys
	_, err := s.db.Run(ctx, s.scripts["add_session"],
		[]any{k.auth(n.Sum), k.session(n.Sum), k.sessions(n.AccountID), k.known(n.AccountID)}, []any{
			n.Sum, networkOf(n.Address), feed.FormatTime(n.Created), feed.FormatTime(n.Created.Add(feed.SessionLife)),
			seconds(feed.SessionIdle), seconds(feed.SessionLife), seconds(knownTTL), n.AccountID,
			"created", feed.FormatTime(n.Created), "seen", feed.FormatTime(n.Seen), "address", n.Address,
			"agent", n.Agent, "generation", n.Generation,
		})
	return core.Wrap(err, "add a session of %s", n.Account)
}

// Session returns the session with a sum, and the account that it should belong to, in one exchange. The caller checks
// feed.Session.Valid. feed.ErrNotFound: there is no such session or account.
func (s *Store) Session(ctx context.Context, sum string, account int64) (n feed.Session, a feed.Account, err error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("GET", s.keys.auth(sum))
		b.Add("HGETALL", s.keys.session(sum))
		b.Add("HGETALL", s.keys.user(account))
	})
	if err == nil {
		whose, fields := int64(r.Count()), r.Map()
		a = accountFrom(r.Map())
		n = sessionFrom(sum, whose, fields, &a)
	}
	return n, a, core.Wrap(core.Unless(n.AccountID != 0 && a.ID != 0, err, feed.ErrNotFound), "session of account %d", account)
}

// sessionFrom reads the parts of a session. If there is none, the id of the account is 0.
func sessionFrom(sum string, account int64, hash map[string]string, a *feed.Account) feed.Session {
	n := feed.Session{Sum: sum, AccountID: account}
	if account == a.ID {
		n.Account = a.Name
	}
	sessionFields.Read(hash, &n)
	return n
}

var sessionFields = core.FieldsOf[feed.Session]()

// TouchSession extends a session. It is a no-op if the session has ended.
func (s *Store) TouchSession(ctx context.Context, sum string) error {
	_, err := s.db.Run(ctx, s.scripts["touch_session"], []any{s.keys.auth(sum), s.keys.session(sum)},
		[]any{s.db.Seconds(), int(feed.SessionIdle / time.Second)})
	return core.Wrap(err, "touch a session")
}

// EndSession ends a session. It is a no-op if the session has ended.
func (s *Store) EndSession(ctx context.Context, sum string, account int64) error {
	_, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("DEL", s.keys.auth(sum), s.keys.session(sum))
		b.Add("ZREM", s.keys.sessions(account), sum) // a leftover is not listed: the session is gone
	})
	return core.Wrap(err, "end a session of account %d", account)
}

// Sessions returns the valid sessions of an account, newest first. feed.ErrNotFound: there is no such account.
func (s *Store) Sessions(ctx context.Context, account int64) ([]feed.Session, error) {
	fail := func(err error) ([]feed.Session, error) {
		return nil, core.Wrap(err, "list the sessions of account %d", account)
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HGETALL", s.keys.user(account))
		b.Add("ZREVRANGE", s.keys.sessions(account), 0, -1)
	})
	if err != nil {
		return fail(err)
	}
	a, sums := accountFrom(r.Map()), r.Texts()
	if a.ID == 0 {
		return fail(feed.ErrNotFound)
	}
	r, err = s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, sum := range sums {
			b.Add("GET", s.keys.auth(sum))
			b.Add("HGETALL", s.keys.session(sum))
		}
	})
	if err != nil {
		return fail(err)
	}
	var all []feed.Session
	for _, sum := range sums {
		whose, fields := int64(r.Count()), r.Map()
		if n := sessionFrom(sum, whose, fields, &a); n.Valid(&a, s.db.Now()) {
			all = append(all, n)
		}
	}
	return all, nil
}
