package imports

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxJobs        = 4                // that have not ended, in all daemons
	jobsAtOnce     = 2                // in this daemon; each holds its list in memory
	maxTries       = 10               // of one job; each try ends with its daemon
	batchSize      = 50               // results that are saved together
	saveInterval   = 5 * time.Second  // at most between two saves; well below feed.JobLease
	claimInterval  = 5 * time.Second  // between two searches for jobs of other daemons
	storeTimeout   = 20 * time.Second // an unavailable store is retried for so long
	releaseTimeout = 2 * time.Second
)

// Run runs jobs until ctx ends, including those that another daemon, or this one before a restart, left unfinished. It returns nil when
// its jobs are released.
func (is *Imports) Run(ctx context.Context) error {
	is.reclaim(ctx)
	var jobs sync.WaitGroup
	defer jobs.Wait()
	slots := make(chan struct{}, jobsAtOnce)
	search := time.NewTicker(claimInterval)
	defer search.Stop()
	for {
		for ctx.Err() == nil && len(slots) < cap(slots) {
			claim, err := is.store.ClaimJob(ctx)
			if err != nil { // no job, or the store is unavailable, which others log
				break
			}
			slots <- struct{}{}
			jobs.Go(func() {
				defer func() { <-slots }()
				is.run(ctx, &running{JobClaim: claim, feeds: *is.feeds.Load()})
			})
		}
		select {
		case <-ctx.Done():
			return nil
		case <-is.wake:
		case <-search.C:
		}
	}
}

// reclaim makes the jobs wait that a killed process of this daemon had leased.
func (is *Imports) reclaim(ctx context.Context) {
	if n, err := is.store.ReclaimJobs(ctx); err != nil {
		is.web.Logger.Warn("interrupted imports wait for the end of their leases", "err", err)
	} else if n > 0 {
		is.web.Logger.Info("interrupted imports resume", "count", n)
	}
}

// run adds the sources of a list that have no result yet. It fetches nothing: the store spreads the first polls.
func (is *Imports) run(ctx context.Context, imp *running) {
	log := is.web.Logger.With("job", imp.Job.ID)
	defer func() {
		if p := recover(); p != nil {
			is.opts.OnPanic("import")
			log.Error("panic in an import", "err", p, "stack", string(debug.Stack()))
			is.fail(ctx, imp, internalError)
		}
	}()
	imp.Job.State = feed.JobRunning
	imp.Job.Tries++
	if err := is.save(ctx, imp); err != nil {
		is.release(ctx, imp, err)
		return
	}
	if imp.Job.Tries > maxTries {
		is.fail(ctx, imp, "the daemon ended too often during the import")
		return
	}
	if err := is.readList(ctx, imp); err != nil {
		is.fail(ctx, imp, err.Error())
		return
	}
	if imp.Job.Tries > 1 {
		log.Info("import resumed", "done", imp.Job.Done(), "total", imp.Job.Total)
	}
	if err := is.addAll(ctx, imp); err != nil {
		is.release(ctx, imp, err)
		return
	}
	log.Info("sources imported", "added", imp.Job.Added, "known", imp.Job.Known, "refused", imp.Job.Refused, "dry_run", imp.Job.DryRun)
}

// addAll adds the rest of the sources and ends the job.
func (is *Imports) addAll(ctx context.Context, imp *running) error {
	for i := imp.Job.Done(); i < len(imp.listed); i++ {
		result, err := is.addSource(ctx, imp, &imp.listed[i])
		if err != nil {
			return err
		}
		imp.add(result)
		if len(imp.unsaved) < batchSize && is.web.Now().Sub(imp.Job.Updated) < saveInterval {
			continue
		}
		if err := is.save(ctx, imp); err != nil {
			return err
		}
	}
	imp.Job.State, imp.Job.Finished = feed.JobDone, is.web.Now().UTC()
	return is.save(ctx, imp)
}
