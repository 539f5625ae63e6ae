package desk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// defaultFeed takes the articles of a source that is added without feeds, where the configuration has it.
const defaultFeed = "production"

func (d *Desk) addSource(w http.ResponseWriter, r *http.Request) error {
	var body sourceBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	before, stored, created, err := d.saveSource(r, &body)
	if err != nil {
		return err
	}
	about(r, stored.URL, settings(&before), settings(&stored))
	status := http.StatusOK
	if created {
		status = http.StatusCreated
		w.Header().Set("Location", "/api/v1/sources/"+stored.ID)
		d.opts.Logger.Info("source added", "source", stored.URL)
	}
	answer(w, status, stored)
	return nil
}

// maxSaves bounds how often settings are laid over those that somebody else saves in the same moment.
const maxSaves = 5

// saveSource adds the source of a body, or changes it, on the condition of the request where there is one. What others save
// in the same moment is kept, as far as the body says nothing of it.
func (d *Desk) saveSource(r *http.Request, body *sourceBody) (before, stored feed.Source, created bool, err error) {
	for range maxSaves {
		var source feed.Source
		if before, source, err = d.sourceOf(r.Context(), body); err != nil {
			return before, stored, false, err
		}
		if err = unchanged(r, decidedOfSource(&before)); err != nil {
			return before, stored, false, err
		}
		stored, created, err = d.store.AddSource(r.Context(), source)
		if !errors.Is(err, feed.ErrChanged) {
			break
		}
	}
	return before, stored, created, err
}

// sourceOf checks the body, all fields at once, and lays it over the source that is known by this URL, or over a new one.
// Before is the source as it is; without an ID there is none.
func (d *Desk) sourceOf(ctx context.Context, body *sourceBody) (before, source feed.Source, err error) {
	var problems invalid
	blame := func(field, reason string) { problems = append(problems, feed.FieldError{Field: field, Reason: reason}) }

	url, err := feed.CanonicalURL(body.URL)
	switch {
	case body.URL == "":
		blame("url", "required: the address of the feed")
	case err != nil:
		blame("url", err.Error())
	}
	feeds := []string{} // each once
	if body.Feeds != nil {
		for _, typ := range *body.Feeds {
			if !slices.Contains(d.types, typ) {
				blame("feeds", d.noFeed(typ))
				break // the body has room for very many, and the reason names those that exist
			}
			if !slices.Contains(feeds, typ) {
				feeds = append(feeds, typ)
			}
		}
	}
	if p := body.Publish; p != nil && *p != feed.PublishManual && *p != feed.PublishAuto {
		blame("publish", "use manual or auto")
	}
	var every time.Duration
	if body.Interval != nil {
		every = interval("interval", *body.Interval, maxInterval, blame)
	}
	var request feed.Request
	if body.Request != nil {
		request = body.Request.request(blame)
	}
	if body.Filters != nil {
		if _, err := body.Filters.Compile(); err != nil {
			blame("filters", err.Error())
		}
	}
	var keep feed.Keep
	if body.Keep != nil {
		keep = body.Keep.keep(blame)
	}
	if problems != nil {
		return before, source, problems
	}

	before, err = d.store.Source(ctx, feed.SourceID(url))
	source = before
	switch {
	case errors.Is(err, feed.ErrNotFound):
		source = feed.Source{ID: feed.SourceID(url), URL: url, Publish: feed.PublishManual, Added: d.opts.Now()}
		if slices.Contains(d.types, defaultFeed) {
			source.Feeds = []string{defaultFeed}
		}
	case err != nil:
		return before, source, err
	}
	if body.Feeds != nil {
		source.Feeds = feeds
	}
	if body.Publish != nil {
		source.Publish = *body.Publish
	}
	if body.Interval != nil {
		source.Interval = every
	}
	if body.Request != nil {
		source.Request = request
	}
	if body.Filters != nil {
		source.Filters = *body.Filters
	}
	if body.IgnoreUpdates != nil {
		source.IgnoreUpdates = *body.IgnoreUpdates
	}
	if body.Keep != nil {
		source.Keep = keep
	}
	if body.Categories != nil {
		source.Categories = append([]string{}, feed.CleanCategories(*body.Categories)...)
	}
	return before, source, nil
}

// settings is what people choose about a source, for the audit log, without secrets; empty: there is no source.
func settings(s *feed.Source) string {
	if s.ID == "" {
		return ""
	}
	text := fmt.Sprintf("feeds %s, publish %s", strings.Join(s.Feeds, " "), s.Publish)
	if s.Interval > 0 {
		text += ", every " + whole(s.Interval)
	}
	if n := len(s.Filters.Keep) + len(s.Filters.Block); n > 0 {
		text += ", " + plural(n, "filter")
	}
	if len(s.Categories) > 0 {
		text += ", in " + strings.Join(s.Categories, ", ")
	}
	if s.IgnoreUpdates {
		text += ", ignoring updates"
	}
	return text
}

// noFeed says that an outgoing feed does not exist, and which do.
func (d *Desk) noFeed(typ string) string {
	return fmt.Sprintf("there is no outgoing feed %.64q; there are: %s", typ, strings.Join(d.types, ", "))
}
