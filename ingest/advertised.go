package ingest

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// observePoll updates the subscription of a source after a poll: it subscribes at the hub that the document names, and marks
// the hub as silent if the poll found an entry that the hub did not push. It updates the state of the claim, which determines
// the next poll. start is the start of the poll in whole milliseconds, like stored times. It does nothing without a
// subscriber. If the store fails, the next poll repeats the update.
func (s *Subscriber) observePoll(ctx context.Context, claim *feed.Claim, o *outcome, start time.Time) {
	if s == nil || o.err != nil {
		return
	}
	source := &claim.Source
	known := &source.Push
	hub, topic := known.Hub, known.Topic
	if !o.response.NotModified {
		said := websub.Discover(o.response.Header, o.response.Body, o.response.URL)
		if hub, topic = chooseHub(said.Hubs, known), ""; hub != "" {
			topic = cmp.Or(said.Self, o.response.URL)
		}
	}
	wanted := hub != "" && s.callbackURL != ""
	// New entries should have been pushed since the last poll, or a ping should have caused this poll. Only the stored
	// subscription has the deliveries during the poll.
	last, missed := source.Poll.LastOK, 0
	isSilent := func(c *feed.Push) bool {
		return c.State == feed.PushActive && c.Since.Before(last) && c.LastPing.Before(last) && c.LastPush.Before(start)
	}
	found := o.saved.Created
	if source.Poll.BodySum == "" || source.Poll.Generation != generation {
		found = 0 // the filters or the parser have changed: these entries are not new in the document
	}
	same := hub == known.Hub && topic == known.Topic && wanted == (known.State != feed.PushNone)
	if same && (found == 0 || !isSilent(known)) {
		return
	}
	now := s.in.opts.Now()
	c, err := s.store.SourceCallback(ctx, source.URL)
	if err == nil {
		c, err = s.change(ctx, c, func(c *feed.PushSubscription) {
			setHub(c, hub, topic, wanted, now)
			if missed = 0; isSilent(&c.Push) && found > 0 {
				missed = found
				c.Missed += missed
				setSilent(c, "a poll found entries that the hub had not pushed", now)
			}
		})
	}
	if err != nil {
		if !errors.Is(err, feed.ErrNotFound) {
			s.in.opts.Logger.Warn("hub of the source not stored", "source", source.URL, "poll", claim.Token, "err", err)
		}
		return
	}
	if missed > 0 {
		s.in.metrics.missed.Add(float64(missed))
		s.in.opts.Logger.Warn("the hub did not push: normal polling resumes", "source", source.URL, "poll", claim.Token, "count", missed)
	}
	*known = c.Push
}

// repoll makes a source due again if its hub sent a ping during the poll, because the poll may have been too early.
func (s *Subscriber) repoll(ctx context.Context, claim *feed.Claim, start time.Time) {
	if s == nil || claim.Source.Push.State == feed.PushNone {
		return
	}
	url := claim.Source.URL
	c, err := s.store.SourceCallback(ctx, url)
	if err == nil && !c.LastPing.Before(start) {
		err = s.pollSoon(ctx, url, whyPing)
	}
	if err != nil {
		s.in.opts.Logger.Warn("a ping during the poll may be lost", "source", url, "poll", claim.Token, "err", err)
	}
}
