package source

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// RenewLease extends the lease of a poll, from now on. feed.ErrLeaseLost: another daemon owns the source now.
func (s *Store) RenewLease(ctx context.Context, c feed.Claim, lease time.Duration) error {
	now, k := s.db.Now(), s.of(c.Source.URL)
	done, err := redis.Bool(s.db.Run(ctx, s.scripts["renew_lease"],
		[]any{k.due(), k.lease(), s.hostKey(&c)},
		[]any{c.Source.URL, c.Token, core.Stamp(now.Add(lease)), core.Stamp(now)}))
	return core.Wrap(core.Unless(done, err, feed.ErrLeaseLost), "renew the lease of %s", c.Source.URL)
}

// FinishPoll ends a poll. It stores the state of polling and a line of the history, and makes the source due at State.NextPoll, or
// never if the source is gone or paused.
//
// feed.ErrLeaseLost: another daemon owns the source now. Or a replica became the master and may lack entries that the poll saved or
// compared: then the source is due at once, and its state is unchanged, so that the next poll processes the same document.
func (s *Store) FinishPoll(ctx context.Context, c *feed.Claim, polled *feed.PollResult) error {
	if polled.State.ErrorClass == string(feed.FailureDamaged) {
		polled.State.ErrorText = feed.ShortLine(s.Explain(ctx, c.Source.URL, errUnnamed).Error())
	}
	f := finish{
		state: &polled.State, next: polled.State.NextPoll, line: historyLine(polled.Poll), saved: polled.Poll.New + polled.Poll.Modified,
	}
	if polled.State.Gone {
		f.next = time.Time{}
	}
	f.cleared = polled.Cleared
	if delay := s.db.Options().HostDelay; delay > 0 && s.host(c.Source.Address()) != "" {
		f.host = s.db.Now().Add(delay)
		if polled.PauseHost.After(f.host) {
			f.host = polled.PauseHost
		}
	}
	if c.Epoch == s.db.FailoverEpoch() {
		return s.finish(ctx, c, f)
	}
	// The poll may have compared the document with entries that only the previous server had.
	f.state, f.next, f.line, f.saved, f.cleared = &c.Source.Poll, s.db.Now(), "", 0, ""
	if err := s.finish(ctx, c, f); err != nil {
		return err
	}
	return fmt.Errorf("finish poll of %s: another server of the store took over: %w", c.Source.URL, feed.ErrLeaseLost)
}

// ReleaseSource ends a claim without a poll: the source is due as before.
func (s *Store) ReleaseSource(ctx context.Context, c *feed.Claim) error {
	return s.finish(ctx, c, finish{state: &c.Source.Poll, next: c.Due})
}

// errUnnamed is the state of a source if none of its keys is damaged now.
var errUnnamed = fmt.Errorf("a key of the source held a value of another type: %w", feed.ErrDamaged)

// lostFor is how long a claim that could not be finished is claimed back as soon as possible. It is longer than a lease, which ends
// the claim anyway.
const lostFor = time.Minute

// finish is what the end of a claim writes.
type finish struct {
	state *feed.PollState
	next  time.Time // due; zero: never
	host  time.Time // when the host may be polled again; zero: as before the claim; ignored without core.Options.HostDelay
	line  string    // of the history; empty: none
	saved int       // entries, which must still be stored

	cleared string // why the secrets of the source are removed; empty: they stay
}

func (s *Store) finish(ctx context.Context, c *feed.Claim, f finish) error {
	set, unset := pollFields.Changes(&c.Source.Poll, f.state)
	url := c.Source.URL
	if address := f.state.Address(url); address != c.Source.Address() {
		set = append(set, "host", s.host(address))
	}
	if f.cleared != "" {
		after := feed.Source{Request: c.Source.Request.WithoutSecrets(), Revision: c.Source.Revision + 1}
		after.Request.Cleared = f.cleared
		changed, removed := secrets.Changes(&c.Source, &after)
		set, unset = append(set, changed...), append(unset, removed...)
	}
	k := s.of(url)
	host, hostKey := "-", k.host("")
	if s.db.Options().HostDelay > 0 {
		host, hostKey = core.StampOrNone(f.host), s.hostKey(c)
	}
	args := append(append([]any{
		url, c.Token, core.StampOrNone(f.next), s.db.Stamp(), host, f.line, feed.MaxPolls, f.saved, len(set) / 2,
	}, set...), unset...)
	done, err := redis.Int(s.db.RunBatched(ctx, s.scripts["finish_poll"],
		[]any{k.meta(), k.due(), k.lease(), hostKey, k.polls(), k.unwell(), k.Activity(s.db.Now())}, args))
	switch {
	case done < 0:
		err = s.Explain(ctx, url, feed.ErrDamaged)
		_ = s.noteDamage(ctx, url, err) // the key may be the one that would say so
	case errors.Is(err, feed.ErrDamaged): // sched:lease or sched:due
		s.broken.Store(true)
		s.lost.Store(c.Token, s.db.Now().Add(lostFor))
		err = s.Explain(ctx, url, err)
	}
	return core.Wrap(core.Unless(done != 0, err, feed.ErrLeaseLost), "finish poll of %s", url)
}
