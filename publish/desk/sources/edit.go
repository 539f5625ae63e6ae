package sources

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// editPage is the data of edit.html: the settings of a source as stored, or as submitted with a problem.
type editPage struct {
	web.Frame
	ID, Name, URL string
	Revision      int // of the settings that the page shows
	Problem       string
	Theirs        string // settings that someone else saved since the page was loaded
	Fields        string // of filters

	choices
	Keep, Block          string // filters, one per line
	IgnoreUpdates        bool
	KeepEntries, KeepFor string
	Username             string
	HasPassword          bool
	Headers              string // one per line; stored values are left out
	Timeout, MinInterval string
	Proxy                string // without its password
}

// showEdit serves "/sources/{id}/edit".
func (ss *Sources) showEdit(w http.ResponseWriter, r *http.Request) error {
	s, err := ss.sourceOf(r)
	if err != nil {
		return err
	}
	page := editPage{
		choices: choices{
			Feeds: ss.feedChoices(s.Feeds), Auto: s.Publish == feed.PublishAuto, Categories: strings.Join(s.Categories, ", "),
			Intervals: intervalChoices(durationText(s.Interval)),
		},
		Keep: filterLines(s.Filters.Keep), Block: filterLines(s.Filters.Block), IgnoreUpdates: s.IgnoreUpdates,
		KeepEntries: numberText(s.Keep.Entries), KeepFor: durationText(s.Keep.For),
		Username: s.Request.Username, Timeout: durationText(s.Request.Timeout), MinInterval: durationText(s.Request.MinInterval),
		Proxy: s.Request.ShownProxy(),
	}
	for _, name := range slices.Sorted(maps.Keys(s.Request.Headers)) {
		page.Headers += name + ":\n"
	}
	ss.renderEdit(w, r, http.StatusOK, &s, page)
	return nil
}

// editFailed shows the submitted settings again with their problem.
func (ss *Sources) editFailed(w http.ResponseWriter, r *http.Request, status int, problem string) {
	s, err := ss.sourceOf(r)
	if err != nil {
		ss.web.ErrorPage(w, r, status, problem)
		return
	}
	page := editPage{
		Problem: problem, choices: ss.choicesOf(r), Keep: r.PostFormValue("keep"), Block: r.PostFormValue("block"),
		IgnoreUpdates: r.PostFormValue("ignore_updates") != "",
		KeepEntries:   r.PostFormValue("keep_entries"), KeepFor: r.PostFormValue("keep_for"),
		Username: r.PostFormValue("username"), Headers: r.PostFormValue("headers"),
		Timeout: r.PostFormValue("timeout"), MinInterval: r.PostFormValue("min_interval"), Proxy: r.PostFormValue("proxy"),
	}
	if status == http.StatusConflict {
		page.Theirs = settings(&s)
	}
	ss.renderEdit(w, r, status, &s, page)
}

func (ss *Sources) renderEdit(w http.ResponseWriter, r *http.Request, status int, s *feed.Source, page editPage) {
	page.ID, page.Name, page.URL, page.Revision = s.ID, s.Name(), s.URL, s.Revision
	page.HasPassword, page.Fields = s.Request.Password != "", strings.Join(feed.FilterFields(), ", ")
	page.Frame = ss.web.Frame(r, "Settings of "+page.Name+" – feedwire", 0)
	ss.pages.Render(w, r, status, "edit.html", page)
}

// edit saves the settings of a source, unless someone else changed them since the page was loaded.
func (ss *Sources) edit(w http.ResponseWriter, r *http.Request) error {
	before, err := ss.sourceOf(r)
	if err != nil {
		return err
	}
	body, err := editBody(r, &before)
	if err != nil {
		return err
	}
	_, source, err := ss.apply(r.Context(), body)
	if err != nil {
		return labelled(err)
	}
	if source.Revision, err = strconv.Atoi(r.PostFormValue("revision")); err != nil {
		return feed.Invalid("revision", "the form cannot be read; reload the page")
	}
	stored, _, err := ss.store.AddSource(r.Context(), source)
	if err != nil {
		return err
	}
	web.Changed(r, feed.SourceObject(&stored), settings(&before), settings(&stored))
	web.GoBack(w, r, "/sources/"+stored.ID, "saved", "")
	return nil
}

// editBody returns a form as a body. Secrets that the page does not show keep their values.
func editBody(r *http.Request, before *feed.Source) (*sourceBody, error) {
	body, ignore := choicesBody(r), r.PostFormValue("ignore_updates") != ""
	keep := keepBody{For: strings.TrimSpace(r.PostFormValue("keep_for"))}
	if text := strings.TrimSpace(r.PostFormValue("keep_entries")); text != "" {
		var err error
		if keep.Entries, err = strconv.Atoi(text); err != nil {
			return nil, feed.Invalid("keep.entries", fmt.Sprintf("entries kept: %.20q is not a number; use digits, such as 500", text))
		}
	}
	filters := feed.Filters{}
	for field, filter := range map[string]*[]feed.Filter{"keep": &filters.Keep, "block": &filters.Block} {
		var err error
		if *filter, err = parseFilters(r.PostFormValue(field)); err != nil {
			return nil, err
		}
	}
	request, err := editRequest(r, &before.Request)
	if err != nil {
		return nil, err
	}
	body.URL, body.IgnoreUpdates, body.Request, body.Filters, body.Keep = before.URL, &ignore, request, &filters, &keep
	return body, nil
}

// editRequest returns the connection settings of a form.
func editRequest(r *http.Request, before *feed.Request) (*requestBody, error) {
	request := requestBody{
		Timeout: r.PostFormValue("timeout"), MinInterval: r.PostFormValue("min_interval"), Username: r.PostFormValue("username"),
		Password: r.PostFormValue("password"), Proxy: strings.TrimSpace(r.PostFormValue("proxy")), Headers: make(map[string]string),
	}
	if request.Password == "" && request.Username != "" {
		request.Password = before.Password
	}
	if request.Proxy == before.ShownProxy() {
		request.Proxy = before.Proxy
	}
	for line := range strings.Lines(r.PostFormValue("headers")) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if name = strings.TrimSpace(name); name == "" && !ok {
			continue
		}
		if value = strings.TrimSpace(value); value == "" {
			if value, ok = before.Headers[name]; !ok {
				return nil, feed.Invalid("request.headers", fmt.Sprintf("header fields: %.100q has no value yet; add it after the colon", name))
			}
		}
		request.Headers[name] = value
	}
	return &request, nil
}

// parseFilters parses filters, one per line.
func parseFilters(text string) (all []feed.Filter, err error) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		f, err := feed.ParseFilter(line)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// labels are the labels of fields on the page.
var labels = map[string]string{
	"request.timeout": "timeout", "request.min_interval": "shortest interval", "request.headers": "header fields",
	"request.username": "user name and password", "request.proxy": "proxy", "filters": "filters", "interval": "poll interval",
	"keep.entries": "entries kept", "keep.for": "entries kept for",
}

// labelled adds the label of the first invalid field to an error.
func labelled(err error) error {
	var fields feed.FieldErrors
	if !errors.As(err, &fields) {
		return err
	}
	first := fields[0]
	if label, ok := labels[first.Field]; ok {
		first.Reason = label + ": " + first.Reason
	}
	return feed.Invalid(first.Field, first.Reason)
}

func durationText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return web.GoDuration(d)
}

func numberText(n int) string {
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
