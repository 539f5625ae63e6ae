package sources

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const shownPreview = 10 // entries of a feed before it is added

// addPage is the data of add.html: a form for a URL, the feeds found there, or a preview of one feed.
type addPage struct {
	web.Frame
	Problem string
	Asked   string // URL of the form
	Found   []foundRow
	Preview bool

	// Of the preview.
	URL, Name, Text string
	Entries         []entryRow
	More            int    // entries that are not shown
	Error           string // why the feed could not be fetched
	choices
}

// foundRow is a feed that was found.
type foundRow struct{ URL, Title, How string }

// showAdd serves "/sources/add".
func (ss *Sources) showAdd(w http.ResponseWriter, r *http.Request) error {
	return ss.renderAdd(w, r, http.StatusOK, addPage{Asked: web.Cut(r.URL.Query().Get("url"), 2048)})
}

// findFailed shows the form for a URL again with its problem.
func (ss *Sources) findFailed(w http.ResponseWriter, r *http.Request, status int, problem string) {
	_ = ss.renderAdd(w, r, status, addPage{Asked: r.PostFormValue("url"), Problem: problem}) // always nil
}

func (ss *Sources) renderAdd(w http.ResponseWriter, r *http.Request, status int, page addPage) error {
	page.Frame = ss.web.Frame(r, "Add a source – feedwire", 0)
	ss.pages.Render(w, r, status, "add.html", page)
	return nil
}

// findFeeds shows the feeds at a URL, or the preview if there is only one.
func (ss *Sources) findFeeds(w http.ResponseWriter, r *http.Request) error {
	asked := strings.TrimSpace(r.PostFormValue("url"))
	if asked == "" {
		return feed.Invalid("url", "enter the address of a page or feed")
	}
	found, err := ss.opts.Discover(r.Context(), asked)
	switch {
	case err != nil:
		return feed.Invalid("url", err.Error())
	case len(found) == 0:
		return feed.Invalid("url", "no feed found; enter the address of the feed itself, or of a page that links to it")
	case len(found) == 1:
		return ss.preview(w, r, found[0].URL)
	}
	page := addPage{Asked: asked}
	for i := range found {
		page.Found = append(page.Found, foundRow{URL: found[i].URL, Title: found[i].Title, How: howFound(found[i].Found)})
	}
	return ss.renderAdd(w, r, http.StatusOK, page)
}

// howFound returns in words how a feed was found.
func howFound(how feed.Discovery) string {
	switch how {
	case feed.FoundHeader, feed.FoundPage:
		return "linked from the page"
	case feed.FoundPath:
		return "common path"
	case feed.FoundKnown:
		return "already a source"
	case feed.FoundItself:
	}
	return "this address"
}

func (ss *Sources) showPreview(w http.ResponseWriter, r *http.Request) error {
	return ss.preview(w, r, r.PostFormValue("url"))
}

// preview shows the entries of a feed and the settings to add it with. It redirects to the page of the source if there is one.
func (ss *Sources) preview(w http.ResponseWriter, r *http.Request, address string) error {
	canonical, err := feed.CanonicalURL(address)
	if err != nil {
		return feed.Invalid("url", err.Error())
	}
	_, err = ss.store.Source(r.Context(), feed.SourceID(canonical))
	if err == nil {
		http.Redirect(w, r, "/sources/"+feed.SourceID(canonical)+"?did=known", http.StatusSeeOther)
		return nil
	}
	if !errors.Is(err, feed.ErrNotFound) {
		return err
	}
	page := addPage{Preview: true, URL: canonical, choices: ss.choicesOf(r)}
	doc, err := ss.opts.Peek(r.Context(), canonical)
	if err != nil { // it can be added nevertheless: the failure may be temporary
		page.Error = web.Sentence(strings.TrimSuffix(err.Error(), "."))
	}
	page.Name, page.Text = doc.About.Title, doc.About.Description
	if page.Name == "" {
		page.Name = canonical
	}
	now := ss.web.Now()
	for i := range slices.Backward(doc.Entries) {
		if len(page.Entries) == shownPreview {
			page.More = len(doc.Entries) - shownPreview
			break
		}
		page.Entries = append(page.Entries, entryRowOf(&doc.Entries[i], now))
	}
	return ss.renderAdd(w, r, http.StatusOK, page)
}

// addFailed shows the settings again with the problem.
func (ss *Sources) addFailed(w http.ResponseWriter, r *http.Request, status int, problem string) {
	url := r.PostFormValue("url")
	page := addPage{Preview: true, URL: url, Name: url, Problem: problem, choices: ss.choicesOf(r)}
	_ = ss.renderAdd(w, r, status, page) // always nil
}

// addByForm adds the feed of the preview.
func (ss *Sources) addByForm(w http.ResponseWriter, r *http.Request) error {
	body := choicesBody(r)
	body.URL = r.PostFormValue("url")
	stored, created, err := ss.save(r, body)
	if err != nil {
		return err
	}
	notice := "changed"
	if created {
		notice = "added"
	}
	http.Redirect(w, r, "/sources/"+url.PathEscape(stored.ID)+"?did="+notice, http.StatusSeeOther)
	return nil
}
