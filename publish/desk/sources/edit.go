package sources

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
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
	Source feed.Source
	Theirs string // settings that someone else saved since the page was loaded
	Fields string // of filters
	choices
}

// showEdit serves "/sources/{id}/edit", and shows its form again after a problem.
func (ss *Sources) showEdit(w http.ResponseWriter, r *http.Request) error {
	s, err := ss.sourceOf(r)
	if err != nil {
		return err
	}
	page := editPage{Frame: web.Frame{Title: "Settings of " + s.Name()}, Source: s, Fields: strings.Join(feed.FilterFields(), ", ")}
	switch web.FailedWith(r) {
	case 0:
		page.choices = ss.choicesOf(formOf(&s))
	case http.StatusConflict:
		page.Theirs = settings(&s)
		fallthrough
	default:
		page.choices = ss.choicesOf(r.PostForm)
	}
	return ss.web.Render(w, r, "edit.html", &page)
}

// formOf returns the settings of a source as a form. It leaves out the password and the values of header fields.
func formOf(s *feed.Source) url.Values {
	q, entries, headers := &s.Request, "", ""
	if s.Keep.Entries > 0 {
		entries = strconv.Itoa(s.Keep.Entries)
	}
	for _, name := range slices.Sorted(maps.Keys(q.Headers)) {
		headers += name + ":\n"
	}
	form := url.Values{"feed": s.Feeds}
	for name, value := range map[string]string{
		"name": s.Label, "address": s.Address(),
		"publish": string(s.Publish), "categories": strings.Join(s.Categories, ", "), "interval": web.GoDuration(s.Interval),
		"keep": filterLines(s.Filters.Keep), "block": filterLines(s.Filters.Block),
		"keep_entries": entries, "keep_for": web.GoDuration(time.Duration(s.Keep.For)),
		"username": q.Username, "headers": headers, "timeout": web.GoDuration(q.Timeout), "min_interval": web.GoDuration(q.MinInterval),
		"proxy": q.ShownProxy(),
	} {
		form.Set(name, value)
	}
	if s.IgnoreUpdates {
		form.Set("ignore_updates", "1")
	}
	if s.Timestamp == feed.TimestampUpdated {
		form.Set("timestamp", string(s.Timestamp))
	}
	return form
}

// edit saves the settings of a source, unless someone else changed them since the page was loaded.
func (ss *Sources) edit(r *http.Request) (next web.Next, err error) {
	before, err := ss.sourceOf(r)
	if err != nil {
		return next, err
	}
	body, err := editBody(r, &before)
	if err != nil {
		return next, err
	}
	c, err := ss.apply(r.Context(), body)
	if err != nil {
		return next, labelled(err)
	}
	if c.source.Revision, err = strconv.Atoi(r.PostFormValue("revision")); err != nil {
		return next, feed.Invalid("revision", "the form cannot be read; reload the page")
	}
	stored, _, err := ss.write(r.Context(), c)
	web.Changed(r, feed.SourceObject(&stored), settings(&before), settings(&stored))
	did := "saved"
	if body.Request != nil && body.Request.cleared != "" {
		did = "cleared"
	}
	return web.Next{Page: "/sources/" + before.ID, Did: did}, err
}

// editBody returns a form as a body. Secrets that the page does not show keep their values.
func editBody(r *http.Request, before *feed.Source) (*sourceBody, error) {
	body, ignore := choicesBody(r.PostForm), r.PostFormValue("ignore_updates") != ""
	order := feed.TimestampRule(r.PostFormValue("timestamp"))
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
	var request *requestBody
	if name := r.PostFormValue("name"); r.PostForm.Has("name") {
		body.Name = &name
	}
	if !before.Local() {
		home := before.Address()
		if address := strings.TrimSpace(r.PostFormValue("address")); address != "" && address != home {
			body.Address, home = &address, address
		}
		var err error
		if request, err = editRequest(r, before, feed.Origin(home)); err != nil {
			return nil, err
		}
	}
	body.URL, body.IgnoreUpdates, body.Timestamp = before.URL, &ignore, &order
	body.Request, body.Filters, body.Keep = request, &filters, &keep
	return body, nil
}

// editRequest returns the connection settings of a form. The page does not show secrets, so empty fields keep them, unless they
// would reach another server than the one for which they were entered: through another proxy, or at another address. home is the origin of
// the address.
func editRequest(r *http.Request, before *feed.Source, home string) (*requestBody, error) {
	stored := before.Request
	request := requestBody{
		Timeout: r.PostFormValue("timeout"), MinInterval: r.PostFormValue("min_interval"), Username: r.PostFormValue("username"),
		Password: r.PostFormValue("password"), Proxy: strings.TrimSpace(r.PostFormValue("proxy")), Headers: make(map[string]string),
	}
	if home != feed.Origin(before.URL) {
		request.secretsFor = home
	}
	if request.Proxy == stored.ShownProxy() {
		request.Proxy = stored.Proxy
	}
	why := ""
	switch {
	case request.Proxy != stored.Proxy:
		why = "the proxy was changed"
	case home != before.SecretsOrigin():
		why = "they were entered for " + before.SecretsOrigin() + ", and the source moved to " + home
	}
	kept := stored
	if why != "" {
		kept = stored.WithoutSecrets()
	}
	if request.Password == "" && request.Username != "" {
		if request.Password = kept.Password; request.Password == "" && kept.Username != stored.Username {
			request.Username, request.cleared = "", why
		}
	}
	for line := range strings.Lines(r.PostFormValue("headers")) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if name = strings.TrimSpace(name); name == "" && !ok {
			continue
		}
		if value = strings.TrimSpace(value); value == "" {
			if value, ok = kept.Headers[name]; !ok && stored.Headers[name] != "" {
				request.cleared = why
				continue
			}
			if !ok {
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
	"keep.entries": "entries kept", "keep.for": "entries kept for", "name": "name", "address": "address",
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

func filterLines(all []feed.Filter) string {
	text := ""
	for _, f := range all {
		text += f.String() + "\n"
	}
	return text
}
