package imports

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxOPML    = 8 << 20 // bytes
	maxResults = 1000    // in one response
)

// export serves GET /sources/export and GET /api/v1/opml: all sources as a file.
func (is *Imports) export(w http.ResponseWriter, r *http.Request) error {
	sources, err := is.store.Sources(r.Context())
	if err != nil {
		return err
	}
	is.web.Download(w, "text/x-opml; charset=utf-8", "feedwire.opml", func(w io.Writer) error { return is.opts.WriteOPML(w, sources) })
	return nil
}

// importBody serves POST /api/v1/opml: it starts an import and returns its job.
func (is *Imports) importBody(w http.ResponseWriter, r *http.Request) error {
	choices, err := is.choicesOf(r.URL.Query())
	if err != nil {
		return err
	}
	if err := is.mayStart(r.Context()); err != nil {
		return err
	}
	body, err := web.ReadBody(r)
	if err != nil {
		return err
	}
	job, err := is.start(r, listWork{OPML: body, ContentType: r.Header.Get("Content-Type"), Choices: choices}, "body")
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/v1/jobs/"+job.ID)
	web.JSON(w, http.StatusAccepted, feed.JobReport{Job: job, Results: []feed.JobResult{}})
	return nil
}

// choices override the list.
type choices struct {
	DryRun  bool
	Feeds   []string         // nil: those of the list
	Publish feed.PublishMode // empty: that of the list
}

// choicesOf returns the choices of a query or a form.
func (is *Imports) choicesOf(query url.Values) (choices, error) {
	c := choices{Publish: feed.PublishMode(query.Get("publish"))}
	switch dry := query.Get("dry_run"); dry {
	case "", "0", "false":
	case "1", "true":
		c.DryRun = true
	default:
		return c, feed.Invalid("dry_run", "use 1 or 0")
	}
	if query.Has("feeds") {
		c.Feeds = slices.DeleteFunc(strings.Split(query.Get("feeds"), ","), func(typ string) bool { return typ == "" })
		feeds := *is.feeds.Load()
		for _, typ := range c.Feeds {
			if feeds.Find(typ) == nil {
				return c, feed.Invalid("feeds", feeds.Unknown(typ))
			}
		}
	}
	if c.Publish != "" && c.Publish != feed.PublishManual && c.Publish != feed.PublishAuto {
		return c, feed.Invalid("publish", "use manual or auto")
	}
	return c, nil
}

// getJob serves GET /api/v1/jobs/{id}: the progress of an import and a page of its results.
func (is *Imports) getJob(r *http.Request) (report feed.JobReport, err error) {
	query := web.QueryOf(r)
	from, limit := query.Number("from", 0, 0, 1_000_000), query.Number("limit", web.MaxLimit, 1, maxResults)
	if query.Err != nil {
		return report, query.Err
	}
	report.Job, report.Results, err = is.job(r, from, limit)
	report.Results = append([]feed.JobResult{}, report.Results...)
	report.Next = from + len(report.Results)
	return report, err
}

// job returns the job of the path with up to limit results from an index on.
func (is *Imports) job(r *http.Request, from, limit int) (feed.Job, []feed.JobResult, error) {
	id := r.PathValue("id")
	if len(id) > 64 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return feed.Job{}, nil, fmt.Errorf("job %.64q: %w", id, feed.ErrNotFound)
	}
	return is.store.Job(r.Context(), id, from, limit)
}
