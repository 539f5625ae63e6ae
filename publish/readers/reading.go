package readers

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxMarked = 1000           // entries that one request marks
	maxAhead  = 24 * time.Hour // by which the clock of a program may differ
)

// selection returns the entries that a query selects, by unread, folder and source.
func (rs *Readers) selection(ctx context.Context, user int64, query *web.Query) (selected feed.Selection, err error) {
	if query.Number("unread", 0, 0, 1) == 1 {
		selected.State = feed.StateUnread
	}
	if query.Has("folder") {
		folder := query.Get("folder")
		selected.Folder = &folder
	}
	if source := query.Get("source"); source != "" && query.Err == nil {
		selected.FeedURL, err = rs.followed(ctx, user, source)
	}
	return selected, cmp.Or(query.Err, err)
}

// Unread counts unread entries.
type Unread struct {
	Unread  int            `json:"unread"` // of sources that are not muted
	Folders []FolderUnread `json:"folders"`
	Sources []SourceUnread `json:"sources"`
}

// FolderUnread counts the unread entries of a folder, without those of muted sources.
type FolderUnread struct {
	Name   string `json:"name"`
	Unread int    `json:"unread"`
}

// SourceUnread counts the unread entries of a source.
type SourceUnread struct {
	ID      string `json:"id"`
	FeedURL string `json:"feed_url"`
	Unread  int    `json:"unread"`
}

// countUnread serves GET /api/v1/me/read.
func (rs *Readers) countUnread(r *http.Request) (all Unread, err error) {
	user, err := rs.account(r)
	if err != nil {
		return all, err
	}
	follows, err := rs.store.Follows(r.Context(), user)
	if err != nil {
		return all, err
	}
	counts, err := rs.store.UnreadCounts(r.Context(), user)
	all = unreadOf(follows, counts)
	all.Folders = slices.DeleteFunc(all.Folders, func(f FolderUnread) bool { return f.Name == "" })
	return all, err
}

// unreadOf adds up the unread entries of follows, in all and by folder; "": those without a folder.
func unreadOf(follows []feed.Follow, counts map[string]int) Unread {
	all, folders := Unread{Folders: []FolderUnread{}, Sources: []SourceUnread{}}, make(map[string]int)
	for i := range follows {
		f := &follows[i]
		n := counts[f.FeedURL]
		all.Sources = append(all.Sources, SourceUnread{feed.SourceID(f.FeedURL), f.FeedURL, n})
		if f.Muted {
			continue
		}
		all.Unread += n
		folders[f.Folder] += n
	}
	for name, n := range folders {
		all.Folders = append(all.Folders, FolderUnread{name, n})
	}
	slices.SortFunc(all.Folders, func(a, b FolderUnread) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// mark serves POST /api/v1/me/read.
func (rs *Readers) mark(r *http.Request) error {
	var body struct {
		Entries []entryName    `json:"entries"`
		State   feed.ReadState `json:"state"`
		Source  string         `json:"source"`
		Folder  *string        `json:"folder"`
		All     bool           `json:"all"`
		Before  *string        `json:"before"`
	}
	if err := web.Decode(r, &body); err != nil {
		return err
	}
	named := 0
	for _, is := range []bool{body.Entries != nil, body.Source != "", body.Folder != nil, body.All} {
		if is {
			named++
		}
	}
	state := cmp.Or(body.State, feed.StateRead)
	switch {
	case named != 1:
		return feed.Invalid("body", "name entries, a source, a folder or all")
	case state != feed.StateRead && state != feed.StateUnread:
		return feed.Invalid("state", "use read or unread")
	case state == feed.StateUnread && body.Entries == nil:
		return feed.Invalid("state", "only entries can be marked as unread")
	case body.Entries != nil && body.Before != nil:
		return feed.Invalid("before", "leave it out: entries are marked whatever their time is")
	}
	before, err := timeOf(body.Before)
	if err != nil {
		return err
	}
	upto, err := rs.upTo(before)
	if err != nil {
		return err
	}
	user, err := rs.account(r)
	if err != nil {
		return err
	}
	defer rs.web.DropCopies(user)
	if body.Entries != nil {
		ids, err := entryIDs(body.Entries)
		if err != nil {
			return err
		}
		return rs.store.MarkEntries(r.Context(), user, ids, state)
	}
	selected := feed.Selection{Folder: body.Folder}
	if body.Source != "" {
		if selected.FeedURL, err = rs.followed(r.Context(), user, body.Source); err != nil {
			return err
		}
	}
	return rs.store.MarkSources(r.Context(), user, selected, upto)
}

// timeOf returns the time that a text has; nil: there is none.
func timeOf(text *string) (*time.Time, error) {
	if text == nil {
		return nil, nil //nolint:nilnil // the time is optional
	}
	t, err := time.Parse(time.RFC3339, *text)
	if err != nil {
		return nil, feed.Invalid("before", "use a time in the format RFC 3339, such as 2026-11-24T03:40:00Z")
	}
	return &t, nil
}

// upTo returns the time up to which entries are marked; zero: all of them are. A time at which no entry can be dated is a mistake of the
// program, whose entries would stay unread or all be marked.
func (rs *Readers) upTo(before *time.Time) (time.Time, error) {
	switch {
	case before == nil:
		return time.Time{}, nil
	case before.Unix() <= 0 || before.After(rs.web.Now().Add(maxAhead)):
		return time.Time{}, feed.Invalid("before", "use a time after 1970, at most a day ahead")
	}
	return *before, nil
}

// entryName is the id or the number of an entry: "Entry:5", "5" or 5.
type entryName string

// UnmarshalJSON reads a string or a number.
func (n *entryName) UnmarshalJSON(text []byte) error {
	if isNumber := strings.Trim(string(text), "0123456789") == ""; isNumber {
		*n = entryName(text)
		return nil
	}
	return json.Unmarshal(text, (*string)(n))
}

// entryIDs returns the ids of entries that are named by id or number.
func entryIDs(names []entryName) ([]string, error) {
	if len(names) > maxMarked {
		return nil, feed.Invalid("entries", fmt.Sprintf("name up to %d", maxMarked))
	}
	ids := make([]string, len(names))
	for i, name := range names {
		ids[i] = entryID(string(name))
	}
	return ids, nil
}

func entryID(name string) string { return "Entry:" + strings.TrimPrefix(name, "Entry:") }

// followed returns the feed URL of a followed source that is named by id or URL. feed.ErrInvalid: the user does not follow it.
func (rs *Readers) followed(ctx context.Context, user int64, name string) (feedURL string, err error) {
	f, err := rs.followOf(ctx, user, name)
	if err == nil && f.FeedURL == "" {
		err = feed.Invalid("source", "the account does not follow it")
	}
	return f.FeedURL, err
}

// saved serves GET /api/v1/me/saved.
func (rs *Readers) saved(r *http.Request) (page feed.Page[feed.ReaderEntry], err error) {
	return rs.entries(r, web.QueryOf(r), rs.store.Saved)
}

// changeSaved returns the handler of a route that saves the entry of the path or removes it from those that are saved.
func (rs *Readers) changeSaved(change func(r *http.Request, user int64, id string) error) web.Handler {
	return web.Done(func(r *http.Request) error {
		return rs.changing(r, func(user int64) error { return change(r, user, "Entry:"+r.PathValue("n")) })
	})
}

// changing calls change with the account of a request, and drops the copies of its pages.
func (rs *Readers) changing(r *http.Request, change func(user int64) error) error {
	user, err := rs.account(r)
	if err != nil {
		return err
	}
	defer rs.web.DropCopies(user)
	return change(user)
}

// addSaved saves an entry that the visitor may see.
func (rs *Readers) addSaved(r *http.Request, user int64, id string) error {
	visible, err := rs.visible(r, user, []string{id})
	if err == nil && len(visible) == 0 {
		err = fmt.Errorf("%s %w among the entries that the account may see", id, feed.ErrNotFound)
	}
	if err != nil {
		return err
	}
	return rs.store.AddSaved(r.Context(), user, id)
}

// visible returns those of some entries that exist and that the visitor may see.
func (rs *Readers) visible(r *http.Request, user int64, ids []string) ([]string, error) {
	found, err := rs.store.SavedByID(r.Context(), ids)
	if err != nil {
		return nil, err
	}
	marked, err := rs.store.ForReader(r.Context(), user, slices.Collect(maps.Values(found)))
	if err != nil {
		return nil, err
	}
	follows, err := rs.store.Follows(r.Context(), user)
	followed, v := make(map[string]bool, len(follows)), web.VisitorOf(r)
	for i := range follows {
		followed[follows[i].FeedURL] = true
	}
	visible := make(map[string]bool, len(marked))
	for i := range marked {
		visible[marked[i].ID] = maySee(&v, &marked[i], followed[marked[i].FeedURL])
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !visible[id] }), err
}

func (rs *Readers) removeSaved(r *http.Request, user int64, id string) error {
	return rs.store.RemoveSaved(r.Context(), user, id)
}
