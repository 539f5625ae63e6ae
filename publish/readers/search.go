package readers

import (
	"context"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// search returns up to limit entries of the selected sources that a user follows and that a text selects, after a cursor, newest first.
func (rs *Readers) search(
	ctx context.Context, user int64, text string, selected feed.Selection, after feed.Cursor, limit int,
) (page feed.TimelinePage, err error) {
	wanted, err := feed.ParseSearch(text)
	if err != nil {
		return page, err
	}
	if rs.opts.Search == nil {
		return page, feed.ErrNoSearch
	}
	follows, err := rs.store.Follows(ctx, user)
	if err != nil {
		return page, err
	}
	wanted.Feeds = []string{}
	for i := range follows {
		f := &follows[i]
		listed := !f.Muted && (selected.Folder == nil || *selected.Folder == f.Folder)
		if f.FeedURL == selected.FeedURL || selected.FeedURL == "" && listed {
			wanted.Feeds = append(wanted.Feeds, f.FeedURL)
		}
	}
	found, err := rs.opts.Search(ctx, &wanted, func(e *feed.Entry) bool { return e.ShownTo(user) }, after, limit)
	if err != nil {
		return page, err
	}
	for i := range found.Hits {
		page.Entries = append(page.Entries, found.Hits[i].Entry)
	}
	page.Next = found.Next
	if selected.State != "" {
		page.Entries, err = rs.inState(ctx, user, page.Entries, selected.State)
	}
	return page, err
}

// inState returns those of some entries that a user has read or not.
func (rs *Readers) inState(ctx context.Context, user int64, entries []feed.Entry, state feed.ReadState) (all []feed.Entry, err error) {
	marked, err := rs.store.ForReader(ctx, user, entries)
	for _, e := range marked {
		if e.Read == (state == feed.StateRead) {
			all = append(all, e.Entry)
		}
	}
	return all, err
}

// maxFound is how many entries an app finds.
const maxFound = 1000

// searchIDs serves search/items/ids, in one page.
func (rs *Readers) searchIDs(w http.ResponseWriter, c *call) error {
	web.NothingChanged(c.Request)
	n, err := c.number("num", 20)
	if err != nil {
		return err
	}
	var selected feed.Selection
	if stream := c.Get("s"); stream != "" {
		isStarred := false
		if selected, isStarred, err = c.selection(stream); err != nil {
			return err
		}
		if isStarred {
			return feed.Invalid("s", "saved entries cannot be searched")
		}
	}
	page, err := rs.search(c.Context(), c.user, c.Get("q"), selected, feed.Cursor{}, int(min(n, maxFound)))
	if err != nil {
		return err
	}
	results := make([]object, len(page.Entries))
	for i := range page.Entries {
		results[i] = object{"id": page.Entries[i].Number()}
	}
	return reply(w, object{"results": results})
}
