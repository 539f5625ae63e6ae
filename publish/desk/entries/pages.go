package entries

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// entryPage is the data of the pages of one entry.
type entryPage struct {
	web.Frame
	Entry   feed.Entry // with an ID if it is stored
	Name    string     // its title
	Source  feed.Source
	Facts   web.Facts
	Content template.HTML // cleaned as in republished feeds; empty in a form without preview
	Form    url.Values
	Seen    string // state that the form replaces
	Path    string // to which the form is sent
}

// showEntry serves "/entries/{n}" and "/entries/{n}/remove".
func (es *Entries) showEntry(name string) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		page, err := es.storedPage(r)
		if err != nil {
			return err
		}
		page.Facts = factsOf(&page.Entry, es.web.Now())
		page.Content = es.preview(&page.Entry)
		return es.web.Render(w, r, name, &page)
	}
}

// media matches the elements that load something from elsewhere in HTML of the cleaner, which escapes > in attributes.
var media = regexp.MustCompile(`</?(?:img|picture|source|video|audio|track|iframe|embed|object)\b[^>]*>`)

// preview returns the text of an entry as republished feeds show it, without media: pages load nothing from elsewhere.
func (es *Entries) preview(e *feed.Entry) template.HTML {
	clean, _ := es.cleaner.Clean(cmp.Or(e.Content, e.Summary), cmp.Or(e.Link, e.FeedURL))
	return template.HTML(media.ReplaceAllString(clean, "")) //nolint:gosec // the cleaner removes scripts
}

func (es *Entries) storedPage(r *http.Request) (page entryPage, err error) {
	if page.Entry, err = es.entryOf(r); err != nil {
		return page, err
	}
	page.Source, err = es.store.Source(r.Context(), feed.SourceID(page.Entry.FeedURL))
	page.Name, page.Seen = cmp.Or(page.Entry.Title, "(without title)"), stateOf(&page.Entry)
	page.Title = page.Name
	page.Path = "/entries/" + page.Entry.Number() + "/edit"
	return page, err
}

// editedPage returns the page of an entry that can be edited. feed.ErrConflict as for checkLocal.
func (es *Entries) editedPage(r *http.Request) (entryPage, error) {
	page, err := es.storedPage(r)
	if err == nil {
		err = checkLocal(&page.Source)
	}
	return page, err
}

// showAdd serves "/sources/{id}/entries/add", and shows its form again with a preview or after a problem.
func (es *Entries) showAdd(w http.ResponseWriter, r *http.Request) error {
	source, err := es.localSource(r)
	if err != nil {
		return err
	}
	page := entryPage{Frame: web.Frame{Title: "New entry"}, Source: source, Form: r.PostForm, Path: "/sources/" + source.ID + "/entries"}
	return es.showForm(w, r, &page)
}

// showEdit serves "/entries/{n}/edit", and shows its form again with a preview or after a problem.
func (es *Entries) showEdit(w http.ResponseWriter, r *http.Request) error {
	page, err := es.editedPage(r)
	if err != nil {
		return err
	}
	if page.Form = r.PostForm; page.Form == nil {
		page.Form = formOf(&page.Entry)
	} else if web.FailedWith(r) != http.StatusConflict { // after a conflict, saving again replaces what someone else wrote
		page.Seen = page.Form.Get("seen")
	}
	return es.showForm(w, r, &page)
}

func (es *Entries) showForm(w http.ResponseWriter, r *http.Request, page *entryPage) error {
	if content := page.Form.Get("content"); page.Form.Get("preview") != "" {
		page.Name = cmp.Or(page.Form.Get("title"), "(without title)")
		page.Content = es.preview(&feed.Entry{Content: content, Link: page.Form.Get("link"), FeedURL: page.Source.URL})
	}
	return es.web.Render(w, r, "form.html", page)
}

// formOf returns the fields of an entry that the form has.
func formOf(e *feed.Entry) url.Values {
	return url.Values{
		"title": {e.Title}, "link": {e.Link}, "content": {e.Content}, "authors": {strings.Join(e.Authors, ", ")},
		"categories": {strings.Join(e.Categories(), ", ")},
	}
}
