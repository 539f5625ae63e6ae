package imports

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	refreshSeconds = 2 // until the import ends
	shownResults   = 500
	formOverhead   = 64 << 10 // bytes of a form beside its file
)

func (is *Imports) showForm(w http.ResponseWriter, r *http.Request) error {
	return is.web.Render(w, r, "import.html", &web.Frame{Title: "Import sources"})
}

// importFile starts the import of the file in a form.
func (is *Imports) importFile(r *http.Request) (next web.Next, err error) {
	if err := is.mayStart(r.Context()); err != nil {
		return next, err
	}
	list, err := fileOf(r)
	if err != nil {
		return next, err
	}
	if list.Choices, err = is.choicesOf(r.PostForm); err != nil {
		return next, err
	}
	job, err := is.start(r, list, "file")
	return web.Next{Page: "/imports/" + job.ID}, err
}

// fileOf returns the file of a form.
func fileOf(r *http.Request) (list listWork, err error) {
	tooLarge := feed.Invalid("file", fmt.Sprintf("the file is larger than %d MiB", maxOPML>>20))
	file, header, err := r.FormFile("file")
	var tooMany *http.MaxBytesError
	switch {
	case errors.As(err, &tooMany):
		return list, tooLarge
	case err != nil:
		return list, feed.Invalid("file", "choose an OPML file")
	}
	defer r.MultipartForm.RemoveAll() //nolint:errcheck // the system removes temporary files, too
	defer file.Close()                //nolint:errcheck // it was only read
	list.ContentType = header.Header.Get("Content-Type")
	if header.Size > maxOPML {
		return list, tooLarge
	}
	list.OPML = make([]byte, header.Size)
	if _, err := io.ReadFull(file, list.OPML); err != nil {
		return list, feed.Invalid("file", "the file could not be read; send it again")
	}
	r.MultipartForm.File = nil // the form has another copy
	return list, nil
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
