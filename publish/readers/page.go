package readers

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of the page.
const (
	shownEntries = 30
	shownFollows = 300
)

var notices = web.Notices{
	"followed":   {One: "You follow the source. New entries appear here."},
	"changed":    {One: "The follow is changed."},
	"unfollowed": {One: "You no longer follow the source.", Undo: "/read/follows/%s"},
}

// readPage is the data of read.html.
type readPage struct {
	web.Frame
	Account bool // the visitor has one
	Rows    []row
	Pager   web.Pager
	New     int // rows that are new
	Folders []folder
	Follows int    // of the account
	Hidden  int    // follows that the page does not list
	Address string // in the form
}

// row is an entry of the timeline.
type row struct {
	feed.Entry
	Source string // its name for this account
	New    bool   // it is newer than the last visit
}

// Name returns what the row is called.
func (r row) Name() string { return cmp.Or(strings.TrimSpace(r.Title), r.Link, "Entry "+r.Number()) }

// folder is a list of follows by name.
type folder struct {
	Name    string // empty: those without a folder
	Follows []feed.NamedFollow
}

// showRead serves GET /read, and shows its form again after a problem.
func (rs *Readers) showRead(w http.ResponseWriter, r *http.Request) error {
	v := web.VisitorOf(r)
	page := readPage{Frame: web.Frame{Title: "Read"}, Account: v.Account.ID != 0, Address: web.Cut(r.PostFormValue("url"), 2048)}
	if !page.Account {
		return rs.web.Render(w, r, "read.html", &page)
	}
	cursor := web.QueryOf(r).Get("cursor")
	after, err := feed.ParseTimelineCursor(cursor)
	if err != nil {
		return err
	}
	follows, err := rs.follows(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	found, err := rs.store.Timeline(r.Context(), v.Account.ID, after, shownEntries)
	if err != nil {
		return err
	}
	names := make(map[string]string, len(follows))
	for _, f := range follows {
		names[f.FeedURL] = f.Name
	}
	before := rs.lastVisit(w, r, cursor == "")
	for _, e := range found.Entries {
		one := row{e, names[e.FeedURL], !before.IsZero() && e.Timestamp.After(before)}
		if page.Rows = append(page.Rows, one); one.New {
			page.New++
		}
	}
	if cursor != "" {
		page.Pager.First = "/read"
	}
	if !found.Next.IsZero() {
		page.Pager.Next = "/read?cursor=" + feed.TimelineCursor(found.Next)
	}
	page.Follows = len(follows)
	page.Hidden = max(0, page.Follows-shownFollows)
	page.Folders = foldersOf(follows)
	return rs.web.Render(w, r, "read.html", &page)
}

// foldersOf returns the first shownFollows follows in their folders, those without a folder last.
func foldersOf(follows []feed.NamedFollow) (all []folder) {
	slices.SortStableFunc(follows, func(a, b feed.NamedFollow) int {
		noFolder := func(f feed.NamedFollow) int {
			if f.Folder == "" {
				return 1
			}
			return 0
		}
		return cmp.Or(noFolder(a)-noFolder(b), cmp.Compare(strings.ToLower(a.Folder), strings.ToLower(b.Folder)),
			cmp.Compare(a.Folder, b.Folder), cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)))
	})
	for _, f := range follows[:min(len(follows), shownFollows)] {
		if len(all) == 0 || all[len(all)-1].Name != f.Folder {
			all = append(all, folder{Name: f.Folder})
		}
		last := &all[len(all)-1]
		last.Follows = append(last.Follows, f)
	}
	return all
}

// followByForm serves POST /read/follows.
func (rs *Readers) followByForm(r *http.Request) (web.Next, error) {
	web.NothingChanged(r)
	followed, _, err := rs.followURL(r, r.PostFormValue("url"), feed.FollowChange{})
	return web.Next{Page: "/read", Did: "followed", To: followed.ID}, err
}

// changeByForm serves POST /read/follows/{id}: it follows a source, or changes the fields of the follow that the form has. A form without
// fields undoes an unfollow.
func (rs *Readers) changeByForm(r *http.Request) (web.Next, error) {
	var change feed.FollowChange
	for name, to := range map[string]**string{"title": &change.Title, "folder": &change.Folder} {
		if r.PostForm.Has(name) {
			text := r.PostForm.Get(name)
			*to = &text
		}
	}
	if r.PostForm.Has("muted") {
		muted := r.PostForm.Get("muted") == "true"
		change.Muted = &muted
	}
	if change == (feed.FollowChange{}) {
		change = rememberedFollow(r)
	}
	followed, created, err := rs.followSource(r, change)
	did := "changed"
	if created {
		did = "followed"
	}
	return web.Next{Page: "/read", Did: did, To: followed.ID}, err
}

// unfollowByForm serves POST /read/follows/{id}/unfollow.
func (rs *Readers) unfollowByForm(w http.ResponseWriter, r *http.Request) error {
	ended, err := rs.endFollow(r)
	if err == nil && ended.FeedURL != "" {
		rs.rememberFollow(w, ended)
	}
	if err == nil {
		web.Redirect(w, r, web.Next{Page: "/read", Did: "unfollowed", To: r.PathValue("id")})
	}
	return err
}
