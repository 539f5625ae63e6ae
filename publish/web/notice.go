package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Notice is shown on a page after an action.
type Notice struct {
	Text string
	Undo string // path of the form that undoes the action; empty: none
	Back string // page to return to
}

// Notices are the notices of a room by the word in the query of the page.
type Notices map[string]struct {
	One  string
	Many string // for several things, with %d; empty: as One
	Undo string // path of the form that undoes it, with %s for the thing; empty: none
}

// Of returns the notice that the query of a request asks for: ?did= names it, &to= the thing, and &n= how many.
func (all Notices) Of(r *http.Request) Notice {
	query := r.URL.Query()
	to := query.Get("to")
	if len(to) > 32 || strings.Trim(to, "0123456789abcdefghijklmnopqrstuvwxyz-") != "" {
		to = ""
	}
	count, _ := strconv.Atoi(query.Get("n"))
	n := all.Get(query.Get("did"), to, min(count, MaxLimit))
	n.Back = BackOf(r)
	return n
}

// Get returns a notice about one thing, or about count things.
func (all Notices) Get(did, to string, count int) (n Notice) {
	texts := all[did]
	n.Text = texts.One
	if count > 1 && texts.Many != "" {
		n.Text = fmt.Sprintf(texts.Many, count)
	}
	if texts.Undo != "" && to != "" {
		n.Undo = fmt.Sprintf(texts.Undo, to)
	}
	return n
}

// GoBack redirects to the page of the form, or else to another page, with a notice.
func GoBack(w http.ResponseWriter, r *http.Request, fallback, did, to string) {
	page := fallback
	if back := LocalPath(r.PostFormValue("back")); back != "/" {
		page = back
	}
	u, _ := url.Parse(page) // LocalPath has parsed it
	query := u.Query()
	query.Set("did", did)
	query.Set("to", to)
	http.Redirect(w, r, u.Path+"?"+query.Encode(), http.StatusSeeOther) //nolint:gosec // a path of ours, by LocalPath
}

// BackOf returns the address of a page without its notice.
func BackOf(r *http.Request) string {
	query := r.URL.Query()
	for _, name := range []string{"did", "to", "n"} {
		query.Del(name)
	}
	return WithQuery(r.URL.Path, query)
}

// WithQuery returns a path with a query, or the path alone if the query is empty.
func WithQuery(path string, query url.Values) string {
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
