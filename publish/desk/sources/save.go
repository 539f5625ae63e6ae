package sources

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// maxSaves limits how often a change is repeated because others save the same source.
const maxSaves = 5

// save adds or changes the source of a body, if the condition of the request holds. Fields that the body does not have keep what others
// save at the same time.
func (ss *Sources) save(r *http.Request, body *sourceBody) (stored feed.Source, created bool, err error) {
	var before, source feed.Source
	for range maxSaves {
		if before, source, err = ss.apply(r.Context(), body); err != nil {
			return stored, false, err
		}
		if err = web.CheckCondition(r, decided(&before)); err != nil {
			return stored, false, err
		}
		stored, created, err = ss.store.AddSource(r.Context(), source)
		if !errors.Is(err, feed.ErrChanged) {
			break
		}
	}
	if err == nil && !stored.About.Equal(&source.About) && stored.Local() {
		stored, err = ss.describe(r.Context(), &stored, source.About)
	}
	if err != nil {
		return stored, created, err
	}
	web.Changed(r, feed.SourceObject(&stored), settings(&before), settings(&stored))
	if created {
		ss.web.Logger.Info("source added", "source", stored.URL)
	}
	return stored, created, nil
}

// describe saves the description of a local source, as a poll does with that of a document.
func (ss *Sources) describe(ctx context.Context, s *feed.Source, about feed.About) (feed.Source, error) {
	if _, err := ss.store.SaveEntries(ctx, feed.Claim{Source: *s}, feed.Document{About: about}); err != nil {
		return *s, err
	}
	return ss.store.Source(ctx, s.ID)
}

// apply returns the source with the URL of a body before and after its settings are applied. A source that does not exist has no ID
// before. The error lists all invalid fields.
func (ss *Sources) apply(ctx context.Context, body *sourceBody) (before, source feed.Source, err error) {
	var problems feed.FieldErrors
	blame := func(field, reason string) { problems = append(problems, feed.FieldError{Field: field, Reason: reason}) }
	switch canonical, invalid := feed.SourceURL(body.URL); {
	case body.URL == "":
		blame("url", "required: the URL of the feed")
	case invalid != nil:
		blame("url", invalid.Error())
	default:
		before, err = ss.store.Source(ctx, feed.SourceID(canonical))
		source = before
		if errors.Is(err, feed.ErrNotFound) {
			source = feed.Source{
				ID: feed.SourceID(canonical), URL: canonical, Publish: feed.PublishManual, Added: ss.web.Now(), Feeds: ss.opts.Feeds.Default(),
			}
		} else if err != nil {
			return before, source, err
		}
	}
	if body.Feeds != nil {
		source.Feeds = ss.knownFeeds(*body.Feeds, blame)
	}
	if body.Publish != nil {
		if source.Publish = *body.Publish; source.Publish != feed.PublishManual && source.Publish != feed.PublishAuto {
			blame("publish", "use manual or auto")
		}
	}
	if body.Interval != nil {
		source.Interval = parseDuration("interval", *body.Interval, feed.MaxInterval, blame)
	}
	if body.Request != nil {
		source.Request = body.Request.parse(blame)
	}
	if body.Filters != nil {
		source.Filters = *body.Filters
		if _, err := source.Filters.Compile(); err != nil {
			blame("filters", err.Error())
		}
	}
	if body.IgnoreUpdates != nil {
		source.IgnoreUpdates = *body.IgnoreUpdates
	}
	if body.Timestamp != nil {
		if source.Timestamp = *body.Timestamp; !source.Timestamp.IsKnown() {
			blame("timestamp", "use source or updated")
		}
	}
	if body.Keep != nil {
		source.Keep = body.Keep.parse(blame)
	}
	if body.Categories != nil {
		source.Categories = append([]string{}, feed.CleanCategories(*body.Categories)...)
	}
	body.localSettings(&source, blame)
	if problems != nil {
		return before, source, problems
	}
	return before, source, nil
}

// knownFeeds returns each outgoing feed once.
func (ss *Sources) knownFeeds(types []string, blame blame) []string {
	known := []string{}
	for _, typ := range types {
		if ss.opts.Feeds.Find(typ) == nil {
			blame("feeds", ss.opts.Feeds.Unknown(typ))
			break // one message is enough: it lists the feeds that exist
		}
		if !slices.Contains(known, typ) {
			known = append(known, typ)
		}
	}
	return known
}

// settings returns the settings of a source in words, without secrets, for the audit log; "" for a source without an ID.
func settings(s *feed.Source) string {
	if s.ID == "" {
		return ""
	}
	text := fmt.Sprintf("feeds %s, publish %s", strings.Join(s.Feeds, " "), s.Publish)
	if s.Interval > 0 {
		text += ", every " + web.GoDuration(s.Interval)
	}
	if n := len(s.Filters.Keep) + len(s.Filters.Block); n > 0 {
		text += ", " + web.Plural(n, "filter")
	}
	if len(s.Categories) > 0 {
		text += ", in " + strings.Join(s.Categories, ", ")
	}
	if s.IgnoreUpdates {
		text += ", ignoring updates"
	}
	if s.Timestamp == feed.TimestampUpdated {
		text += ", ordered by last edit"
	}
	return text
}
