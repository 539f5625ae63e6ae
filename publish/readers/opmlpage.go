package readers

import (
	"errors"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
)

const (
	importPath   = "/read/opml"
	maxOPML      = 8 << 20 // bytes
	shownRefused = 500
)

// importedPage is the data of imported.html.
type importedPage struct {
	web.Frame
	Followed, Known, Refused int // sources
	Late                     int // sources that the request did not reach
	Rows                     []refusedSource
	More                     int // refused sources that the page does not list
}

// refusedSource is a source of a file that cannot be followed.
type refusedSource struct{ URL, Reason string }

// importByForm serves POST /read/opml: it follows the sources of a file, and shows which were refused.
func (rs *Readers) importByForm(w http.ResponseWriter, r *http.Request) error {
	web.NothingChanged(r)
	user, err := rs.account(r)
	if err != nil {
		return err
	}
	file, contentType, err := web.FormFile(r, "file", maxOPML, "choose an OPML file")
	if err != nil {
		return err
	}
	page := importedPage{Frame: web.Frame{Title: "OPML import"}}
	err = rs.followAll(r, user, file, contentType, "file", func(url string, status int, err error) {
		switch {
		case errors.Is(err, errImportTime):
			page.Late++
		case err != nil:
			page.Refused++
			_, reason := rs.web.Message(r, err)
			page.Rows = append(page.Rows, refusedSource{url, reason})
		case status == http.StatusCreated:
			page.Followed++
		default:
			page.Known++
		}
	})
	if err != nil {
		return err
	}
	if len(page.Rows) > shownRefused {
		page.More, page.Rows = len(page.Rows)-shownRefused, page.Rows[:shownRefused]
	}
	return rs.web.Render(w, r, "imported.html", &page)
}
