package desk

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// frame is what stands around the content of each page.
type frame struct {
	Title   string
	Version string
	Store   string
	Now     moment
	Refresh int  // seconds; 0: the page stays as it is
	Loads   bool // it can load itself again

	Path    string // of the page
	Here    string // its whole address, without what was done there
	Who     string // the visitor; empty: not known
	Mine    bool   // the visitor has a page of their own
	SignOut bool   // and a session that can be ended
	Admin   bool   // the visitor sees users, tokens and the audit log
	Open    bool   // the pages are open to everyone

	HasHub     bool // there are subscriptions to look at
	MaySources bool // the visitor may change sources
	MaySignals bool // and look after subscribers
}

// frame is that of a page which loads itself again every so many seconds. ?refresh=off stops that, for readers whom it
// disturbs.
func (d *Desk) frame(r *http.Request, title string, seconds int) frame {
	now, v, loads := d.opts.Now(), visitorOf(r), seconds > 0
	if r.URL.Query().Get("refresh") == "off" {
		seconds = 0
	}
	return frame{
		Title: title, Version: d.opts.Version, Store: d.opts.StoreKind(), Refresh: seconds, Loads: loads,
		Now:  moment{now.UTC().Format("2 Jan 2006 15:04:05"), machine(now)},
		Path: r.URL.Path, Here: backOf(r), Who: v.name, Mine: !v.open && d.signs != nil, SignOut: v.session.Account != "", Open: v.open,
		Admin: d.signs != nil && feed.Allow(v.scopes, feed.ScopeAdmin), HasHub: d.opts.Hub != nil,
		MaySources: feed.Allow(v.scopes, feed.ScopeSources), MaySignals: feed.Allow(v.scopes, feed.ScopeSignals),
	}
}

// column is the head of one column of a table.
type column struct {
	Text   string
	Number bool // it holds numbers
	Hidden bool // it is told to screen readers only
}

// columns are those of a table by their names: one of numbers begins with #, one without a visible name with -. What is not
// text is left out: a column that not everybody sees.
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

// excuse says, and where it is the daemon's fault logs, why a page cannot show what was asked for.
func (d *Desk) excuse(r *http.Request, err error) (status int, text string) {
	if r.Context().Err() == nil { // else nobody waits for the answer, and that is the error
		d.log(slog.LevelWarn, r, err)
	}
	if errors.Is(err, feed.ErrUnavailable) {
		return http.StatusServiceUnavailable,
			"The store cannot be reached. Feeds go on being served from the last good copy; polling pauses until it is back."
	}
	return http.StatusInternalServerError, "The desk could not be read. The log has the reason."
}

// render answers with a page.
func (d *Desk) render(w http.ResponseWriter, r *http.Request, status int, template string, view any) {
	var page bytes.Buffer // a template that fails half-way must not leave half a page
	if err := d.page.ExecuteTemplate(&page, template, view); err != nil {
		d.log(slog.LevelError, r, err)
		http.Error(w, "The page could not be made. The log has the reason.", http.StatusInternalServerError)
		return
	}
	d.compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = page.WriteTo(w) // the client may be gone
	})).ServeHTTP(w, r)
}
