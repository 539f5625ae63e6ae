package imports

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const internalError = "internal error; the log of the daemon has the reason"

// addSource adds a source of a list unless it exists. It returns an error if the store stays unavailable or ctx ends.
func (is *Imports) addSource(ctx context.Context, imp *running, listed *feed.ListedSource) (feed.JobResult, error) {
	source := listed.Source
	result := feed.JobResult{URL: source.URL, Title: source.About.Title, Outcome: feed.JobRefused, Reason: listed.Problem, Note: listed.Ignored}
	if result.Reason == "" {
		source.Added = is.web.Now()
		result.Reason = complete(&source, imp)
	}
	if result.Reason != "" {
		return result, nil
	}
	result.Source = source.ID
	err := patiently(ctx, func() (err error) {
		result.Outcome, err = is.addUnlessKnown(ctx, imp, &source)
		return err
	})
	switch {
	case err == nil:
		return result, nil
	case errors.Is(err, feed.ErrInvalid):
		result.Outcome, result.Reason = feed.JobRefused, err.Error()
		return result, nil
	case ctx.Err() == nil && !errors.Is(err, feed.ErrUnavailable):
		is.web.Logger.Error("source not imported", "source", source.URL, "err", err)
		result.Outcome, result.Reason = feed.JobRefused, internalError
		return result, nil
	}
	return result, fmt.Errorf("import %s: %w", source.URL, err)
}

func (is *Imports) addUnlessKnown(ctx context.Context, imp *running, source *feed.Source) (feed.JobOutcome, error) {
	stored, err := is.store.Source(ctx, source.ID)
	switch {
	case err == nil && imp.Job.Tries > 1 && !imp.choices.DryRun && !stored.Added.Before(imp.Job.Created.Truncate(time.Second)):
		return feed.JobAdded, nil // by an earlier try, which did not save its result
	case err == nil:
		return feed.JobKnown, nil
	case !errors.Is(err, feed.ErrNotFound):
		return "", err
	case imp.choices.DryRun:
		return feed.JobAdded, nil
	}
	_, _, err = is.store.AddSource(ctx, *source)
	return feed.JobAdded, err
}

// complete applies the choices and the defaults to a source. It returns why the source cannot be added, or "".
func complete(source *feed.Source, imp *running) (refusal string) {
	switch {
	case imp.choices.Feeds != nil:
		source.Feeds = imp.choices.Feeds
	case source.Feeds == nil:
		source.Feeds = imp.feeds.Default()
	}
	if imp.choices.Publish != "" {
		source.Publish = imp.choices.Publish
	}
	if source.Publish == "" {
		source.Publish = feed.PublishManual
	}
	for _, typ := range source.Feeds {
		if imp.feeds.Find(typ) == nil {
			return imp.feeds.Unknown(typ)
		}
	}
	for _, setting := range []struct {
		name       string
		value, max time.Duration
	}{
		{"interval", source.Interval, feed.MaxInterval}, {"shortest interval", source.Request.MinInterval, feed.MaxInterval},
		{"timeout", source.Request.Timeout, feed.MaxTimeout}, {"time to keep entries", time.Duration(source.Keep.For), feed.MaxKeepFor},
	} {
		if setting.value != 0 && (setting.value < feed.MinInterval || setting.value > setting.max) {
			return fmt.Sprintf("its %s is %s; use 1s to %s", setting.name, setting.value, web.GoDuration(setting.max))
		}
	}
	if source.Keep.Entries > feed.MaxKeepEntries {
		return fmt.Sprintf("it keeps %d entries; use up to %d", source.Keep.Entries, feed.MaxKeepEntries)
	}
	return ""
}
