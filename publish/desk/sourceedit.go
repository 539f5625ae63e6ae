package desk

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// editPage is what the template shows: the settings of a source, as they are or as somebody has just written them.
type editPage struct {
	frame
	ID, Name, URL string
	Edition       int    // of the settings that the page was made from
	Problem       string // with what was sent; empty: none
	Theirs        string // settings that somebody else saved meanwhile; empty: nobody did
	Parts         string // that a filter can look at

	sourceChoices
	Keep, Block          string // filters, one in a line
	IgnoreUpdates        bool
	KeepEntries, KeepFor string // which entries housekeeping leaves
	Username             string
	HasPassword          bool
	Headers              string // one in a line; those without a value keep theirs
	Timeout, MinInterval string
	Proxy                string // a password in it is not shown
}

// editSource serves "/sources/{id}/edit".
func (d *Desk) editSource(w http.ResponseWriter, r *http.Request) error {
	s, err := d.sourceOfPath(r)
	if err != nil {
		return err
	}
	page := editPage{
		sourceChoices: sourceChoices{
			Feeds: d.feedChoices(s.Feeds), Auto: s.Publish == feed.PublishAuto, Categories: strings.Join(s.Categories, ", "),
			Intervals: intervalChoices(wholeOrNone(s.Interval)),
		},
		Keep: filterLines(s.Filters.Keep), Block: filterLines(s.Filters.Block), IgnoreUpdates: s.IgnoreUpdates,
		KeepEntries: numberOrNone(s.Keep.Entries), KeepFor: wholeOrNone(s.Keep.For),
		Username: s.Request.Username, Timeout: wholeOrNone(s.Request.Timeout), MinInterval: wholeOrNone(s.Request.MinInterval),
		Proxy: s.Request.ShownProxy(),
	}
	for _, name := range slices.Sorted(maps.Keys(s.Request.Headers)) {
		page.Headers += name + ":\n"
	}
	d.editing(w, r, http.StatusOK, &s, page)
	return nil
}

// editWith is the page with what was written, and what was wrong with that.
func (d *Desk) editWith(w http.ResponseWriter, r *http.Request, status int, problem string) {
	s, err := d.sourceOfPath(r)
	if err != nil {
		d.sorry(w, r, status, problem)
		return
	}
	page := editPage{
		Problem: problem, sourceChoices: d.choices(r), Keep: r.PostFormValue("keep"), Block: r.PostFormValue("block"),
		IgnoreUpdates: r.PostFormValue("ignore_updates") != "",
		KeepEntries:   r.PostFormValue("keep_entries"), KeepFor: r.PostFormValue("keep_for"),
		Username: r.PostFormValue("username"), Headers: r.PostFormValue("headers"),
		Timeout: r.PostFormValue("timeout"), MinInterval: r.PostFormValue("min_interval"), Proxy: r.PostFormValue("proxy"),
	}
	if status == http.StatusConflict {
		page.Theirs = settings(&s)
	}
	d.editing(w, r, status, &s, page)
}

func (d *Desk) editing(w http.ResponseWriter, r *http.Request, status int, s *feed.Source, page editPage) {
	page.ID, page.Name, page.URL, page.Edition = s.ID, nameOf(s), s.URL, s.Edition
	page.HasPassword, page.Parts = s.Request.Password != "", strings.Join(feed.FilterFields(), ", ")
	page.frame = d.frame(r, "Settings of "+page.Name+" – feedwire", 0)
	d.render(w, r, status, "edit.html", page)
}

func (d *Desk) sourceOfPath(r *http.Request) (feed.Source, error) {
	id, err := sourceID(r)
	if err != nil {
		return feed.Source{}, err
	}
	return d.store.Source(r.Context(), id)
}

// saveEdit saves the settings of a source, unless somebody else has done so since the page was made.
func (d *Desk) saveEdit(w http.ResponseWriter, r *http.Request) error {
	before, err := d.sourceOfPath(r)
	if err != nil {
		return err
	}
	body, err := editedBody(r, &before)
	if err != nil {
		return err
	}
	_, source, err := d.sourceOf(r.Context(), body)
	if err != nil {
		return labelled(err)
	}
	if source.Edition, err = strconv.Atoi(r.PostFormValue("edition")); err != nil {
		return wrong("edition", "load the page again: what it sent cannot be read")
	}
	stored, _, err := d.store.AddSource(r.Context(), source)
	if err != nil {
		return err
	}
	about(r, stored.URL, settings(&before), settings(&stored))
	goBack(w, r, "/sources/"+stored.ID, "saved", "")
	return nil
}

// editedBody is what a form says, laid over the secrets that the page does not show.
func editedBody(r *http.Request, before *feed.Source) (*sourceBody, error) {
	mode, every := feed.PublishMode(r.PostFormValue("publish")), r.PostFormValue("interval")
	feeds, categories := append([]string{}, r.PostForm["feed"]...), splitCategories(r.PostFormValue("categories"))
	ignore := r.PostFormValue("ignore_updates") != ""
	keep := keepBody{For: strings.TrimSpace(r.PostFormValue("keep_for"))}
	if text := strings.TrimSpace(r.PostFormValue("keep_entries")); text != "" {
		var err error
		if keep.Entries, err = strconv.Atoi(text); err != nil {
			return nil, wrong("keep.entries", fmt.Sprintf("entries kept: %.20q is no number; write it in digits, as 500", text))
		}
	}
	request := requestBody{
		Timeout: r.PostFormValue("timeout"), MinInterval: r.PostFormValue("min_interval"), Username: r.PostFormValue("username"),
		Password: r.PostFormValue("password"), Proxy: strings.TrimSpace(r.PostFormValue("proxy")), Headers: make(map[string]string),
	}
	if request.Password == "" && request.Username != "" {
		request.Password = before.Request.Password
	}
	if request.Proxy == before.Request.ShownProxy() {
		request.Proxy = before.Request.Proxy
	}
	for line := range strings.Lines(r.PostFormValue("headers")) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if name = strings.TrimSpace(name); name == "" && !ok {
			continue
		}
		if value = strings.TrimSpace(value); value == "" {
			if value, ok = before.Request.Headers[name]; !ok {
				return nil, wrong("request.headers", fmt.Sprintf("header fields: %.100q has no value yet: write it behind a colon", name))
			}
		}
		request.Headers[name] = value
	}
	filters := feed.Filters{}
	for field, filter := range map[string]*[]feed.Filter{"keep": &filters.Keep, "block": &filters.Block} {
		for line := range strings.Lines(r.PostFormValue(field)) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			f, err := feed.ParseFilter(line)
			if err != nil {
				return nil, err
			}
			*filter = append(*filter, f)
		}
	}
	return &sourceBody{
		URL: before.URL, Feeds: &feeds, Publish: &mode, Interval: &every, Categories: &categories, IgnoreUpdates: &ignore,
		Request: &request, Filters: &filters, Keep: &keep,
	}, nil
}

// labelled names the field of the page that is to blame.
func labelled(err error) error {
	var fields invalid
	if !errors.As(err, &fields) {
		return err
	}
	label := map[string]string{
		"request.timeout": "longest wait: ", "request.min_interval": "polled no more often than every: ", "request.headers": "header fields: ",
		"request.username": "user name and password: ", "request.proxy": "proxy: ", "filters": "filters: ", "interval": "polled: ", "keep.entries": "entries kept: ", "keep.for": "entries kept for: ",
	}[fields[0].Field]
	return wrong(fields[0].Field, label+fields[0].Reason)
}

// wholeOrNone spells a duration; none for 0.
func wholeOrNone(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return whole(d)
}

// numberOrNone spells a number; none for 0.
func numberOrNone(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func filterLines(all []feed.Filter) string {
	text := ""
	for _, f := range all {
		text += f.String() + "\n"
	}
	return text
}
