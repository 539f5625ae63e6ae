package lists

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	group      = "lists"
	signalsMax = 200 // that are read together
	readWait   = 5 * time.Second
	sweepSize  = 500 // entries that Sweep reads together
)

// Run adds posts to the lists, updates edited entries, makes entries members of groups by rule, and removes entries that were taken down, until ctx
// ends. It retries while the store is unavailable, and returns nil.
func (ls *Lists) Run(ctx context.Context) error {
	var rules sync.WaitGroup
	rules.Go(func() { ls.keepRules(ctx) })
	defer rules.Wait()
	always := retry.Options{
		Failing:   func(err error) { ls.opts.Logger.Warn("lists are waiting for the store", "err", err) },
		Recovered: func() { ls.opts.Logger.Info("lists continue") },
	}
	consumer := cmp.Or(ls.opts.Consumer(), group)
	for ctx.Err() == nil {
		signals, _ := retry.Do(ctx, always, func() ([]feed.Signal, error) { // succeeds, or ctx has ended
			return ls.store.NextSignals(ctx, group, consumer, signalsMax, readWait)
		})
		for done := len(signals) == 0; !done && ctx.Err() == nil; {
			epoch := ls.store.FailoverEpoch()
			ids := make([]string, len(signals))
			for i := range signals {
				ids[i] = signals[i].ID
				ls.follow(ctx, &signals[i])
			}
			if ctx.Err() == nil {
				_, _ = retry.Do(ctx, always, func() (any, error) { return nil, ls.store.AckSignals(ctx, group, ids...) })
			}
			done = ls.store.FailoverEpoch() == epoch
		}
	}
	return nil
}

// follow applies a signal, and logs why that failed.
func (ls *Lists) follow(ctx context.Context, one *feed.Signal) {
	_, err := retry.Do(ctx, retry.Options{Final: retry.NotUnavailable}, func() (any, error) {
		return nil, ls.guarded(func() error { return ls.apply(ctx, one) })
	})
	if err != nil && ctx.Err() == nil {
		ls.opts.Logger.Error("an entry is not in line with its lists", "entry", one.Entry, "feed", one.FeedURL, "err", err)
	}
}

// guarded turns a panic into an error.
func (ls *Lists) guarded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			ls.opts.OnPanic(group)
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return do()
}

// apply brings the lists in line with the entry of a signal, or with the entries of a source that have no signals of their own.
func (ls *Lists) apply(ctx context.Context, one *feed.Signal) (err error) {
	switch {
	case one.Kind == feed.PostDeleted:
		return ls.store.RemoveRanked(ctx, one.Entry)
	case one.Kind == feed.PostCreated && feed.MemberOf(one.FeedURL) != 0:
		err = ls.withEntry(ctx, one.Entry, ls.store.RankEntry)
	case one.Kind == feed.PostModified:
		err = ls.withEntry(ctx, one.Entry, ls.store.UpdateRanked)
	}
	if err != nil || len(*ls.rules.Load()) == 0 {
		return err
	}
	switch {
	case one.Kind == feed.PostCreated || one.Kind == feed.PostModified:
		err = ls.selectByRule(ctx, []string{one.Entry})
	case one.Kind == feed.FeedModified && !one.Unsignalled.IsZero():
		err = ls.selectOf(ctx, one.FeedURL)
	}
	return err
}

// withEntry calls do with an entry as it is now, unless it does not exist.
func (ls *Lists) withEntry(ctx context.Context, id string, do func(context.Context, *feed.Entry) error) error {
	found, err := ls.store.HeadlinesByID(ctx, []string{id})
	if e, ok := found[id]; ok {
		err = do(ctx, &e)
	}
	return err
}

// Sweep removes entries that no longer exist from all lists.
func (ls *Lists) Sweep(ctx context.Context) error {
	for after, more := (feed.Cursor{}), true; more; {
		var places []feed.Cursor
		var err error
		if places, more, err = ls.store.ListPlaces(ctx, feed.ListByTime, after, sweepSize); err != nil {
			return err
		}
		ids := make([]string, len(places))
		for i, p := range places {
			ids[i], after = "Entry:"+p.Member, p
		}
		found, err := ls.store.HeadlinesByID(ctx, ids)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if _, exists := found[id]; !exists {
				if err := ls.store.ForgetRanked(ctx, id); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
