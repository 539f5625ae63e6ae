package desk

import (
	"context"
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
	maxImports     = 4               // at a time
	importBatch    = 50              // results that are saved together
	importPulse    = 5 * time.Second // between two signs of life at most, well below feed.JobStale
	importRetry    = 200 * time.Millisecond
	importWait     = 20 * time.Second // for a store that is away, before the import is given up
	importFarewell = 2 * time.Second  // in which a job that is broken off can say so
)

// listImport is a list on its way into the store.
type listImport struct {
	job     feed.Job
	choices importChoices
	listed  []feed.Listed
	fresh   []feed.JobResult // not saved yet
}

// Run does what goes on after its request was answered: the imports of lists. It ends with ctx, when those under way
// have been broken off and have said so in their jobs. Importing the list again then goes on where it stopped, because
// what was added is known. The error is always nil.
func (d *Desk) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	for {
		select {
		case <-ctx.Done():
			return nil
		case imp := <-d.imports:
			running.Go(func() {
				defer func() { <-d.importing }()
				d.runImport(ctx, &imp)
			})
		}
	}
}

// runImport adds the sources of a list one after the other. Nothing is fetched: when each is polled first is up to the
// store, which spreads many.
func (d *Desk) runImport(ctx context.Context, imp *listImport) {
	log := d.opts.Logger.With("job", imp.job.ID)
	defer func() {
		if p := recover(); p != nil {
			log.Error("panic in an import", "err", p, "stack", string(debug.Stack()))
			d.breakOff(ctx, imp, errors.New("internal error; the log of the daemon has the reason"))
		}
	}()
	for i := range imp.listed {
		result, err := d.importOne(ctx, &imp.listed[i], imp.choices)
		if err != nil {
			log.Warn("import broken off", "err", err, "done", imp.job.Done(), "total", imp.job.Total)
			d.breakOff(ctx, imp, errors.New("the store was away for too long, or the daemon was stopped"))
			return
		}
		count(&imp.job, result.Outcome)
		imp.fresh = append(imp.fresh, result)
		if len(imp.fresh) < importBatch && d.opts.Now().Sub(imp.job.Updated) < importPulse {
			continue
		}
		if err := d.saveProgress(ctx, imp); err != nil {
			log.Warn("progress of an import not saved", "err", err)
			return
		}
	}
	imp.job.State, imp.job.Finished = feed.JobDone, d.opts.Now().UTC()
	if err := d.saveProgress(ctx, imp); err != nil {
		log.Warn("end of an import not saved", "err", err)
		return
	}
	log.Info("sources imported", "added", imp.job.Added, "known", imp.job.Known, "refused", imp.job.Refused,
		"dry_run", imp.job.DryRun)
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
func (d *Desk) importOne(ctx context.Context, listed *feed.Listed, choices importChoices) (feed.JobResult, error) {
	source := listed.Source
	result := feed.JobResult{URL: source.URL, Title: source.About.Title, Outcome: feed.JobRefused, Reason: listed.Problem}
	if result.Reason == "" {
		result.Reason = d.settle(&source, choices)
	}
	if result.Reason != "" {
		return result, nil
	}
	result.Source = source.ID
	err := d.insist(ctx, func() error {
		_, err := d.store.Source(ctx, source.ID)
		switch {
		case err == nil:
			result.Outcome = feed.JobKnown
			return nil
		case !errors.Is(err, feed.ErrNotFound):
			return err
		}
		result.Outcome = feed.JobAdded
		if choices.dryRun {
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
	}
	return result, fmt.Errorf("import %s: %w", source.URL, err)
}

// settle fills in what neither the list nor the request says, and reports why the source cannot be added; empty: it can.
func (d *Desk) settle(source *feed.Source, choices importChoices) (refusal string) {
	source.Added = d.opts.Now()
	switch {
	case choices.feeds != nil:
		source.Feeds = choices.feeds
	case source.Feeds == nil && slices.Contains(d.types, defaultFeed):
		source.Feeds = []string{defaultFeed}
	}
	if choices.publish != "" {
		source.Publish = choices.publish
	}
	if source.Publish == "" {
		source.Publish = feed.PublishManual
	}
	for _, typ := range source.Feeds {
		if !slices.Contains(d.types, typ) {
			return d.noFeed(typ)
		}
	}
	for _, d := range []struct {
		name     string
		is, most time.Duration
	}{
		{"interval", source.Interval, maxInterval}, {"shortest interval", source.Request.MinInterval, maxInterval},
		{"timeout", source.Request.Timeout, maxTimeout}, {"time to keep", source.Keep.For, maxKeepFor},
	} {
		if d.is != 0 && (d.is < minInterval || d.is > d.most) {
			return fmt.Sprintf("its %s is %s; from 1s to %s are possible", d.name, d.is, whole(d.most))
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
	imp.job.Updated = d.opts.Now().UTC()
	err := d.insist(ctx, func() error { return d.saveOnce(ctx, imp) })
	if err == nil {
		imp.fresh = nil
	}
	return err
}

func (d *Desk) saveOnce(ctx context.Context, imp *listImport) error {
	return d.store.SaveJob(ctx, imp.job, imp.job.Done()-len(imp.fresh), imp.fresh)
}

// breakOff says in the job that it ends early. Where that cannot be saved, the job's age will say it.
func (d *Desk) breakOff(ctx context.Context, imp *listImport, why error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), importFarewell)
	defer cancel()
	now := d.opts.Now().UTC()
	imp.job.State, imp.job.Updated, imp.job.Finished = feed.JobInterrupted, now, now
	imp.job.Error = why.Error() + "; import the list again: what was added is known then"
	_ = d.saveOnce(ctx, imp)
}
