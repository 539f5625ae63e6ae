package sources

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const shownPreview = 10 // entries of a feed before it is added

// addPage is the data of add.html: a form for a URL, the feeds found there, or a preview of one feed.
type addPage struct {
	web.Frame
	Asked   string // URL of the form
	Found   []feed.Candidate
	Preview bool

	// Of the preview.
	URL, Name, Text string
	Entries         []feed.Entry
	More            int    // entries that are not shown
	Error           string // why the feed could not be fetched
	choices
}

// showAdd serves "/sources/add", and shows its form again after a problem.
func (ss *Sources) showAdd(w http.ResponseWriter, r *http.Request) error {
	return ss.renderAdd(w, r, addPage{Asked: web.Cut(r.FormValue("url"), 2048)})
}

func (ss *Sources) renderAdd(w http.ResponseWriter, r *http.Request, page addPage) error {
	page.Title = "Add a source"
	return ss.web.Render(w, r, "add.html", &page)
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
	return ss.renderAdd(w, r, addPage{Asked: asked, Found: found})
}

// How describes how a feed was found.
func (addPage) How(found feed.Discovery) string {
	return map[feed.Discovery]string{
		feed.FoundHeader: "linked from the page", feed.FoundPage: "linked from the page", feed.FoundPath: "common path",
		feed.FoundKnown: "already a source", feed.FoundItself: "this address",
	}[found]
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
	page := addPage{Preview: true, URL: canonical, choices: ss.choicesOf(url.Values{"feed": ss.opts.Feeds.Default()})}
	doc, err := ss.opts.Peek(r.Context(), canonical)
	if err != nil { // it can be added nevertheless: the failure may be temporary
		page.Error = web.Sentence(strings.TrimSuffix(err.Error(), "."))
	}
	page.Name, page.Text = cmp.Or(doc.About.Title, canonical), doc.About.Description
	page.Entries = newestOf(doc.Entries, shownPreview)
	page.More = len(doc.Entries) - len(page.Entries)
	return ss.renderAdd(w, r, page)
}

// showChoices shows the settings of the preview again after a problem.
func (ss *Sources) showChoices(w http.ResponseWriter, r *http.Request) error {
	address := r.PostFormValue("url")
	return ss.renderAdd(w, r, addPage{Preview: true, URL: address, Name: address, choices: ss.choicesOf(r.PostForm)})
}

// addByForm adds the feed of the preview.
func (ss *Sources) addByForm(r *http.Request) (web.Next, error) {
	body := choicesBody(r.PostForm)
	body.URL = r.PostFormValue("url")
	stored, created, err := ss.save(r, body)
	did := "changed"
	if created {
		did = "added"
	}
	return web.Next{Page: "/sources/" + stored.ID, Did: did}, err
}

// addLocal adds the local source that a form names.
func (ss *Sources) addLocal(r *http.Request) (web.Next, error) {
	about := feed.About{Title: strings.TrimSpace(r.PostFormValue("title"))}
	stored, _, err := ss.save(r, &sourceBody{URL: feed.LocalURL(strings.TrimSpace(r.PostFormValue("name"))), About: &about})
	return web.Next{Page: "/sources/" + stored.ID, Did: "local"}, err
}
