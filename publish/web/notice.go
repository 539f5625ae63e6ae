package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// Notice is shown on a page after an action.
type Notice struct {
	Text   string
	Undo   string            // path of the form that undoes the action; empty: none
	Fields map[string]string // of that form
	Back   string            // page to return to
}

// Notices are the notices of a room by the word in the query of the page.
type Notices map[string]NoticeText

// NoticeText is what a notice says.
type NoticeText struct {
	One  string
	Many string // for several things, with %d; empty: as One
	Undo string // path of the form that undoes it, with %s for the thing; empty: none
}

// voteNotices are about votes, which all pages with a Ballot take.
var voteNotices = Notices{"voted": {One: "Your vote counts."}, "unvoted": {One: "Your vote no longer counts."}}

// of returns the notice that the query of a request names: ?did= is its word, &to= the thing, &n= the number of things, and &undo= the fields
// of the form that undoes it.
func (all Notices) of(r *http.Request) Notice {
	query := r.URL.Query()
	to := query.Get("to")
	if len(to) > feed.MaxGroupName || strings.Trim(to, "0123456789abcdefghijklmnopqrstuvwxyz._-") != "" || strings.HasPrefix(to, ".") {
		to = ""
	}
	count, _ := strconv.Atoi(query.Get("n"))
	n := all.Get(query.Get("did"), to, min(count, MaxLimit))
	fields, _ := url.ParseQuery(query.Get("undo")) // those that can be read
	n.Fields = make(map[string]string, len(fields))
	for name := range fields {
		n.Fields[name] = fields.Get(name)
	}
	return n
}

// Get returns a notice about one thing, or about count things.
func (all Notices) Get(did, to string, count int) (n Notice) {
	texts, ok := all[did]
	if !ok {
		texts = voteNotices[did]
	}
	n.Text = texts.One
	if count > 1 && texts.Many != "" {
		n.Text = fmt.Sprintf(texts.Many, count)
	}
	if texts.Undo != "" && to != "" {
		n.Undo = fmt.Sprintf(texts.Undo, to)
	}
	return n
}

// Next is where a form leads: to the page that it was on, if its field back names one, else to Page. The page shows a notice.
type Next struct {
	Page string
	Did  string // word of Notices; empty: no notice
	To   string // the thing, for Notice.Undo
	N    int    // number of things
	At   string // id of the element that the page shows first; empty: its beginning

	Undo url.Values // Notice.Fields
}

// Form returns a handler that redirects to where f leads.
func Form(f func(*http.Request) (Next, error)) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		next, err := f(r)
		if err == nil {
			Redirect(w, r, next)
		}
		return err
	}
}

// Redirect answers a form.
func Redirect(w http.ResponseWriter, r *http.Request, next Next) {
	page := next.Page
	if back := LocalPath(r.PostFormValue("back")); back != "/" {
		page = back
	}
	u, _ := url.Parse(page) // LocalPath has parsed it
	query := u.Query()
	for name, value := range map[string]string{"did": next.Did, "to": next.To, "n": strconv.Itoa(next.N), "undo": next.Undo.Encode()} {
		if value != "" && value != "0" {
			query.Set(name, value)
		}
	}
	to := WithQuery(u.Path, query)
	if next.At != "" {
		to += "#" + next.At
	}
	http.Redirect(w, r, to, http.StatusSeeOther) //nolint:gosec // a path of ours, by LocalPath
}

// queryOf returns the query of a request without its notice.
func queryOf(r *http.Request) url.Values {
	query := r.URL.Query()
	for _, name := range []string{"did", "to", "n", "undo"} {
		query.Del(name)
	}
	return query
}

// backOf returns the address of a page without its notice.
func backOf(r *http.Request) string { return WithQuery(r.URL.Path, queryOf(r)) }

// WithQuery returns a path with those values of a query that are not empty.
func WithQuery(path string, query url.Values) string {
	for name, values := range query {
		if cmp.Or(values...) == "" {
			query.Del(name)
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// LocalPath returns next if it is a page of this daemon to go to after signing in, else "/".
func LocalPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.ContainsAny(next, "\\\r\n\t") || strings.HasPrefix(u.Path, "/log") {
		return "/"
	}
	return next
}
