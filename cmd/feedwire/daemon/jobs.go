package daemon

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/feedwire/feedwire/store/feed"
)

// articleRetention is how long articles are kept that no feed contains.
const articleRetention = 90 * 24 * time.Hour

// topicRetention is how long a source that a subscriber has added may be without subscribers: long enough for a subscriber whose
// lease has ended to return.
const topicRetention = 24 * time.Hour

// job is a row of the cron table. Polls are not in it: their due times are in the store.
type job struct {
	name string
	spec string
	run  func(context.Context) error
}

// jobs returns the cron table. Times are UTC.
func (a *app) jobs() []job {
	return []job{
		{"expire_entries", a.cfg().Housekeeping.Expire, a.expireEntries},
		{"forget_articles", a.cfg().Housekeeping.Expire, a.forgetArticles},
		{"close_topics", a.cfg().Housekeeping.Expire, a.closeTopics},
		{"trim_signals", a.cfg().Housekeeping.Trim, a.trimSignals},
		{"trim_audit", a.cfg().Housekeeping.Expire, a.trimAudit},
		{"expire_articles", "* * * * *", a.expireArticles},
		{"erase_accounts", "* * * * *", a.eraseAccounts},
		{"compute_rankings", "* * * * *", a.computeRankings},
		{"signal_votes", "@every 5s", a.signalVotes},
		{"signal_lists", "* * * * *", a.signalLists},
		{"offer_entries", "* * * * *", a.offerEntries},
		{"rank_news", "* * * * *", a.rankNews},
		{"sweep_lists", a.cfg().Housekeeping.Expire, a.lists.Sweep},
		{"sweep_news", a.cfg().Housekeeping.Expire, a.sweepNews},
		{"sweep_search", a.cfg().Housekeeping.Expire, a.entries.Sweep},
		{"sweep_media", a.cfg().Housekeeping.Expire, a.media.Sweep},
		{"count_subscribers", "0 * * * *", a.countSubscribers},
	}
}

// clockCheck is how often runJobs looks whether the clock was set back.
const clockCheck = 10 * time.Second

// runJobs runs the cron table until ctx ends and waits for active jobs. After a reload, jobs with a new schedule are rescheduled, and
// all of them if the clock was set back: they would wait until it catches up. Active jobs continue.
func (a *app) runJobs(ctx context.Context) error {
	c := cron.New(cron.WithLocation(time.UTC))
	all := a.jobs()
	guarded, planned := make([]cron.Job, len(all)), make([]cron.EntryID, len(all))
	specs := make([]string, len(all)) // empty: not planned yet
	for i, j := range all {
		guarded[i] = a.guarded(ctx, j)
	}
	c.Start()
	defer func() { <-c.Stop().Done() }()
	tick := time.NewTicker(clockCheck)
	defer tick.Stop()
	last := time.Now().Round(0) // the wall clock, without the monotonic one
	for {
		now := time.Now().Round(0)
		if now.Before(last) {
			clear(specs)
		}
		last = now
		for i, j := range a.jobs() {
			if j.spec == specs[i] {
				continue
			}
			c.Remove(planned[i])
			var err error
			if planned[i], err = c.AddJob(j.spec, guarded[i]); err != nil {
				return fmt.Errorf("cron job %s: %w", j.name, err) // unreachable: the configuration validates it
			}
			specs[i] = j.spec
		}
		select {
		case <-a.reloads.jobs:
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// guarded returns a job that skips overlapping runs, and counts and logs panics and errors.
func (a *app) guarded(ctx context.Context, j job) cron.Job {
	running := make(chan struct{}, 1)
	return cron.FuncJob(func() {
		select {
		case running <- struct{}{}:
			defer func() { <-running }()
		default:
			a.metrics.cronRuns.WithLabelValues(j.name, "skipped_running").Inc()
			return
		}
		result := "panic"
		defer func() {
			if p := recover(); p != nil {
				a.metrics.panicked("cron")
				a.log.Error("job panicked", "task", j.name, "err", p, "stack", string(debug.Stack()))
			}
			a.metrics.cronRuns.WithLabelValues(j.name, result).Inc()
		}()
		if err := j.run(ctx); err != nil {
			result = "error"
			a.log.Error("job failed", "task", j.name, "err", err)
			return
		}
		result = "ok"
		a.metrics.cronSuccess.WithLabelValues(j.name).SetToCurrentTime()
	})
}

func (a *app) expireEntries(ctx context.Context) error {
	n, err := a.store.ExpireAll(ctx, feed.Keep{Entries: a.cfg().Fetch.KeepEntries, For: feed.Duration(a.cfg().Fetch.KeepFor)})
	if n > 0 {
		a.log.Info("entries expired", "count", n)
	}
	return err
}

func (a *app) rankNews(ctx context.Context) error { return a.store.Community.RankNews(ctx) }

func (a *app) offerEntries(ctx context.Context) error { return a.store.OfferEntries(ctx) }

func (a *app) sweepNews(ctx context.Context) error { return a.store.SweepNews(ctx) }

func (a *app) expireArticles(ctx context.Context) error {
	for _, f := range a.feeds() {
		uuids, err := a.store.Articles.ExpireArticles(ctx, f.Type, f.Window)
		for _, uuid := range uuids {
			a.moved(f.Type, feed.StatePublished, feed.StateExpired)
			a.log.Info("article expired", "article", uuid, "feed", f.Type)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *app) forgetArticles(ctx context.Context) error {
	_, err := a.store.Articles.ForgetArticles(ctx, a.feeds().Types(), a.store.CommonTime().Add(-articleRetention))
	return err
}

func (a *app) closeTopics(ctx context.Context) error {
	closed, err := a.catalog.RemoveIdle(ctx, topicRetention)
	for _, url := range closed {
		a.log.Info("idle source removed", "source", url)
	}
	return err
}

func (a *app) computeRankings(ctx context.Context) error {
	return a.store.Rankings.ComputeRankings(ctx)
}

func (a *app) signalVotes(ctx context.Context) error {
	_, err := a.store.SignalVotes(ctx)
	return err
}

// signalLists signals lists while they are public.
func (a *app) signalLists(ctx context.Context) error {
	if !a.openLists() {
		return nil
	}
	_, err := a.store.SignalLists(ctx, func(list string) string { return a.republish.ListURLs(list)[0] })
	return err
}

// countSubscribers counts the subscribers of each topic for its history.
func (a *app) countSubscribers(ctx context.Context) error {
	return a.store.Topics.CountSubscribers(ctx)
}

// eraseAccounts erases what is stored about removed accounts. What is left after an error is erased a minute later.
func (a *app) eraseAccounts(ctx context.Context) error {
	removed, err := a.store.People.RemovedAccounts(ctx)
	for _, id := range removed {
		err = errors.Join(err, a.media.Erase(ctx, id))
	}
	err = errors.Join(err, a.store.EraseAccounts(ctx))
	for _, id := range removed {
		for _, topic := range a.republish.URLs(feed.SourceID(feed.MemberURL(id))) { // feeds have the name of the author as their title
			err = errors.Join(err, a.store.Hub.EraseVersions(ctx, topic))
		}
	}
	return err
}

func (a *app) trimAudit(ctx context.Context) error {
	_, err := a.store.Audit.TrimAudit(ctx, a.cfg().Audit.Keep)
	return err
}

func (a *app) trimSignals(ctx context.Context) error {
	_, err := a.store.TrimSignals(ctx, a.cfg().Signals.Keep)
	return err
}
