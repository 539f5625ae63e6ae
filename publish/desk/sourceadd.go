package desk

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// shownPreview is how many entries are shown of a feed that is not added yet.
const shownPreview = 10

// addPage is what the template shows: the address is asked for, or feeds were found there, or one of them is looked at.
type addPage struct {
	frame
	Problem string
	Asked   string // address that was given
	Found   []foundRow
	Looked  bool

	// Of the one that is looked at.
	URL, Name, Text string
	Entries         []entryRow
	More            int // entries beyond those
	Unread          string
	sourceChoices
}

// sourceChoices is what may be chosen about every source.
type sourceChoices struct {
	Feeds      []feedChoice
	Auto       bool
	Categories string
	Intervals  []intervalChoice
}

// foundRow is a feed that was found.
type foundRow struct{ URL, Title, How string }

// feedChoice is an outgoing feed that may be chosen.
type feedChoice struct {
	Type, Title string
	On          bool
}

// intervalChoice is a polling interval that may be chosen.
type intervalChoice struct {
	Value, Text string
	On          bool
}

// askSource serves "/sources/add".
func (d *Desk) askSource(w http.ResponseWriter, r *http.Request) error {
	return d.adding(w, r, http.StatusOK, addPage{Asked: cutTo(r.URL.Query().Get("url"), 2048)})
}

// addingWith is the page with what was wrong with the address.
func (d *Desk) addingWith(w http.ResponseWriter, r *http.Request, status int, problem string) {
	_ = d.adding(w, r, status, addPage{Asked: r.PostFormValue("url"), Problem: problem}) // it always shows
}

func (d *Desk) adding(w http.ResponseWriter, r *http.Request, status int, page addPage) error {
	page.frame = d.frame(r, "Add a source – feedwire", 0)
	d.render(w, r, status, "add.html", page)
	return nil
}

// findSource looks for feeds behind an address. Where it is a feed itself, its entries are shown at once.
func (d *Desk) findSource(w http.ResponseWriter, r *http.Request) error {
	asked := strings.TrimSpace(r.PostFormValue("url"))
	if asked == "" {
		return wrong("url", "give the address of a page or of a feed")
	}
	found, err := d.opts.Discover(r.Context(), asked)
	switch {
	case err != nil:
		return wrong("url", err.Error())
	case len(found) == 0:
		return wrong("url", "no feed was found there: give the address of the feed itself, or of a page that names it")
	case len(found) == 1:
		return d.lookAtFeed(w, r, found[0].URL)
	}
	page := addPage{Asked: asked}
	for i := range found {
		page.Found = append(page.Found, foundRow{URL: found[i].URL, Title: found[i].Title, How: howFound(found[i].Found)})
	}
	return d.adding(w, r, http.StatusOK, page)
}

// howFound says in words how a feed was found.
func howFound(how feed.Discovery) string {
	switch how {
	case feed.FoundHeader, feed.FoundPage:
		return "named by the page"
	case feed.FoundPath:
		return "found where many sites have theirs"
	case feed.FoundKnown:
		return "a source already"
	case feed.FoundItself:
	}
	return "this very address"
}

func (d *Desk) previewSource(w http.ResponseWriter, r *http.Request) error {
	return d.lookAtFeed(w, r, r.PostFormValue("url"))
}

// lookAtFeed shows the entries of a feed, and what may be chosen about it. One that is known already leads to its page.
func (d *Desk) lookAtFeed(w http.ResponseWriter, r *http.Request, address string) error {
	canonical, err := feed.CanonicalURL(address)
	if err != nil {
		return wrong("url", err.Error())
	}
	_, err = d.store.Source(r.Context(), feed.SourceID(canonical))
	if err == nil {
		http.Redirect(w, r, "/sources/"+feed.SourceID(canonical)+"?did=known", http.StatusSeeOther) //nolint:gosec // 12 hex digits
		return nil
	}
	if !errors.Is(err, feed.ErrNotFound) {
		return err
	}
	page := addPage{Looked: true, URL: canonical, sourceChoices: d.choices(r)}
	doc, err := d.opts.Peek(r.Context(), canonical)
	if err != nil { // it can be added all the same: it may be down for today only
		page.Unread = sentence(strings.TrimSuffix(err.Error(), "."))
	}
	page.Name, page.Text = doc.About.Title, doc.About.Description
	if page.Name == "" {
		page.Name = canonical
	}
	now := d.opts.Now()
	for i := range slices.Backward(doc.Entries) {
		if len(page.Entries) == shownPreview {
			page.More = len(doc.Entries) - shownPreview
			break
		}
		page.Entries = append(page.Entries, entryRowOf(&doc.Entries[i], now))
	}
	return d.adding(w, r, http.StatusOK, page)
}

// choices are those of a form, or else the default ones.
func (d *Desk) choices(r *http.Request) sourceChoices {
	feeds := r.PostForm["feed"]
	if !r.PostForm.Has("publish") {
		feeds = []string{defaultFeed}
	}
	return sourceChoices{
		Feeds: d.feedChoices(feeds), Auto: r.PostFormValue("publish") == string(feed.PublishAuto), Categories: r.PostFormValue("categories"),
		Intervals: intervalChoices(r.PostFormValue("interval")),
	}
}

func (d *Desk) feedChoices(on []string) []feedChoice {
	all := make([]feedChoice, len(d.opts.Feeds))
	for i := range d.opts.Feeds {
		f := &d.opts.Feeds[i]
		all[i] = feedChoice{f.Type, f.Title, slices.Contains(on, f.Type)}
	}
	return all
}

// intervalChoices are the usual ones, and the one that is on.
func intervalChoices(on string) []intervalChoice {
	all := []intervalChoice{
		{Text: "as often as it posts"}, {Value: "5m", Text: "every 5 minutes"}, {Value: "15m", Text: "every 15 minutes"},
		{Value: "1h", Text: "every hour"}, {Value: "6h", Text: "every 6 hours"}, {Value: "24h", Text: "once a day"},
	}
	at := slices.IndexFunc(all, func(c intervalChoice) bool { return c.Value == on })
	if at < 0 {
		at, all = len(all), append(all, intervalChoice{Value: on, Text: "every " + on})
	}
	all[at].On = true
	return all
}

// previewWith is the page of a feed that could not be added.
func (d *Desk) previewWith(w http.ResponseWriter, r *http.Request, status int, problem string) {
	url := r.PostFormValue("url")
	_ = d.adding(w, r, status, addPage{Looked: true, URL: url, Name: url, Problem: problem, sourceChoices: d.choices(r)}) // it always shows
}

// addSourceByForm adds the feed that was looked at.
func (d *Desk) addSourceByForm(w http.ResponseWriter, r *http.Request) error {
	mode, every := feed.PublishMode(r.PostFormValue("publish")), r.PostFormValue("interval")
	feeds, categories := append([]string{}, r.PostForm["feed"]...), splitCategories(r.PostFormValue("categories"))
	before, stored, created, err := d.saveSource(r, &sourceBody{
		URL: r.PostFormValue("url"), Feeds: &feeds, Publish: &mode, Interval: &every, Categories: &categories,
	})
	if err != nil {
		return err
	}
	about(r, stored.URL, settings(&before), settings(&stored))
	did := "changed"
	if created {
		did = "added"
		d.opts.Logger.Info("source added", "source", stored.URL)
	}
	http.Redirect(w, r, fmt.Sprintf("/sources/%s?did=%s", url.PathEscape(stored.ID), did), http.StatusSeeOther)
	return nil
}

// splitCategories reads categories that are separated by commas.
func splitCategories(text string) []string {
	all := strings.Split(text, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return slices.DeleteFunc(all, func(c string) bool { return c == "" })
}
