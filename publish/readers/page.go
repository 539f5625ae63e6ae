package readers

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/body"
	"github.com/feedwire/feedwire/publish/prose"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of the page.
const (
	shownEntries = 30
	shownFollows = 300
	shownText    = 40 << 10 // bytes of all full texts
	shownTitle   = 300      // bytes; some feeds have whole texts as titles
)

var notices = web.Notices{
	"followed":   {One: "You follow the source. New entries appear here."},
	"default":    {One: "New members follow the source."},
	"no-default": {One: "New members no longer follow the source."},
	"changed":    {One: "The follow is changed."},
	"unfollowed": {One: "You no longer follow the source.", Undo: "/read/follows/%s"},

	"marked_read":   {One: "The entry is read.", Undo: "/read/entries/%s/unread"},
	"marked_unread": {One: "The entry is unread.", Undo: "/read/entries/%s/read"},
	"saved":         {One: "The entry is saved.", Undo: "/read/entries/%s/unsave"},
	"unsaved":       {One: "The entry is no longer saved.", Undo: "/read/entries/%s/save"},
	"marked_all":    {One: "The entries are read.", Undo: "/read/all/%s/undo"},
	"unmarked_all":  {One: "The entries are unread again."},
}

// readPage is the data of read.html.
type readPage struct {
	web.Frame
	Account bool   // the visitor has one
	Search  bool   // there is an index
	Name    string // of the folder or source that is shown; empty: all are
	View    view
	Source  *feed.NamedFollow // the only one that is shown; nil: several are
	Unread  int               // entries of sources that are not muted
	Made    int64             // when the page was made, in Unix seconds
	Layout  string            // class of the list
	Layouts []web.Choice
	Rows    []row
	Pager   web.Pager
	New     int // rows that are new
	Folders []folder
	Follows int    // of the account
	Hidden  int    // follows that the page does not list
	Address string // in the form

	Importing bool // the problem is about the file in the form
}

// row is an entry as readers see it.
type row struct {
	feed.Entry
	Source  string // its name for this account
	New     bool   // it is newer than the last visit
	Read    bool
	Saved   bool
	Ballot  web.Ballot
	Picture string // address of its image on this site; empty: it has none
	Excerpt string
	Text    template.HTML // all of it; empty: the page shows the excerpt only
}

// rowOf returns an entry as the reader with a number sees it; 0: a visitor without an account.
func (rs *Readers) rowOf(user int64, e feed.ReaderEntry, source string, score feed.Score) row {
	r := row{Entry: e.Entry, Read: e.Read, Saved: e.Saved, Source: source, Picture: rs.prose.Picture(&e.Entry), Excerpt: prose.Excerpt(&e.Entry)}
	r.Ballot = web.Ballot{Number: e.Number(), Name: r.Name(), Score: score, Open: user != 0 && rs.store.VotingOpen(&e.Entry)}
	return r
}

// Name returns what the row is called.
func (r row) Name() string { return cmp.Or(strings.TrimSpace(r.Title), r.Link, "Entry "+r.Number()) }

// Headline returns the name as the timeline shows it.
func (r row) Headline() string { return web.Shorten(r.Name(), shownTitle) }

// Label returns the name as buttons have it.
func (r row) Label() string { return r.Ballot.Label() }

// SourceID returns the id of the source of the entry.
func (r row) SourceID() string { return feed.SourceID(r.FeedURL) }

// Language returns the language of the entry; "" if it is unknown.
func (r row) Language() string { return body.Language(r.Extra[feed.FieldLanguage]) }

// Direction returns the direction of its texts.
func (r row) Direction() string { return prose.Direction(r.Language()) }

// folder is a list of follows by name.
type folder struct {
	Name    string // empty: those without a folder
	Unread  int
	Follows []shownFollow
}

// shownFollow is a follow in the list of follows.
type shownFollow struct {
	feed.NamedFollow
	Unread int
}

// showRead serves GET /read, and shows its form again after a problem.
func (rs *Readers) showRead(w http.ResponseWriter, r *http.Request) error {
	v := web.VisitorOf(r)
	page := readPage{Frame: web.Frame{Title: "Read"}, Account: v.Account.ID != 0, Address: web.Cut(r.PostFormValue("url"), 2048)}
	page.Importing = r.URL.Path == importPath
	if !page.Account {
		return rs.web.Render(w, r, "read.html", &page)
	}
	query := web.QueryOf(r)
	cursor := query.Get("cursor")
	after, err := feed.ParseTimelineCursor(cursor)
	if err != nil {
		return err
	}
	follows, err := rs.follows(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	page.View, page.Search = viewOf(r.URL.Path, query), rs.opts.Search != nil
	found, err := rs.find(r.Context(), v.Account.ID, page.View, query, after)
	if err != nil {
		return err
	}
	if page.Rows, err = rs.rows(r.Context(), v.Account.ID, found.Entries, follows); err != nil {
		return err
	}
	counts, err := rs.store.UnreadCounts(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	page.Made = rs.web.Now().Unix()
	prepare(w, v.Account.ID)
	page.Layouts, page.Layout = rs.layoutOf(w, r)
	before := rs.lastVisit(w, r, cursor == "")
	room := shownText
	for i := range page.Rows {
		one := &page.Rows[i]
		if page.Layout == "full" && len(one.Content) < room { // HTML of the cleaner has about the length of the content
			one.Text = rs.prose.Text(&one.Entry)
			room -= len(one.Text)
		}
		if one.New = !before.IsZero() && one.Timestamp.After(before); one.New {
			page.New++
		}
	}
	if cursor != "" {
		page.Pager.First = page.View.Here()
	}
	if !found.Next.IsZero() {
		page.Pager.Next = page.View.With("cursor", feed.TimelineCursor(found.Next))
	}
	page.Follows = len(follows)
	page.Hidden = max(0, page.Follows-shownFollows)
	page.Folders = foldersOf(follows, counts)
	if page.Name = page.View.Folder; page.View.Saved() {
		page.Name = "Saved"
	}
	for _, f := range follows {
		if !f.Muted {
			page.Unread += counts[f.FeedURL]
		}
		if f.ID == page.View.Source {
			page.Name, page.Source = f.Name, &f
		}
	}
	return rs.web.Render(w, r, "read.html", &page)
}

// find returns a page of the entries of a view.
func (rs *Readers) find(ctx context.Context, user int64, v view, query *web.Query, after feed.Cursor) (found feed.TimelinePage, err error) {
	if v.Saved() {
		return rs.store.Saved(ctx, user, after, shownEntries)
	}
	selected, err := rs.selection(ctx, user, query)
	if err != nil {
		return found, err
	}
	return rs.selected(ctx, user, v.Text, selected, after, shownEntries)
}

// rows returns entries as a reader sees them. Saved entries may be of sources that the reader does not follow.
func (rs *Readers) rows(ctx context.Context, user int64, found []feed.Entry, follows []feed.NamedFollow) ([]row, error) {
	names := make(map[string]string, len(follows))
	for _, f := range follows {
		names[f.FeedURL] = f.Name
	}
	var others []feed.Follow
	for i := range found {
		if names[found[i].FeedURL] == "" {
			others = append(others, feed.Follow{FeedURL: found[i].FeedURL})
		}
	}
	if len(others) > 0 {
		named, err := rs.named(ctx, others)
		if err != nil {
			return nil, err
		}
		for _, f := range named {
			names[f.FeedURL] = f.Name
		}
	}
	entries, err := rs.store.LoadEntries(ctx, feed.RefsOf(found))
	if err != nil {
		return nil, err
	}
	marked, err := rs.store.ForReader(ctx, user, entries)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	scores, err := rs.store.Scores(ctx, user, ids)
	rows := make([]row, len(marked))
	for i, e := range marked {
		rows[i] = rs.rowOf(user, e, names[e.FeedURL], scores[e.ID])
	}
	return rows, err
}

// foldersOf returns the first shownFollows follows in their folders, those without a folder last, with the numbers of unread entries.
func foldersOf(follows []feed.NamedFollow, unread map[string]int) (all []folder) {
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
		last.Follows = append(last.Follows, shownFollow{f, unread[f.FeedURL]})
		if !f.Muted {
			last.Unread += unread[f.FeedURL]
		}
	}
	return all
}

// followByForm serves POST /read/follows.
func (rs *Readers) followByForm(r *http.Request) (web.Next, error) {
	web.NothingChanged(r)
	followed, _, err := rs.followURL(r, r.PostFormValue("url"), feed.FollowChange{})
	return web.Next{Page: "/read", Did: "followed", To: followed.ID}, err
}

// changeByForm serves POST /read/follows/{id}: it changes the fields of the follow that the form has. A form without fields follows the
// source, which undoes an unfollow.
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
	undo := change == (feed.FollowChange{})
	if undo {
		change = rememberedFollow(r)
	}
	followed, created, err := rs.followSource(r, change, !undo)
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
