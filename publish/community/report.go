package community

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// maxNote bounds what a member adds to a reason, in characters, so that both are within feed.MaxReason.
const maxNote = feed.MaxReason - 20

// reportPage is the data of report.html.
type reportPage struct {
	*newsPage
	Done      bool // the visitor has reported it
	Reasons   []string
	Reason    string // in the form
	Note      string // likewise
	NoteLimit int
}

// showReport serves GET /report/{n} and /report/{n}/{comment}, and shows the form again after a problem.
func (c *Community) showReport(w http.ResponseWriter, r *http.Request) error {
	view, err := c.newsPage(r, "Report")
	if err != nil {
		return err
	}
	o := feed.Reported{News: view.Story.ID}
	if r.PathValue("comment") != "" {
		if o.Comment, err = commentInPath(r); err == nil {
			_, err = c.setRoot(r, view, o.Comment)
		}
		if err != nil {
			return err
		}
	}
	page := reportPage{newsPage: view, Reasons: feed.Reasons(), Reason: r.PostFormValue("reason"), Note: r.PostFormValue("note"), NoteLimit: maxNote}
	if page.Done, err = c.store.HasReported(r.Context(), o, view.Me.ID); err != nil {
		return err
	}
	return c.pages.Render(w, r, "report.html", &page)
}

// reportByForm serves POST /report/{n} and /report/{n}/{comment}.
func (c *Community) reportByForm(r *http.Request) (next web.Next, err error) {
	reporter, n, err := c.change(r, nil)
	if err != nil {
		return next, err
	}
	o := feed.Reported{News: n.ID}
	if r.PathValue("comment") != "" {
		if o.Comment, err = commentInPath(r); err != nil {
			return next, err
		}
	}
	reason, note := r.PostFormValue("reason"), strings.TrimSpace(lines(r.PostFormValue("note")))
	switch {
	case !slices.Contains(feed.Reasons(), reason):
		return next, feed.Invalid("reason", "choose one")
	case note == "" && reason == "other":
		return next, feed.Invalid("note", "say what is wrong")
	case note != "":
		reason = fmt.Sprintf("%s: %s", reason, note)
	}
	if reason, err = feed.CheckReason(reason); err != nil {
		return next, err
	}
	return c.after(&n, "reported", o.Comment), c.store.Report(r.Context(), o, reporter.ID, reason)
}
