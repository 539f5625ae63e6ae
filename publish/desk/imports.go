package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// The rhythm of imports.
const (
	maxImports     = 4               // at a time, by all daemons
	maxTries       = 10              // of one import, each until its daemon is stopped
	importBatch    = 50              // results that are saved together
	importPulse    = 5 * time.Second // between two signs of life at most, well below feed.JobLease
	importLook     = 5 * time.Second // between two looks for imports that were left
	importRetry    = 200 * time.Millisecond
	importWait     = 20 * time.Second // for a store that is away, before the import is left for later
	importFarewell = 2 * time.Second  // in which an import that is left can say so
)

// listWork is what an import needs to be begun, or to be gone on with by another daemon.
type listWork struct {
	OPML        []byte
	ContentType string
	Choices     importChoices
}

// listImport is a list on its way into the store.
type listImport struct {
	feed.JobClaim
	choices importChoices
	listed  []feed.Listed
	fresh   []feed.JobResult // not saved yet
}

// Run does what goes on after its request was answered: the imports of lists, also those that another daemon, or this
// one before a restart, has left unfinished. It ends with ctx, when those under way have been left where they are. The
// error is always nil.
func (d *Desk) Run(ctx context.Context) error {
	defer d.end()
	var running sync.WaitGroup
	defer running.Wait()
	room := make(chan struct{}, maxImports)
	look := time.NewTicker(importLook)
	defer look.Stop()
	for {
		for ctx.Err() == nil && len(room) < cap(room) {
			claim, err := d.store.ClaimJob(ctx)
			if err != nil { // there is none, or the store is away, which others tell of
				break
			}
			room <- struct{}{}
			running.Go(func() {
				defer func() { <-room }()
				d.latest.Load().runImport(ctx, &listImport{JobClaim: claim})
			})
		}
		select {
		case <-ctx.Done():
			return nil
		case <-d.wake:
		case <-look.C:
		}
	}
}

// runImport adds the sources of a list one after the other, from where a daemon before may have left it. Nothing is
// fetched: when each is polled first is up to the store, which spreads many.
func (d *Desk) runImport(ctx context.Context, imp *listImport) {
	log := d.opts.Logger.With("job", imp.Job.ID)
	defer func() {
		if p := recover(); p != nil {
			d.opts.OnPanic("import")
			log.Error("panic in an import", "err", p, "stack", string(debug.Stack()))
			d.giveUp(ctx, imp, "internal error; the log of the daemon has the reason")
		}
	}()
	imp.Job.State = feed.JobRunning
	imp.Job.Tries++
	if err := d.saveProgress(ctx, imp); err != nil {
		d.leave(ctx, imp, err)
		return
	}
	if imp.Job.Tries > maxTries {
		d.giveUp(ctx, imp, "its daemon ended too often")
		return
	}
	if err := d.readList(imp); err != nil {
		d.giveUp(ctx, imp, err.Error())
		return
	}
	if imp.Job.Tries > 1 {
		log.Info("import gone on with", "done", imp.Job.Done(), "total", imp.Job.Total)
	}
	for i := imp.Job.Done(); i < len(imp.listed); i++ {
		result, err := d.importOne(ctx, imp, &imp.listed[i])
		if err == nil {
			count(&imp.Job, result.Outcome)
			imp.fresh = append(imp.fresh, result)
			if len(imp.fresh) < importBatch && d.opts.Now().Sub(imp.Job.Updated) < importPulse {
				continue
			}
			err = d.saveProgress(ctx, imp)
		}
		if err != nil {
			d.leave(ctx, imp, err)
			return
		}
	}
	imp.Job.State, imp.Job.Finished = feed.JobDone, d.opts.Now().UTC()
	if err := d.saveProgress(ctx, imp); err != nil {
		d.leave(ctx, imp, err)
		return
	}
	log.Info("sources imported", "added", imp.Job.Added, "known", imp.Job.Known, "refused", imp.Job.Refused,
		"dry_run", imp.Job.DryRun)
}

// readList reads the work of an import. The list could be read when it was taken; another version of feedwire may see it
// otherwise.
func (d *Desk) readList(imp *listImport) error {
	var work listWork
	if err := json.Unmarshal(imp.Work, &work); err != nil {
		return fmt.Errorf("the list is damaged: %w", err)
	}
	listed, err := d.opts.ReadOPML(work.OPML, work.ContentType)
	if err == nil && len(listed) != imp.Job.Total {
		err = fmt.Errorf("it has %d feeds now, not %d", len(listed), imp.Job.Total)
	}
	if err != nil {
		return fmt.Errorf("the list cannot be read again: %w", err)
	}
	imp.choices, imp.listed = work.Choices, listed
	return nil
}

func count(job *feed.Job, outcome feed.JobOutcome) {
	switch outcome {
	case feed.JobAdded:
		job.Added++
	case feed.JobKnown:
		job.Known++
	case feed.JobRefused:
		job.Refused++
	}
}

// importOne adds one source of a list, unless it is known. The error is that of a store that stays away.
func (d *Desk) importOne(ctx context.Context, imp *listImport, listed *feed.Listed) (feed.JobResult, error) {
	source := listed.Source
	result := feed.JobResult{URL: source.URL, Title: source.About.Title, Outcome: feed.JobRefused, Reason: listed.Problem}
	if result.Reason == "" {
		result.Reason = d.settle(&source, imp.choices)
	}
	if result.Reason != "" {
		return result, nil
	}
	result.Source = source.ID
	err := d.insist(ctx, func() error {
		stored, err := d.store.Source(ctx, source.ID)
		switch {
		case err == nil:
			result.Outcome = feed.JobKnown
			if imp.Job.Tries > 1 && !imp.choices.DryRun && !stored.Added.Before(imp.Job.Created.Truncate(time.Second)) {
				result.Outcome = feed.JobAdded // by the daemon before, which could not say so
			}
			return nil
		case !errors.Is(err, feed.ErrNotFound):
			return err
		}
		result.Outcome = feed.JobAdded
		if imp.choices.DryRun {
			return nil
		}
		_, _, err = d.store.AddSource(ctx, source)
		return err
	})
	switch {
	case err == nil:
		return result, nil
	case errors.Is(err, feed.ErrInvalid):
		result.Outcome, result.Reason = feed.JobRefused, err.Error()
		return result, nil
	case ctx.Err() == nil && !errors.Is(err, feed.ErrUnavailable):
		d.opts.Logger.Error("source not imported", "source", source.URL, "err", err)
		result.Outcome, result.Reason = feed.JobRefused, "internal error; the log of the daemon has the reason"
		return result, nil
	}
	return result, fmt.Errorf("import %s: %w", source.URL, err)
}

// settle fills in what neither the list nor the request says, and reports why the source cannot be added; empty: it can.
func (d *Desk) settle(source *feed.Source, choices importChoices) (refusal string) {
	source.Added = d.opts.Now()
	switch {
	case choices.Feeds != nil:
		source.Feeds = choices.Feeds
	case source.Feeds == nil && slices.Contains(d.types, defaultFeed):
		source.Feeds = []string{defaultFeed}
	}
	if choices.Publish != "" {
		source.Publish = choices.Publish
	}
	if source.Publish == "" {
		source.Publish = feed.PublishManual
	}
	for _, typ := range source.Feeds {
		if !slices.Contains(d.types, typ) {
			return d.noFeed(typ)
		}
	}
	for _, of := range []struct {
		name     string
		is, most time.Duration
	}{
		{"interval", source.Interval, maxInterval}, {"shortest interval", source.Request.MinInterval, maxInterval},
		{"timeout", source.Request.Timeout, maxTimeout}, {"time to keep", source.Keep.For, maxKeepFor},
	} {
		if of.is != 0 && (of.is < minInterval || of.is > of.most) {
			return fmt.Sprintf("its %s is %s; from 1s to %s are possible", of.name, of.is, whole(of.most))
		}
	}
	if source.Keep.Entries > maxKeepEntries {
		return fmt.Sprintf("it keeps %d entries; up to %d are possible", source.Keep.Entries, maxKeepEntries)
	}
	return ""
}

// insist repeats a call of the store while that is away, for importWait at most.
func (d *Desk) insist(ctx context.Context, call func() error) error {
	ctx, cancel := context.WithTimeout(ctx, importWait)
	defer cancel()
	pause := time.NewTicker(importRetry)
	defer pause.Stop()
	for {
		err := call()
		if !errors.Is(err, feed.ErrUnavailable) {
			return err
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return err
		}
	}
}

// saveProgress saves the job as it is, with the results that are not saved yet.
func (d *Desk) saveProgress(ctx context.Context, imp *listImport) error {
	imp.Job.Updated = d.opts.Now().UTC()
	err := d.insist(ctx, func() error { return d.saveOnce(ctx, imp) })
	if err == nil {
		imp.fresh = nil
	}
	return err
}

func (d *Desk) saveOnce(ctx context.Context, imp *listImport) error {
	return d.store.SaveJob(ctx, imp.JobClaim, imp.Job.Done()-len(imp.fresh), imp.fresh)
}

// leave lets another daemon go on with an import, at once where that can be said.
func (d *Desk) leave(ctx context.Context, imp *listImport, why error) {
	d.opts.Logger.Warn("import left for later", "job", imp.Job.ID, "done", imp.Job.Done(), "total", imp.Job.Total, "err", why)
	if !errors.Is(why, feed.ErrLeaseLost) {
		d.sayLast(ctx, imp, feed.JobWaiting)
	}
}

// giveUp ends an import that nobody can go on with.
func (d *Desk) giveUp(ctx context.Context, imp *listImport, why string) {
	imp.Job.Finished = d.opts.Now().UTC()
	imp.Job.Error = why + "; import the list again: what was added is known then"
	d.sayLast(ctx, imp, feed.JobInterrupted)
}

// sayLast saves the state in which an import is let go of. Where that fails, the end of the claim will say it.
func (d *Desk) sayLast(ctx context.Context, imp *listImport, state feed.JobState) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), importFarewell)
	defer cancel()
	imp.Job.State, imp.Job.Updated = state, d.opts.Now().UTC()
	_ = d.saveOnce(ctx, imp)
}
