package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// Frame is the data of the layout. Views of pages embed it and set the first fields; Pages.Render sets the rest.
type Frame struct {
	Title   string // empty: the name of the program
	Site    string // name of the site in the title; empty: that of the host, or feedwire
	Alert   bool   // the title says that the page needs attention
	Refresh int    // seconds after which the page reloads; 0: never. ?refresh=off stops it
	Status  int    // of the response; 0: 200, or that of a form that failed
	Problem string // why the form of the page failed; empty: it did not

	Notice      Notice // empty: as the query names it
	Reloads     bool   // the page can reload
	Unavailable bool   // the page has no content until the store is back, and reloads then
	Version     string // shown to known visitors only, as is StoreKind
	StoreKind   string
	Now         Moment
	Path        string // of the page
	Here        string // address of the page without its notice
	Who         string // visitor; empty: unknown
	SignOut     bool   // the visitor has a session
	Open        bool   // the pages are open to everyone
	AdminNav    []Link // empty for other visitors

	visitor feed.Visitor
	site    *mounted
	ownHost bool   // the site has a host of its own
	nav     []Link // nil: not made yet
}

// framed is a view of a page.
type framed interface{ frame() *Frame }

func (f *Frame) frame() *Frame { return f }

// complete sets the fields that follow from a request.
func (f *Frame) complete(k *Kit, r *http.Request, notices Notices) {
	now, v, site := k.Now(), VisitorOf(r), k.site.Load()
	name, ownHost := site.ownHost(r)
	f.Site = cmp.Or(f.Site, name, "feedwire")
	f.Title = strings.TrimPrefix(f.Title+" – "+f.Site, " – ")
	if f.Alert {
		f.Title = "(!) " + f.Title
	}
	failed := failureOf(r)
	f.Status, f.Problem = cmp.Or(f.Status, failed.status, http.StatusOK), cmp.Or(failed.text, f.Problem)
	f.Unavailable = f.Status == http.StatusServiceUnavailable && r.Method == http.MethodGet
	if f.Problem == "" && f.Notice.Text == "" && (v.Known() || v.Open) { // a link can name any notice
		f.Notice = notices.of(r)
	}
	f.Reloads = f.Refresh > 0
	if r.URL.Query().Get("refresh") == "off" {
		f.Refresh = 0
	}
	f.Version, f.StoreKind, f.Now = k.Version, k.StoreKind(), Moment{now.UTC().Format("2 Jan 2006 15:04:05"), machine(now)}
	f.Path, f.Here = r.URL.Path, backOf(r)
	f.Notice.Back = cmp.Or(f.Notice.Back, f.Here)
	f.Who, f.SignOut, f.Open, f.visitor = v.Name, v.Session.Account != "", v.Open, v
	f.site, f.ownHost = site, ownHost
	if v.May(feed.ScopeAdmin) && !ownHost {
		f.AdminNav = site.AdminNav
	}
}

// Nav returns the links to pages that the visitor may open. A host of its own has none of these pages.
func (f *Frame) Nav() []Link {
	if f.nav == nil && !f.ownHost {
		f.nav = f.site.navOf(&f.visitor)
	}
	return f.nav
}

// Current returns the aria-current of a link in the header: whether it leads to this page or to one that this page is below.
func (f *Frame) Current(path string) string {
	switch {
	case path == f.Path:
		return "page"
	case strings.HasPrefix(f.Path, path+"/"):
		return "true"
	}
	return ""
}

// May reports whether the visitor has a scope.
func (f *Frame) May(scope feed.Scope) bool { return f.visitor.May(scope) }

// SearchPath is the page on which visitors search entries.
const SearchPath = "/search"

// Searches reports whether the header leads to the search.
func (f *Frame) Searches() bool {
	return slices.ContainsFunc(f.Nav(), func(l Link) bool { return l.Path == SearchPath })
}

// action is a button that does something to the object of a row.
type action struct{ Path, Verb, Object, Back string }

func newAction(path, verb, object, back string) action { return action{path, verb, object, back} }

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
