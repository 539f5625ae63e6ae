package readers

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// view is what a page of the timeline shows: the values of its query that select entries.
type view struct {
	Path           string // "/read", or savedPath
	Unread         string // "1": unread entries only
	Source, Folder string // empty: of all sources
	Text           string // that is searched for
}

const savedPath = "/read/saved"

func viewOf(path string, q *web.Query) view {
	if path == savedPath {
		return view{Path: savedPath}
	}
	return view{"/read", q.Get("unread"), q.Get("source"), q.Get("folder"), q.Get("q")}
}

// Saved reports whether the page shows saved entries.
func (v view) Saved() bool { return v.Path == savedPath }

// With returns the path of the view with another value.
func (v view) With(name, value string) string {
	query := url.Values{"unread": {v.Unread}, "source": {v.Source}, "folder": {v.Folder}, "q": {v.Text}}
	query.Set(name, value)
	return web.WithQuery(v.Path, query)
}

// Here returns the path of the view.
func (v view) Here() string { return v.With("unread", v.Unread) }

// markByForm returns the handler of POST /read/entries/{n}/read and /unread.
func (rs *Readers) markByForm(state feed.ReadState) func(*http.Request) (web.Next, error) {
	return func(r *http.Request) (web.Next, error) {
		n := r.PathValue("n")
		return web.Next{Page: "/read", Did: "marked_" + string(state), To: n}, rs.changing(r, func(user int64) error {
			return rs.store.MarkEntries(r.Context(), user, []string{entryID(n)}, state)
		})
	}
}

// saveByForm returns the handler of POST /read/entries/{n}/save and /unsave.
func (rs *Readers) saveByForm(did string, change func(r *http.Request, user int64, id string) error) func(*http.Request) (web.Next, error) {
	return func(r *http.Request) (web.Next, error) {
		n := r.PathValue("n")
		return web.Next{Page: savedPath, Did: did, To: n}, rs.changing(r, func(user int64) error { return change(r, user, "Entry:"+n) })
	}
}

// markAllByForm serves POST /read/all: it marks the entries of a view that were there when its page was made. The notice has an undo if
// there are few enough.
func (rs *Readers) markAllByForm(w http.ResponseWriter, r *http.Request) error {
	user, err := rs.account(r)
	if err != nil {
		return err
	}
	defer rs.web.DropCopies(user)
	selected := feed.Selection{State: feed.StateUnread}
	if folder := r.PostForm.Get("folder"); folder != "" {
		selected.Folder = &folder
	}
	if source := r.PostForm.Get("source"); source != "" {
		if selected.FeedURL, err = rs.followed(r.Context(), user, source); err != nil {
			return err
		}
	}
	made, err := strconv.ParseInt(r.PostForm.Get("before"), 10, 64)
	if err != nil || made <= 0 {
		return feed.Invalid("before", "required: when the page was made, in Unix seconds")
	}
	unread, more, err := rs.store.SelectPlaces(r.Context(), user, selected, feed.CursorUpTo(made), maxUndone)
	if err != nil {
		return err
	}
	if err := rs.store.MarkSources(r.Context(), user, selected, time.Unix(made, 0)); err != nil {
		return err
	}
	next := web.Next{Page: "/read", Did: "marked_all"}
	if page := strconv.FormatInt(made, 10); more.IsZero() && rs.rememberMarked(w, "/read/all/"+page, numbersOf(unread)) {
		next.To = page
	}
	web.Redirect(w, r, next)
	return nil
}

// numbersOf returns the numbers of entries.
func numbersOf(places []feed.Cursor) []int64 {
	all := make([]int64, len(places))
	for i, at := range places {
		all[i], _ = strconv.ParseInt(at.Member, 10, 64) // members of a timeline are numbers
	}
	return all
}

// unmarkAllByForm serves POST /read/all/{made}/undo: it marks the entries as unread that markAllByForm marked.
func (rs *Readers) unmarkAllByForm(r *http.Request) (web.Next, error) {
	return web.Next{Page: "/read", Did: "unmarked_all"}, rs.changing(r, func(user int64) error {
		return rs.store.MarkEntries(r.Context(), user, rememberedMarked(r), feed.StateUnread)
	})
}
