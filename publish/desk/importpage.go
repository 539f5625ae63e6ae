package desk

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	importRefresh   = 2   // seconds, while it runs
	shownResults    = 500 // of an import
	importFormSlack = 64 << 10
)

// importForm is what the template shows.
type importForm struct {
	frame
	Problem string
}

// askImport serves "/sources/import".
func (d *Desk) askImport(w http.ResponseWriter, r *http.Request) error {
	d.askImportWith(w, r, http.StatusOK, "")
	return nil
}

// askImportWith is the page with what was wrong with the form.
func (d *Desk) askImportWith(w http.ResponseWriter, r *http.Request, status int, problem string) {
	page := importForm{frame: d.frame(r, "Import sources – feedwire", 0), Problem: problem}
	d.render(w, r, status, "import.html", page)
}

// importByForm starts the import of a file that is sent along with a form.
func (d *Desk) importByForm(w http.ResponseWriter, r *http.Request) {
	if err := d.do(sourceImport, d.importFile, w, r); err != nil {
		status, text := d.say(r, err)
		d.askImportWith(w, r, status, text)
	}
}

func (d *Desk) importFile(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxOPML+importFormSlack)
	file, header, err := r.FormFile("file")
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return wrong("file", fmt.Sprintf("the file is larger than %d MiB", maxOPML>>20))
	case err != nil:
		return wrong("file", "choose a file: a list of feeds in OPML")
	}
	defer r.MultipartForm.RemoveAll() //nolint:errcheck // what is left is temporary
	defer file.Close()                //nolint:errcheck // it was only read
	body, err := io.ReadAll(io.LimitReader(file, maxOPML+1))
	switch {
	case err != nil:
		return wrong("file", "the file could not be read")
	case len(body) > maxOPML:
		return wrong("file", fmt.Sprintf("the file is larger than %d MiB", maxOPML>>20))
	}
	choices := importChoices{DryRun: r.PostFormValue("dry_run") != "", Publish: feed.PublishMode(r.PostFormValue("publish"))}
	if choices.Publish != "" && choices.Publish != feed.PublishManual && choices.Publish != feed.PublishAuto {
		return wrong("publish", "use manual or auto")
	}
	list := listWork{OPML: body, ContentType: header.Header.Get("Content-Type"), Choices: choices}
	listed, err := d.opts.ReadOPML(list.OPML, list.ContentType)
	if err != nil {
		return wrong("file", err.Error())
	}
	job, err := d.startImport(r, list, len(listed))
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/imports/"+job.ID, http.StatusSeeOther)
	return nil
}

// importPage is what the template shows.
type importPage struct {
	frame
	Job      feed.Job
	Done     int
	Mood     string
	Headline string
	Lines    []string
	Rows     []resultRow
	More     int // results that are not shown
}

// resultRow is what became of one source of the list.
type resultRow struct{ Title, URL, Source, Outcome, Reason string }

// showImport serves "/imports/{id}": how far an import is, what was refused first.
func (d *Desk) showImport(w http.ResponseWriter, r *http.Request) error {
	id, err := jobID(r)
	if err != nil {
		return err
	}
	job, results, err := d.store.Job(r.Context(), id, 0, maxResults)
	if err != nil {
		return err
	}
	job = job.Seen(d.opts.Now())
	page := importPage{Job: job, Done: job.Done(), Mood: "wait"}
	refresh := importRefresh
	switch job.State {
	case feed.JobDone:
		page.Mood, refresh = "well", 0
		page.Headline = "Imported."
		if job.DryRun {
			page.Headline = "This was a trial. Nothing was added."
		}
	case feed.JobInterrupted:
		page.Mood, page.Headline, refresh = "trouble", "The import was broken off: "+job.Error, 0
	case feed.JobWaiting:
		page.Headline = "Waiting for the daemon to begin, or to go on."
	case feed.JobRunning:
		page.Headline = fmt.Sprintf("Importing: %d of %d.", page.Done, job.Total)
	}
	page.Lines = append(page.Lines, fmt.Sprintf("%d added · %d known already · %d refused, of %d", job.Added, job.Known, job.Refused, job.Total))
	for _, refused := range []bool{true, false} {
		for i := range results {
			if (results[i].Outcome == feed.JobRefused) == refused && len(page.Rows) < shownResults {
				page.Rows = append(page.Rows, resultRowOf(&results[i]))
			}
		}
	}
	page.More = page.Done - len(page.Rows)
	page.frame = d.frame(r, "Import – feedwire", refresh)
	d.render(w, r, http.StatusOK, "importing.html", page)
	return nil
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
