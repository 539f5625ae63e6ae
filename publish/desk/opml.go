package desk

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxOPML    = 8 << 20 // bytes
	maxResults = 1000    // of a job, in one answer
)

// exportOPML answers with all sources as a file.
func (d *Desk) exportOPML(w http.ResponseWriter, r *http.Request) error {
	sources, err := d.store.Sources(r.Context())
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/x-opml; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="feedwire.opml"`)
	w.Header().Set("Cache-Control", "no-store")
	if err := d.opts.WriteOPML(w, sources); err != nil {
		d.opts.Logger.Debug("export broken off", "err", err) // the client is gone: it has no use for an answer
	}
	return nil
}

// importOPML starts the import of a list of sources and answers with its job.
func (d *Desk) importOPML(w http.ResponseWriter, r *http.Request) error {
	choices, err := d.importChoices(r)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxOPML))
	if err != nil {
		return err
	}
	list := listWork{OPML: body, ContentType: r.Header.Get("Content-Type"), Choices: choices}
	listed, err := d.opts.ReadOPML(list.OPML, list.ContentType)
	if err != nil {
		return fmt.Errorf("%w body: %w", feed.ErrInvalid, err)
	}
	job, err := d.startImport(r, list, len(listed))
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/v1/jobs/"+job.ID)
	answer(w, http.StatusAccepted, feed.JobReport{Job: job, Results: []feed.JobResult{}})
	return nil
}

// startImport starts the import of a list that could be read, with so many sources in it.
func (d *Desk) startImport(r *http.Request, list listWork, total int) (job feed.Job, err error) {
	now := d.opts.Now().UTC()
	job = feed.Job{
		ID: strings.ToLower(rand.Text()), State: feed.JobWaiting, DryRun: list.Choices.DryRun, Created: now, Updated: now, Total: total,
	}
	work, err := json.Marshal(list)
	if err != nil {
		return job, err
	}
	err = d.store.StartJob(r.Context(), job, work, maxImports)
	if errors.Is(err, feed.ErrConflict) {
		return job, fmt.Errorf("%d imports are under way: another one is %w; try again when one has ended",
			maxImports, feed.ErrConflict)
	}
	if err != nil {
		return job, err
	}
	select {
	case d.wake <- struct{}{}:
	default: // Run looks already
	}
	about(r, "job "+job.ID, "", plural(job.Total, "source"))
	if job.DryRun {
		changedNothing(r)
	}
	return job, nil
}

// importChoices are what the query says of an import.
type importChoices struct {
	DryRun  bool
	Feeds   []string         // in place of what the list says; nil: as the list says
	Publish feed.PublishMode // likewise; empty: as the list says
}

func (d *Desk) importChoices(r *http.Request) (importChoices, error) {
	var c importChoices
	query := r.URL.Query()
	switch dry := query.Get("dry_run"); dry {
	case "", "0", "false":
	case "1", "true":
		c.DryRun = true
	default:
		return c, wrong("dry_run", "use 1 or 0")
	}
	if query.Has("feeds") {
		c.Feeds = slices.DeleteFunc(strings.Split(query.Get("feeds"), ","), func(typ string) bool { return typ == "" })
		for _, typ := range c.Feeds {
			if !slices.Contains(d.types, typ) {
				return c, wrong("feeds", d.noFeed(typ))
			}
		}
	}
	c.Publish = feed.PublishMode(query.Get("publish"))
	if c.Publish != "" && c.Publish != feed.PublishManual && c.Publish != feed.PublishAuto {
		return c, wrong("publish", "use manual or auto")
	}
	return c, nil
}

// showJob answers with how far a job is, and its results from one on.
func (d *Desk) showJob(w http.ResponseWriter, r *http.Request) error {
	id, err := jobID(r)
	if err != nil {
		return err
	}
	from, err := number(r, "from", 0, 0, 1_000_000)
	if err != nil {
		return err
	}
	most, err := number(r, "limit", maxLimit, 1, maxResults)
	if err != nil {
		return err
	}
	job, results, err := d.store.Job(r.Context(), id, from, most)
	if err != nil {
		return err
	}
	if results == nil {
		results = []feed.JobResult{}
	}
	answer(w, http.StatusOK, feed.JobReport{Job: job, Results: results, Next: from + len(results)})
	return nil
}

// jobID takes the job from the path.
func jobID(r *http.Request) (string, error) {
	id := r.PathValue("id")
	if len(id) > 64 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return "", fmt.Errorf("job %.64q: %w", id, feed.ErrNotFound)
	}
	return id, nil
}
