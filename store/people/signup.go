package people

import (
	"context"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Times for which sign-ups without an invitation are counted.
const (
	signUpPause = 15 * time.Hour // after which a network may sign up again
	signUpDay   = 24 * time.Hour
)

// AddInvitation adds an invitation. feed.ErrConflict: feed.MaxInvitations are valid.
func (s *Store) AddInvitation(ctx context.Context, i feed.Invitation) error {
	k := s.keys
	args := []any{i.Sum, core.Stamp(s.db.Now()), core.Stamp(i.Expires), int(feed.InvitationLife / time.Second), feed.MaxInvitations}
	added, err := redis.Bool(s.db.Run(ctx, s.scripts["add_invitation"], []any{k.invitations(), k.invitation(i.Sum)},
		append(args, invitationFields.Pairs(&i)...)))
	if err == nil && !added {
		err = fmt.Errorf("%d invitations are open, the maximum: %w; revoke one", feed.MaxInvitations, feed.ErrConflict)
	}
	return core.Wrap(err, "add an invitation")
}

var invitationFields = core.FieldsOf[feed.Invitation]()

// Invitations returns the invitations that are valid, newest first.
func (s *Store) Invitations(ctx context.Context) ([]feed.Invitation, error) {
	sums, err := redis.Strings(s.db.Do(ctx, group, "ZREVRANGEBYSCORE", s.keys.invitations(), "+inf", "("+core.Stamp(s.db.Now())))
	if err != nil {
		return nil, core.Wrap(err, "list invitations")
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, sum := range sums {
			b.Add("HGETALL", s.keys.invitation(sum))
		}
	})
	all := make([]feed.Invitation, len(r))
	for i := range all {
		all[i] = feed.NewInvitation(sums[i])
		invitationFields.Read(r.Map(), &all[i])
	}
	return all, core.Wrap(err, "list invitations")
}

// Invited reports whether an invitation is valid.
func (s *Store) Invited(ctx context.Context, sum string) (bool, error) {
	valid, err := redis.Bool(s.db.Do(ctx, group, "EXISTS", s.keys.invitation(sum)))
	return valid, core.Wrap(err, "read an invitation")
}

// RemoveInvitation ends an invitation. It is a no-op if it has ended.
func (s *Store) RemoveInvitation(ctx context.Context, sum string) error {
	_, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("DEL", s.keys.invitation(sum))
		b.Add("ZREM", s.keys.invitations(), sum) // a leftover is not listed for long
	})
	return core.Wrap(err, "end an invitation")
}

// Results of sign_up.
const (
	signUpTaken   = 0
	signUpUsed    = -1
	signUpNetwork = -2
	signUpFull    = -3
)

// SignUp adds a member and ends the invitation. feed.ErrNotFound: the invitation is not valid, or no longer. feed.ErrExists: the name is
// taken. *feed.QuotaError: there is no invitation, and too many accounts were made. A sign-up that is refused changes nothing.
func (s *Store) SignUp(ctx context.Context, up feed.SignUp) error {
	k := s.keys
	reply, err := redis.Ints(s.db.Run(ctx, s.scripts["sign_up"], []any{
		k.idOf(up.Name), k.lastID(), k.members(), k.invitations(), k.invitation(up.Invitation), k.signUpsFrom(up.Network), k.signUps(),
		k.names(), k.inviters(),
	}, []any{
		up.Invitation, int(signUpPause / time.Second), int(signUpDay / time.Second), up.PerDay, k.users(), up.Name,
		core.Stamp(s.db.Now()),
		"username", up.Name, "flags", roleFlags[feed.RoleMember], "password", up.Password.Sum, "salt", up.Password.Salt,
		"ctime", feed.FormatTime(s.db.Now()), "generation", 0, "karma", 1, "karma_incr_time", feed.FormatTime(s.db.Now()), "about", "", "email", "",
	}))
	if err == nil {
		err = signUpError(reply[0], time.Duration(reply[1])*time.Second)
	}
	return core.Wrap(err, "sign up %s", up.Name)
}

func signUpError(result int, wait time.Duration) error {
	switch result {
	case signUpTaken:
		return feed.ErrExists
	case signUpUsed:
		return feed.ErrNotFound
	case signUpNetwork:
		return &feed.QuotaError{Reason: "an account was made from your network before", Wait: wait}
	case signUpFull:
		return &feed.QuotaError{Reason: "too many accounts were made today", Wait: wait}
	}
	return nil
}
