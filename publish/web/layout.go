package web

import (
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// Frame is the data of the layout. Views of pages embed it.
type Frame struct {
	Title     string
	Version   string
	StoreKind string
	Now       Moment
	Refresh   int  // seconds; 0: the page does not reload
	Reloads   bool // the page can reload

	Path     string // of the page
	Here     string // address of the page without its notice
	Who      string // visitor; empty: unknown
	Account  string // page of the visitor's account; empty: none
	SignOut  bool   // the visitor has a session
	Open     bool   // the pages are open to everyone
	Nav      []Link
	AdminNav []Link // empty for other visitors

	visitor feed.Visitor
}

// Frame returns the frame of a page that reloads every so many seconds; 0: never. ?refresh=off stops it.
func (k *Kit) Frame(r *http.Request, title string, seconds int) Frame {
	now, v := k.Now(), VisitorOf(r)
	f := Frame{
		Title: title, Version: k.opts.Version, StoreKind: k.opts.StoreKind(), Refresh: seconds, Reloads: seconds > 0,
		Now:  Moment{now.UTC().Format("2 Jan 2006 15:04:05"), machine(now)},
		Path: r.URL.Path, Here: BackOf(r), Who: v.Name, SignOut: v.Session.Account != "", Open: v.Open, Nav: k.opts.Nav, visitor: v,
	}
	if r.URL.Query().Get("refresh") == "off" {
		f.Refresh = 0
	}
	if !v.Open {
		f.Account = k.opts.Account
	}
	if v.May(feed.ScopeAdmin) {
		f.AdminNav = k.opts.AdminNav
	}
	return f
}

// May reports whether the visitor has a scope.
func (f Frame) May(scope feed.Scope) bool { return f.visitor.May(scope) }

// Choice is a value of a select field.
type Choice struct {
	Value, Text string
	On          bool
}

// column is the head of a column of a table.
type column struct {
	Text   string
	Number bool // it holds numbers
	Hidden bool // for screen readers only
}

// columns returns columns by name. A leading # marks numbers, a leading - hides the name. Other types are left out, so that a
// template can name a column that some visitors do not see.
func columns(names ...any) (all []column) {
	for _, name := range names {
		if text, ok := name.(string); ok {
			text, number := strings.CutPrefix(text, "#")
			text, hidden := strings.CutPrefix(text, "-")
			all = append(all, column{text, number, hidden})
		}
	}
	return all
}
