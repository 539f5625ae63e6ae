package imports

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	refreshSeconds = 2 // until the import ends
	shownResults   = 500
)

func (is *Imports) showForm(w http.ResponseWriter, r *http.Request) error {
	return is.web.Render(w, r, "import.html", &web.Frame{Title: "Import sources"})
}

// importFile starts the import of the file in a form.
func (is *Imports) importFile(r *http.Request) (next web.Next, err error) {
	if err := is.mayStart(r.Context()); err != nil {
		return next, err
	}
	var list listWork
	if list.OPML, list.ContentType, err = web.FormFile(r, "file", maxOPML, "choose an OPML file"); err != nil {
		return next, err
	}
	if list.Choices, err = is.choicesOf(r.PostForm); err != nil {
		return next, err
	}
	job, err := is.start(r, list, "file")
	return web.Next{Page: "/imports/" + job.ID}, err
}

// jobPage is the data of importing.html.
type jobPage struct {
	web.Frame
	Job            feed.Job
	Mood, Headline string
	Rows           []feed.JobResult
	More           int // results that are not shown
}

// showImport serves "/imports/{id}": the progress of an import and its results, refused sources first.
func (is *Imports) showImport(w http.ResponseWriter, r *http.Request) error {
	job, results, err := is.job(r, 0, maxResults)
	if err != nil {
		return err
	}
	job = job.AsOf(is.web.Now())
	page := jobPage{Frame: web.Frame{Title: "Import", Refresh: refreshSeconds}, Job: job}
	if job.Ended() {
		page.Refresh = 0
	}
	page.Mood, page.Headline = status(&job)
	order := map[feed.JobOutcome]int{feed.JobRefused: -1}
	slices.SortStableFunc(results, func(a, b feed.JobResult) int { return order[a.Outcome] - order[b.Outcome] })
	page.Rows = results[:min(shownResults, len(results))]
	page.More = job.Done() - len(page.Rows)
	return is.web.Render(w, r, "importing.html", &page)
}

// status returns the state of a job in words.
func status(job *feed.Job) (mood, headline string) {
	switch job.State {
	case feed.JobDone:
		if job.DryRun {
			return "well", "Dry run completed. Nothing was added."
		}
		return "well", "Imported."
	case feed.JobInterrupted:
		return "trouble", "The import failed: " + job.Error
	case feed.JobRunning:
		return "wait", fmt.Sprintf("Importing: %d of %d.", job.Done(), job.Total)
	case feed.JobWaiting:
	}
	return "wait", "Waiting for a daemon to start or resume the import."
}
