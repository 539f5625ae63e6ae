package ingest

import (
	"context"
	"errors"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// besidePush is the interval of a source whose hub pushes: polls only make sure that nothing is missed.
func besidePush(interval time.Duration) time.Duration {
	return max(interval, min(slowFactor*interval, slowMost))
}

// heed takes from a poll what concerns push: a document that names its hub is subscribed to, and an entry that should
// have been pushed shows that the hub is not to be relied on. The source then has the state by which it is polled next.
// Begun is when the poll began, to the millisecond, as times are kept. Without a subscriber it does nothing. What the
// store does not take is tried again with the next poll.
func (s *Subscriber) heed(ctx context.Context, claim *feed.Claim, o *outcome, begun time.Time) {
	if s == nil || o.err != nil {
		return
	}
	source := &claim.Source
	known := &source.Push
	hub, topic := known.Hub, known.Topic
	if !o.response.NotModified {
		said := websub.Discover(o.response.Header, o.response.Body, o.response.URL)
		if hub, topic = chooseHub(said.Hubs, known), said.Self; hub == "" || topic == "" {
			hub, topic = "", ""
		}
	}
	wanted := hub != "" && s.opts.CallbackURL != ""
	// What is new since the last poll should have come by push, or a ping should have led to this poll. Deliveries that
	// came while it was under way are in c only.
	last, missed := source.Poll.LastOK, 0
	missing := func(c *feed.Push) bool {
		return c.State == feed.PushActive && c.Since.Before(last) && c.LastPing.Before(last) && c.LastPush.Before(begun)
	}
	found := o.saved.Created
	if source.Poll.BodySum == "" || source.Poll.Generation != generation {
		found = 0 // the filters have changed, or we have: what is new to us was there before
	}
	same := hub == known.Hub && topic == known.Topic && wanted == (known.State != feed.PushNone)
	if same && (found == 0 || !missing(known)) {
		return
	}
	now := s.in.opts.Now()
	c, err := s.store.SourceCallback(ctx, source.URL)
	if err == nil {
		c, err = s.change(ctx, c, func(c *feed.PushSubscription) {
			advertise(c, hub, topic, wanted, now)
			if missed = 0; missing(&c.Push) && found > 0 {
				missed = found
				c.Missed += missed
				fallSilent(c, "a poll found what the hub had not pushed", time.Time{}, now)
			}
		})
	}
	if err != nil {
		if !errors.Is(err, feed.ErrNotFound) {
			s.in.opts.Logger.Warn("what the source says of its hub is not kept", "source", source.URL, "poll", claim.Token, "err", err)
		}
		return
	}
	if missed > 0 {
		s.metrics.missed.Add(float64(missed))
		s.in.opts.Logger.Warn("the hub did not push: the source is polled as before", "source", source.URL, "poll", claim.Token,
			"count", missed)
	}
	*known = c.Push
}

// again makes a source due once more after a poll that was under way when its hub said "look": that poll may have asked too
// early.
func (s *Subscriber) again(ctx context.Context, claim *feed.Claim, begun time.Time) {
	if s == nil || claim.Source.Push.State == feed.PushNone {
		return
	}
	url := claim.Source.URL
	c, err := s.store.SourceCallback(ctx, url)
	if err == nil && !c.LastPing.Before(begun) {
		err = s.pollSoon(ctx, url, whyPing)
	}
	if err != nil {
		s.in.opts.Logger.Warn("a ping during the poll may be lost", "source", url, "poll", claim.Token, "err", err)
	}
}
