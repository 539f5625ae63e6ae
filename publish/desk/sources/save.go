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
	var c change
	for range maxSaves {
		if c, err = ss.apply(r.Context(), body); err != nil {
			return stored, false, err
		}
		if err = web.CheckCondition(r, decided(&c.before)); err != nil {
			return stored, false, err
		}
		if stored, created, err = ss.write(r.Context(), c); !errors.Is(err, feed.ErrChanged) {
			break
		}
	}
	if err == nil && !stored.About.Equal(&c.source.About) && stored.Local() {
		stored, err = ss.describe(r.Context(), &stored, c.source.About)
	}
	if err != nil {
		return stored, created, err
	}
	web.Changed(r, feed.SourceObject(&stored), settings(&c.before), settings(&stored))
	if created {
		ss.web.Logger.Info("source added", "source", stored.URL)
	}
	return stored, created, nil
}

// change is what a request makes of a source.
type change struct {
	before  feed.Source // without ID: it does not exist
	source  feed.Source // with its settings
	edit    feed.SourceEdit
	request bool // the connection settings are new
}

// write stores a change: name and address first if the source exists, so that secrets for another address replace those that the change of
// the address removes.
func (ss *Sources) write(ctx context.Context, c change) (stored feed.Source, created bool, err error) {
	source, exists := c.source, c.before.ID != ""
	if exists && !c.edit.IsZero() {
		edited, err := ss.store.EditSource(ctx, source.ID, c.edit, source.Revision)
		if err != nil {
			return edited, false, err
		}
		source.Revision, source.Poll = edited.Revision, edited.Poll
		if !c.request {
			source.Request = edited.Request
		}
	}
	if home := feed.Origin(source.Address()); c.request && source.Poll.Move.Chosen && home != feed.Origin(source.URL) {
		source.Request.SecretsFor = home
	}
	if stored, created, err = ss.store.AddSource(ctx, source); err == nil && created && !c.edit.IsZero() {
		stored, err = ss.store.EditSource(ctx, stored.ID, c.edit, 0)
	}
	return stored, created, err
}

// describe saves the description of a local source, as a poll does with that of a document.
func (ss *Sources) describe(ctx context.Context, s *feed.Source, about feed.About) (feed.Source, error) {
	if _, err := ss.store.SaveEntries(ctx, feed.Claim{Source: *s}, feed.Document{About: about}); err != nil {
		return *s, err
	}
	return ss.store.Source(ctx, s.ID)
}

// apply returns what a body makes of the source with its URL. The error lists all invalid fields.
func (ss *Sources) apply(ctx context.Context, body *sourceBody) (c change, err error) {
	var problems feed.FieldErrors
	blame := func(field, reason string) { problems = append(problems, feed.FieldError{Field: field, Reason: reason}) }
	source := &c.source
	switch canonical, invalid := feed.SourceURL(body.URL); {
	case body.URL == "":
		blame("url", "required: the URL of the feed")
	case invalid != nil:
		blame("url", invalid.Error())
	default:
		c.before, err = ss.store.Source(ctx, feed.SourceID(canonical))
		*source = c.before
		if errors.Is(err, feed.ErrNotFound) {
			*source = feed.Source{
				ID: feed.SourceID(canonical), URL: canonical, Publish: feed.PublishManual, Added: ss.web.Now(), Feeds: ss.opts.Feeds.Default(),
			}
		} else if err != nil {
			return c, err
		}
		c.edit = body.edit(canonical, blame)
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
	if c.request = body.Request != nil; c.request {
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
	body.localSettings(source, blame)
	if problems != nil {
		return c, problems
	}
	return c, nil
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
	if s.Label != "" {
		text += ", name " + s.Label
	}
	if s.Poll.Move.Chosen {
		text += ", polled at " + s.Address()
	}
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
