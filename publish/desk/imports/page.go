package imports

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	refreshSeconds = 2 // until the import ends
	shownResults   = 500
	formOverhead   = 64 << 10 // bytes of a form beside its file
)

// formPage is the data of import.html.
type formPage struct {
	web.Frame
	Problem string
}

func (is *Imports) showForm(w http.ResponseWriter, r *http.Request) error {
	is.renderForm(w, r, http.StatusOK, "")
	return nil
}

// renderForm shows the form and the problem that it had; "": none.
func (is *Imports) renderForm(w http.ResponseWriter, r *http.Request, status int, problem string) {
	page := formPage{Frame: is.web.Frame(r, "Import sources – feedwire", 0), Problem: problem}
	is.pages.Render(w, r, status, "import.html", page)
}

// importFile starts the import of the file in a form.
func (is *Imports) importFile(w http.ResponseWriter, r *http.Request) error {
	list, err := fileOf(r)
	if err != nil {
		return err
	}
	list.Choices = choices{DryRun: r.PostFormValue("dry_run") != "", Publish: feed.PublishMode(r.PostFormValue("publish"))}
	if err := checkMode(list.Choices.Publish); err != nil {
		return err
	}
	listed, err := is.opts.ReadOPML(list.OPML, list.ContentType)
	if err != nil {
		return feed.Invalid("file", err.Error())
	}
	job, err := is.start(r, list, len(listed))
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/imports/"+job.ID, http.StatusSeeOther)
	return nil
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
	list.OPML, err = io.ReadAll(io.LimitReader(file, maxOPML+1))
	switch {
	case err != nil:
		return list, feed.Invalid("file", "the file could not be read; send it again")
	case len(list.OPML) > maxOPML:
		return list, tooLarge
	}
	return list, nil
}

// jobPage is the data of importing.html.
type jobPage struct {
	web.Frame
	Job      feed.Job
	Done     int
	Mood     string
	Headline string
	Lines    []string
	Rows     []resultRow
	More     int // results that are not shown
}

// resultRow is the result of one source.
type resultRow struct{ Title, URL, Source, Outcome, Reason string }

// showImport serves "/imports/{id}": the progress of an import and its results, refused sources first.
func (is *Imports) showImport(w http.ResponseWriter, r *http.Request) error {
	id, err := jobID(r)
	if err != nil {
		return err
	}
	job, results, err := is.store.Job(r.Context(), id, 0, maxResults)
	if err != nil {
		return err
	}
	job = job.AsOf(is.web.Now())
	page := jobPage{Job: job, Done: job.Done()}
	refresh := refreshSeconds
	if job.Ended() {
		refresh = 0
	}
	page.Mood, page.Headline = status(&job)
	page.Lines = append(page.Lines, fmt.Sprintf("%d added · %d known · %d refused, of %d", job.Added, job.Known, job.Refused, job.Total))
	for _, refused := range []bool{true, false} {
		for i := range results {
			if (results[i].Outcome == feed.JobRefused) == refused && len(page.Rows) < shownResults {
				page.Rows = append(page.Rows, resultRowOf(&results[i]))
			}
		}
	}
	page.More = page.Done - len(page.Rows)
	page.Frame = is.web.Frame(r, "Import – feedwire", refresh)
	is.pages.Render(w, r, http.StatusOK, "importing.html", page)
	return nil
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

func resultRowOf(result *feed.JobResult) resultRow {
	row := resultRow{
		Title: result.Title, URL: result.URL, Source: result.Source, Outcome: string(result.Outcome), Reason: result.Reason,
	}
	if row.Title == "" {
		row.Title = row.URL
	}
	return row
}
