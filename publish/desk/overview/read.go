package overview

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/feedwire/feedwire/store/feed"
)

// state is the state of the installation.
type state struct {
	feed.SourceStates
	Feeds   []feed.OutgoingState // of Options.Feeds; Published has the blocked articles
	Inbox   int                  // articles to review
	Hub     feed.HubState
	Outbox  feed.OutboxState // of all consumer groups, the hub included
	Signals []feed.Signal    // newest first, posts without content
	Imports []feed.Job       // that have not ended
	Minutes []feed.Minute    // the current one last
	Redis   feed.RedisState
}

// read reads the state of the installation. The reads run side by side.
func (o *Overview) read(ctx context.Context) (*state, error) {
	var view state
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() (err error) {
		view.SourceStates, err = o.store.SourceStates(ctx, feed.AlarmAfter, shownNeeds, o.web.Now().Add(-feed.LateAfter))
		return err
	})
	all.Go(func() (err error) { view.Feeds, err = o.readFeeds(ctx); return err })
	all.Go(func() (err error) { view.Inbox, err = o.store.InboxSize(ctx); return err })
	all.Go(func() (err error) { view.Hub, err = o.store.HubState(ctx); return err })
	all.Go(func() (err error) { view.Outbox, err = o.store.OutboxState(ctx); return err })
	all.Go(func() (err error) {
		view.Signals, _, err = o.store.FindSignals(ctx, feed.SignalQuery{Limit: shownSignals})
		return err
	})
	all.Go(func() (err error) { view.Imports, err = o.store.Jobs(ctx, shownImports); return err })
	all.Go(func() (err error) { view.Minutes, err = o.store.Minutes(ctx); return err })
	all.Go(func() (err error) { view.Redis, err = o.store.RedisState(ctx); return err })
	if err := all.Wait(); err != nil {
		return nil, err
	}
	if view.Hub.Lag > 0 {
		if undistributed := o.web.Now().Add(-view.Hub.Lag); view.Outbox.OldestPending.IsZero() || undistributed.Before(view.Outbox.OldestPending) {
			view.Outbox.OldestPending = undistributed
		}
	}
	return &view, nil
}

// readFeeds reads the states of the outgoing feeds with their blocked articles.
func (o *Overview) readFeeds(ctx context.Context) ([]feed.OutgoingState, error) {
	types := o.opts.Feeds.Types()
	states, err := o.store.FeedStates(ctx, types, shownVisits)
	if err != nil {
		return nil, err
	}
	for i, typ := range types {
		uuids := o.opts.Candidates(typ)
		articles, err := o.store.Articles(ctx, uuids[:min(maxBlocked, len(uuids))], []string{typ})
		if err != nil {
			return nil, err
		}
		for j := range articles {
			if a := &articles[j]; a.StateIn(typ) == feed.StatePublished && o.opts.Blocked(a, typ) != "" {
				states[i].Published = append(states[i].Published, *a)
			}
		}
	}
	return states, nil
}
