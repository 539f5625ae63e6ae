package imports

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// listWork is stored with a job, so that any daemon can start or resume it.
type listWork struct {
	OPML        []byte
	ContentType string
	Choices     choices
}

// running is a job that this daemon has leased.
type running struct {
	feed.JobClaim
	feeds   feed.OutgoingFeeds
	choices choices
	listed  []feed.ListedSource
	unsaved []feed.JobResult
}

var errTooManyJobs = fmt.Errorf("%d imports are running; start another one when one has ended: %w", maxJobs, feed.ErrConflict)

// mayStart returns errTooManyJobs if start would, before a list is read.
func (is *Imports) mayStart(ctx context.Context) error {
	running, err := is.store.UnfinishedJobs(ctx)
	if err == nil && running >= maxJobs {
		err = errTooManyJobs
	}
	return err
}

// start parses a list and stores its job. field names the list in errors.
func (is *Imports) start(r *http.Request, list listWork, field string) (job feed.Job, err error) {
	done, err := is.opts.Work(r.Context(), "")
	if err != nil {
		return job, err
	}
	defer done()
	listed, err := is.opts.ReadOPML(list.OPML, list.ContentType)
	if err != nil {
		return job, feed.Invalid(field, err.Error())
	}
	now := is.web.Now().UTC()
	job = feed.Job{
		ID: strings.ToLower(rand.Text()), State: feed.JobWaiting, DryRun: list.Choices.DryRun, Created: now, Updated: now, Total: len(listed),
	}
	work, err := json.Marshal(list)
	if err != nil {
		return job, err
	}
	err = is.store.StartJob(r.Context(), job, work, maxJobs)
	if errors.Is(err, feed.ErrConflict) {
		return job, errTooManyJobs
	}
	if err != nil {
		return job, err
	}
	retry.Wake(is.wake)
	web.Changed(r, feed.Object{Kind: feed.ObjectImport, ID: job.ID}, "", web.Plural(job.Total, "source"))
	if job.DryRun {
		web.NothingChanged(r)
	}
	return job, nil
}

// readList parses the list of a job. It fails if this version of feedwire parses it differently from the one that stored it.
func (is *Imports) readList(ctx context.Context, imp *running) error {
	var done func()
	err := patiently(ctx, func() (err error) {
		done, err = is.opts.Work(ctx, "")
		return err
	})
	if err != nil {
		return err
	}
	defer done()
	var work listWork
	if err := json.Unmarshal(imp.Work, &work); err != nil {
		return fmt.Errorf("the stored list is damaged: %w", err)
	}
	imp.Work = nil // it takes more memory than the list
	listed, err := is.opts.ReadOPML(work.OPML, work.ContentType)
	if err == nil && len(listed) != imp.Job.Total {
		err = fmt.Errorf("it has %d feeds, expected %d", len(listed), imp.Job.Total)
	}
	if err != nil {
		return fmt.Errorf("the stored list cannot be read: %w", err)
	}
	imp.choices, imp.listed = work.Choices, listed
	return nil
}

// add appends the result of one source.
func (imp *running) add(result feed.JobResult) {
	imp.unsaved = append(imp.unsaved, result)
	switch result.Outcome {
	case feed.JobAdded:
		imp.Job.Added++
	case feed.JobKnown:
		imp.Job.Known++
	case feed.JobRefused:
		imp.Job.Refused++
	}
}

// save stores the job with its unsaved results.
func (is *Imports) save(ctx context.Context, imp *running) error {
	imp.Job.Updated = is.web.Now().UTC()
	err := patiently(ctx, func() error { return is.saveOnce(ctx, imp) })
	if err == nil {
		imp.unsaved = nil
	}
	return err
}

func (is *Imports) saveOnce(ctx context.Context, imp *running) error {
	return is.store.SaveJob(ctx, imp.JobClaim, imp.Job.Done()-len(imp.unsaved), imp.unsaved)
}

// release lets another daemon resume the job at once, if the store can be reached.
func (is *Imports) release(ctx context.Context, imp *running, why error) {
	is.web.Logger.Warn("import interrupted; it resumes later", "job", imp.Job.ID, "done", imp.Job.Done(), "total", imp.Job.Total, "err", why)
	if !errors.Is(why, feed.ErrLeaseLost) {
		is.saveState(ctx, imp, feed.JobWaiting)
	}
}

// fail ends a job that no daemon can complete.
func (is *Imports) fail(ctx context.Context, imp *running, why string) {
	imp.Job.Finished = is.web.Now().UTC()
	imp.Job.Error = why + "; import the list again: sources that were added are skipped"
	is.saveState(ctx, imp, feed.JobInterrupted)
}

// saveState saves the last state of a job that this daemon gives up. If that fails, the lease of the job expires.
func (is *Imports) saveState(ctx context.Context, imp *running, state feed.JobState) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	imp.Job.State, imp.Job.Updated = state, is.web.Now().UTC()
	_ = is.saveOnce(ctx, imp)
}

// patiently repeats a call of the store while the store is unavailable, up to storeTimeout.
func patiently(ctx context.Context, call func() error) error {
	_, err := retry.Do(ctx, retry.Options{Limit: storeTimeout, Final: retry.NotUnavailable}, func() (struct{}, error) { return struct{}{}, call() })
	return err
}
