package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/feedwire/feedwire/store/feed"
)

// articleKeep is how long an article that nobody touched and no feed shows is remembered.
const articleKeep = 90 * 24 * time.Hour

// job is one line of the cron table. Polling is not in it: due times are in the store.
type job struct {
	name string
	spec string
	run  func(context.Context) error
}

// jobs is the cron table. Times are UTC.
func (a *app) jobs() []job {
	return []job{
		{"expire_entries", a.cfg().Housekeeping.Expire, a.expireEntries},
		{"forget_articles", a.cfg().Housekeeping.Expire, a.forgetArticles},
		{"close_topics", a.cfg().Housekeeping.Expire, a.closeTopics},
		{"trim_signals", a.cfg().Housekeeping.Trim, a.trimSignals},
		{"trim_audit", a.cfg().Housekeeping.Expire, a.trimAudit},
		{"expire_articles", "* * * * *", a.expireArticles},
	}
}

// runJobs runs the cron table until the context ends, and waits for the jobs under way. After a reload those whose times have
// changed run at the new ones; one under way goes on.
func (a *app) runJobs(ctx context.Context) error {
	c := cron.New(cron.WithLocation(time.UTC))
	jobs := a.jobs()
	planned := make([]cron.EntryID, len(jobs))
	guarded := make([]cron.Job, len(jobs))
	for i, j := range jobs {
		guarded[i] = a.guarded(ctx, j)
		var err error
		if planned[i], err = c.AddJob(j.spec, guarded[i]); err != nil {
			return fmt.Errorf("cron job %s: %w", j.name, err)
		}
	}
	c.Start()
	defer func() { <-c.Stop().Done() }()
	for {
		select {
		case <-a.reloads.jobs:
		case <-ctx.Done():
			return nil
		}
		for i, j := range a.jobs() {
			if j.spec == jobs[i].spec {
				continue
			}
			c.Remove(planned[i])
			jobs[i] = j
			var err error
			if planned[i], err = c.AddJob(j.spec, guarded[i]); err != nil {
				return fmt.Errorf("cron job %s: %w", j.name, err) // the configuration checks them: it cannot be
			}
		}
	}
}

// guarded is a job that never runs twice at once, and whose panic or failure is counted and logged.
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
	n, err := a.store.ExpireAll(ctx, feed.Keep{Entries: a.cfg().Fetch.KeepEntries, For: a.cfg().Fetch.KeepFor})
	if n > 0 {
		a.log.Info("entries expired", "count", n)
	}
	return err
}

func (a *app) expireArticles(ctx context.Context) error {
	for _, f := range a.feeds() {
		uuids, err := a.store.ExpireArticles(ctx, f.Type, f.Window)
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
	_, err := a.store.ForgetArticles(ctx, a.types(), time.Now().Add(-articleKeep))
	return err
}

func (a *app) closeTopics(ctx context.Context) error {
	closed, err := a.topics.closeIdle(ctx, idleTime)
	for _, url := range closed {
		a.log.Info("source removed: its subscribers have left", "source", url)
	}
	return err
}

func (a *app) trimAudit(ctx context.Context) error {
	_, err := a.store.TrimAudit(ctx, a.cfg().Audit.Keep)
	return err
}

func (a *app) trimSignals(ctx context.Context) error {
	_, err := a.store.TrimSignals(ctx, a.cfg().Signals.Keep)
	return err
}
