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
	maxTimeout  = 10 * time.Minute
)

// defaultFeed takes the articles of a source that is added without feeds, where the configuration has it.
const defaultFeed = "production"

// listSources answers sources in the order of their URLs.
func (d *Desk) listSources(w http.ResponseWriter, r *http.Request) error {
	limit, err := limit(r)
	if err != nil {
		return err
	}
	after, err := cursor(r)
	if err != nil {
		return err
	}
	sources, next, err := d.store.SourcesPage(r.Context(), after, limit)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, list(sources, cursorText(next)))
	return nil
}

// sourceBody is what POST /sources takes. What is left out stays as it is with a known source.
type sourceBody struct {
	URL      string            `json:"url"`
	Feeds    *[]string         `json:"feeds"`    // outgoing feeds; left out: production
	Publish  *feed.PublishMode `json:"publish"`  // left out: manual
	Interval *string           `json:"interval"` // "30m"; left out, "" or "0s": the daemon's default
	Request  *requestBody      `json:"request"`  // left out: the daemon's defaults; given, it replaces all of it

	Filters    *feed.Filters `json:"filters"`    // which entries are taken; left out: all
	Categories *[]string     `json:"categories"` // for people, "News/Technology"

	IgnoreUpdates *bool     `json:"ignore_updates"` // left out: false
	Keep          *keepBody `json:"keep"`           // left out: the daemon's defaults
}

// keepBody is which entries housekeeping leaves; see feed.Keep.
type keepBody struct {
	Entries int    `json:"entries"`
	For     string `json:"for"` // "720h"
}

// Bounds of what is kept.
const (
	maxKeepEntries = 1_000_000
	maxKeepFor     = 10 * 365 * 24 * time.Hour
)

// keep checks the body and blames its fields.
func (b *keepBody) keep(blame func(field, reason string)) feed.Keep {
	if b.Entries < 0 || b.Entries > maxKeepEntries {
		blame("keep.entries", fmt.Sprintf("use a number up to %d, or 0 for the default", maxKeepEntries))
	}
	return feed.Keep{Entries: b.Entries, For: interval("keep.for", b.For, maxKeepFor, blame)}
}

// requestBody is how the source is asked; see feed.Request.
type requestBody struct {
	Timeout     string            `json:"timeout"`      // "45s"
	MinInterval string            `json:"min_interval"` // "2h"
	Headers     map[string]string `json:"headers"`
	Username    string            `json:"username"`
	Password    string            `json:"password"`
	Proxy       string            `json:"proxy"` // a URL, or direct
}

// maxHeaders bounds the header fields of one source.
const maxHeaders = 20

// request checks the body and blames its fields.
func (b *requestBody) request(blame func(field, reason string)) feed.Request {
	req := feed.Request{Headers: b.Headers, Username: b.Username, Password: b.Password, Proxy: b.Proxy}
	req.Timeout = interval("request.timeout", b.Timeout, maxTimeout, blame)
	req.MinInterval = interval("request.min_interval", b.MinInterval, maxInterval, blame)
	if len(b.Headers) > maxHeaders {
		blame("request.headers", fmt.Sprintf("use at most %d", maxHeaders))
	}
	for name, value := range b.Headers {
		if err := feed.CheckHeader(name, value); err != nil {
			blame("request.headers", err.Error())
		}
	}
	if err := feed.CheckCredentials(b.Username, b.Password); err != nil {
		blame("request.username", err.Error())
	}
	if b.Proxy != "" && b.Proxy != "direct" {
		if err := feed.CheckProxy(b.Proxy); err != nil {
			blame("request.proxy", err.Error())
		}
	}
	return req
}

// interval reads a duration from minInterval to most; none is 0, which may be written, too.
func interval(field, s string, most time.Duration, blame func(field, reason string)) time.Duration {
	if s == "" {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || (d != 0 && d < minInterval) || d > most {
		blame(field, fmt.Sprintf("use a duration from 1s to %s, like 90s or 1h30m, or 0s for the default", whole(most)))
		return 0
	}
	return d
}

// whole spells a duration of whole minutes or hours.
func whole(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

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

// sourceID takes the source from the path: its id, or its URL in escaped form.
func sourceID(r *http.Request) (string, error) {
	return checkSource(r.PathValue("id"))
}

// checkSource is the id of a source that is named by its id or URL.
func checkSource(name string) (string, error) {
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

// pollSource makes a source due, with ?full=1 to be read anew; with ?trace=1 it is polled before the answer, which is the
// trace.
func (d *Desk) pollSource(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Query().Get("trace") == "1" {
		return d.tracePoll(w, r)
	}
	poll := d.store.PollSource
	if inFull(r) {
		poll = d.store.PollInFull
	}
	return d.withSource(w, r, http.StatusAccepted, poll)
}

// inFull reports whether a request for a poll wants the document read anew, changed or not.
func inFull(r *http.Request) bool { return r.URL.Query().Get("full") == "1" }

// pollSources makes all sources due.
func (d *Desk) pollSources(w http.ResponseWriter, r *http.Request) error {
	due, err := d.store.PollSources(r.Context())
	if err != nil {
		return err
	}
	d.opts.Logger.Info("all sources are to be polled", "count", due)
	answer(w, http.StatusAccepted, map[string]int{"due": due})
	return nil
}

func (d *Desk) tracePoll(w http.ResponseWriter, r *http.Request) error {
	id, err := sourceID(r)
	if err != nil {
		return err
	}
	if d.opts.Trace == nil {
		return fmt.Errorf("this daemon cannot trace a poll: %w", feed.ErrConflict)
	}
	// The poll has its own bound, which may be longer than that of other answers. Where none can be set, none is.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(maxTimeout + time.Minute))
	trace, err := d.opts.Trace(r.Context(), id, inFull(r))
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, trace)
	return nil
}

func (d *Desk) pauseSource(w http.ResponseWriter, r *http.Request) error {
	return d.withSource(w, r, http.StatusOK, d.pause)
}

func (d *Desk) resumeSource(w http.ResponseWriter, r *http.Request) error {
	return d.withSource(w, r, http.StatusOK, d.resume)
}

// withSource does something with the source of the path and answers with the source as it is then, and with what decides
// when it is polled.
func (d *Desk) withSource(
	w http.ResponseWriter, r *http.Request, status int, do func(ctx context.Context, id string) error,
) error {
	id, err := sourceID(r)
	if err != nil {
		return err
	}
	if err := d.asSeen(r, id); err != nil {
		return err
	}
	if err := do(r.Context(), id); err != nil {
		return err
	}
	source, err := d.store.Source(r.Context(), id)
	if err != nil {
		return err
	}
	about(r, source.URL, "", "")
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		decided(w, decidedOfSource(&source))
	}
	source.Pace = d.opts.Pace(&source)
	source.Republished = d.opts.Republished(source.ID)
	answer(w, status, source)
	return nil
}

// asSeen is nil where a request sets no condition, or the source stands as it knows it. Between this look and what follows
// others may change it: pausing, resuming, polling and removing lose nothing that they wrote but what they were to.
func (d *Desk) asSeen(r *http.Request, id string) error {
	if !conditional(r) {
		return nil
	}
	source, err := d.store.Source(r.Context(), id)
	if err != nil {
		return err
	}
	return unchanged(r, decidedOfSource(&source))
}

func (d *Desk) removeSource(w http.ResponseWriter, r *http.Request) error {
	id, err := sourceID(r)
	if err != nil {
		return err
	}
	source, err := d.store.Source(r.Context(), id)
	if err != nil {
		return err
	}
	if err := unchanged(r, decidedOfSource(&source)); err != nil {
		return err
	}
	if err := d.store.RemoveSource(r.Context(), id); err != nil {
		return err
	}
	about(r, source.URL, settings(&source), "")
	d.opts.Logger.Info("source removed", "source", id)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// listEntries answers entries of a source, the newest first, without their content unless it is asked for.
func (d *Desk) listEntries(w http.ResponseWriter, r *http.Request) error {
	id, err := sourceID(r)
	if err != nil {
		return err
	}
	limit, err := limit(r)
	if err != nil {
		return err
	}
	content, err := withContent(r)
	if err != nil {
		return err
	}
	from, err := feed.ParseCursor(r.URL.Query().Get("cursor"))
	if err != nil {
		return wrong("cursor", err.Error())
	}
	source, err := d.store.Source(r.Context(), id)
	if err != nil {
		return err
	}
	entries, next, err := d.store.EntriesPage(r.Context(), source.URL, from, limit)
	if err != nil {
		return err
	}
	if !content {
		for i := range entries {
			entries[i].Content = ""
		}
	}
	answer(w, http.StatusOK, list(entries, next.String()))
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
