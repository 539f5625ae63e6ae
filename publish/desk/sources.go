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

// The bounds of a source's own polling interval.
const (
	minInterval = time.Second
	maxInterval = 30 * 24 * time.Hour
)

// defaultFeed takes the articles of a source that is added without feeds, where the configuration has it.
const defaultFeed = "production"

func (d *Desk) listSources(w http.ResponseWriter, r *http.Request) error {
	sources, err := d.store.Sources(r.Context())
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, list(sources, ""))
	return nil
}

// sourceBody is what POST /sources takes. What is left out stays as it is with a known source.
type sourceBody struct {
	URL      string            `json:"url"`
	Feeds    *[]string         `json:"feeds"`    // outgoing feeds; left out: production
	Publish  *feed.PublishMode `json:"publish"`  // left out: manual
	Interval *string           `json:"interval"` // "30m"; left out or "": the daemon's default

	Filters    *feed.Filters `json:"filters"`    // which entries are taken; left out: all
	Categories *[]string     `json:"categories"` // for people, "News/Technology"
}

func (d *Desk) addSource(w http.ResponseWriter, r *http.Request) error {
	var body sourceBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	source, err := d.sourceOf(r.Context(), &body)
	if err != nil {
		return err
	}
	stored, created, err := d.store.AddSource(r.Context(), source)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
		w.Header().Set("Location", "/api/v1/sources/"+stored.ID)
		d.opts.Logger.Info("source added", "source", stored.URL)
	}
	answer(w, status, stored)
	return nil
}

// sourceOf checks the body, all fields at once, and lays it over the source that is known by this URL, or over a new one.
func (d *Desk) sourceOf(ctx context.Context, body *sourceBody) (feed.Source, error) {
	var problems invalid
	blame := func(field, reason string) { problems = append(problems, feed.FieldError{Field: field, Reason: reason}) }

	url, err := feed.CanonicalURL(body.URL)
	switch {
	case body.URL == "":
		blame("url", "required: the address of the feed")
	case err != nil:
		blame("url", err.Error())
	}
	if body.Feeds != nil {
		for _, typ := range *body.Feeds {
			if !slices.Contains(d.types, typ) {
				blame("feeds", d.noFeed(typ))
			}
		}
	}
	if p := body.Publish; p != nil && *p != feed.PublishManual && *p != feed.PublishAuto {
		blame("publish", "use manual or auto")
	}
	var interval time.Duration
	if body.Interval != nil && *body.Interval != "" {
		interval, err = time.ParseDuration(*body.Interval)
		if err != nil || interval < minInterval || interval > maxInterval {
			blame("interval", "use a duration from 1s to 720h, like 90s or 1h30m")
		}
	}
	if body.Filters != nil {
		if _, err := body.Filters.Compile(); err != nil {
			blame("filters", err.Error())
		}
	}
	if problems != nil {
		return feed.Source{}, problems
	}

	source, err := d.store.Source(ctx, feed.SourceID(url))
	switch {
	case errors.Is(err, feed.ErrNotFound):
		source = feed.Source{ID: feed.SourceID(url), URL: url, Publish: feed.PublishManual, Added: d.opts.Now()}
		if slices.Contains(d.types, defaultFeed) {
			source.Feeds = []string{defaultFeed}
		}
	case err != nil:
		return feed.Source{}, err
	}
	if body.Feeds != nil {
		source.Feeds = *body.Feeds
	}
	if body.Publish != nil {
		source.Publish = *body.Publish
	}
	if body.Interval != nil {
		source.Interval = interval
	}
	if body.Filters != nil {
		source.Filters = *body.Filters
	}
	if body.Categories != nil {
		source.Categories = append([]string{}, feed.CleanCategories(*body.Categories)...)
	}
	return source, nil
}

// noFeed says that an outgoing feed does not exist, and which do.
func (d *Desk) noFeed(typ string) string {
	return fmt.Sprintf("there is no outgoing feed %.64q; there are: %s", typ, strings.Join(d.types, ", "))
}

// sourceID takes the source from the path: its id, or its URL in escaped form.
func sourceID(r *http.Request) (string, error) {
	name := r.PathValue("id")
	if len(name) == 12 && strings.Trim(name, "0123456789abcdef") == "" {
		return name, nil
	}
	url, err := feed.CanonicalURL(name)
	if err != nil {
		return "", fmt.Errorf("source %.128q %w: name it by its 12 hex digits or by its URL", name, feed.ErrNotFound)
	}
	return feed.SourceID(url), nil
}

func (d *Desk) showSource(w http.ResponseWriter, r *http.Request) error {
	return d.withSource(w, r, http.StatusOK, func(context.Context, string) error { return nil })
}

func (d *Desk) pollSource(w http.ResponseWriter, r *http.Request) error {
	return d.withSource(w, r, http.StatusAccepted, d.store.PollSource)
}

func (d *Desk) pauseSource(w http.ResponseWriter, r *http.Request) error {
	return d.withSource(w, r, http.StatusOK, func(ctx context.Context, id string) error {
		return d.store.SetPaused(ctx, id, true)
	})
}

func (d *Desk) resumeSource(w http.ResponseWriter, r *http.Request) error {
	return d.withSource(w, r, http.StatusOK, func(ctx context.Context, id string) error {
		return d.store.SetPaused(ctx, id, false)
	})
}

// withSource does something with the source of the path and answers with the source as it is then.
func (d *Desk) withSource(
	w http.ResponseWriter, r *http.Request, status int, do func(ctx context.Context, id string) error,
) error {
	id, err := sourceID(r)
	if err != nil {
		return err
	}
	if err := do(r.Context(), id); err != nil {
		return err
	}
	source, err := d.store.Source(r.Context(), id)
	if err != nil {
		return err
	}
	answer(w, status, source)
	return nil
}

func (d *Desk) removeSource(w http.ResponseWriter, r *http.Request) error {
	id, err := sourceID(r)
	if err != nil {
		return err
	}
	if err := d.store.RemoveSource(r.Context(), id); err != nil {
		return err
	}
	d.opts.Logger.Info("source removed", "source", id)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (d *Desk) listEntries(w http.ResponseWriter, r *http.Request) error {
	id, err := sourceID(r)
	if err != nil {
		return err
	}
	limit, err := limit(r)
	if err != nil {
		return err
	}
	source, err := d.store.Source(r.Context(), id)
	if err != nil {
		return err
	}
	entries, err := d.store.Entries(r.Context(), source.URL, limit)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, list(entries, ""))
	return nil
}

func (d *Desk) showEntry(w http.ResponseWriter, r *http.Request) error {
	n := r.PathValue("n")
	if len(n) > 19 || strings.Trim(n, "0123456789") != "" {
		return fmt.Errorf("entry %.32q %w: name it by its number, as 5 for Entry:5", n, feed.ErrNotFound)
	}
	entry, err := d.store.Entry(r.Context(), "Entry:"+n)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, entry)
	return nil
}
