package community

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/feedwire/feedwire/publish/document"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// feedItems is how many submissions or comments a feed has, as at Lamer News.
const feedItems = 100

// serveFeed serves the feed of an order, which has what everyone sees.
func (c *Community) serveFeed(order feed.NewsOrder, path, title string) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		all, _, err := c.ordered(r, 0, order, feed.Cursor{}, feedItems)
		if err != nil {
			return err
		}
		entries := make([]*feedxml.Entry, 0, len(all))
		for i := range all {
			if !all[i].Deleted {
				entries = append(entries, c.feedEntry(&all[i]))
			}
		}
		return c.writeFeed(w, r, feedxml.Channel{Title: title + " - " + c.opts.Name, Link: c.opts.Mount.URL("/"), Self: c.opts.Mount.URL(path)}, entries)
	}
}

// feedEntry returns a submission as an entry of a feed.
func (c *Community) feedEntry(n *feed.News) *feedxml.Entry {
	page := c.opts.Mount.URL(fmt.Sprint("/news/", n.ID))
	e := &feedxml.Entry{
		IDs: feedxml.NewIDs(page, page), Title: hypertext.OneLine(hypertext.Clean(n.Title)), Link: cmp.Or(n.URL, page), Published: feedxml.Date(n.Created),
		Content: string(markup(n.Text)) + `<p><a href="` + template.HTMLEscapeString(page) + `">Comments</a></p>`,
		Fields:  map[string]string{"comments": page},
	}
	e.Authors = c.persons(n.Author)
	return e
}

// persons returns the author of something; none: the account was removed.
func (c *Community) persons(name string) []feed.Person {
	if name == "" {
		return nil
	}
	return []feed.Person{{Name: name, URL: c.opts.Mount.URL("/user/" + name)}}
}

// serveCommentsFeed serves GET /news/{n}/rss: the newest comments on a submission.
func (c *Community) serveCommentsFeed(w http.ResponseWriter, r *http.Request) error {
	n, err := c.inPath(r, new(feed.Account))
	if err == nil && n.Deleted {
		err = fmt.Errorf("submission %d was %w", n.ID, feed.ErrGone)
	}
	if err != nil {
		return err
	}
	thread, err := c.store.Thread(r.Context(), n.ID, 0)
	if err != nil {
		return err
	}
	all := slices.SortedFunc(visible(thread), func(a, b *feed.Comment) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
	})
	entries := make([]*feedxml.Entry, min(feedItems, len(all)))
	for i := range entries {
		one := all[i]
		page := c.opts.Mount.URL(fmt.Sprintf("/comment/%d/%d", n.ID, one.ID))
		entries[i] = &feedxml.Entry{
			IDs: feedxml.NewIDs(page, page), Title: cmp.Or(one.Author, "[removed]"), Link: page, Published: feedxml.Date(one.Created),
			Content: string(markup(one.Body)), Authors: c.persons(one.Author),
		}
	}
	path := fmt.Sprint("/news/", n.ID)
	return c.writeFeed(w, r, feedxml.Channel{
		Title: "Comments on " + hypertext.OneLine(hypertext.Clean(n.Title)) + " - " + c.opts.Name, Link: c.opts.Mount.URL(path), Self: c.opts.Mount.URL(path + "/rss"),
	}, entries)
}

// visible returns the comments at any depth that were not deleted.
func visible(thread []feed.Comment) func(yield func(*feed.Comment) bool) {
	var walk func(thread []feed.Comment, yield func(*feed.Comment) bool) bool
	walk = func(thread []feed.Comment, yield func(*feed.Comment) bool) bool {
		for i := range thread {
			if one := &thread[i]; !one.Deleted && !yield(one) || !walk(one.Replies, yield) {
				return false
			}
		}
		return true
	}
	return func(yield func(*feed.Comment) bool) { walk(thread, yield) }
}

// writeFeed answers with RSS. Its date is that of the newest entry, which does not tell whether an older one was edited: only the ETag answers
// conditional requests.
func (c *Community) writeFeed(w http.ResponseWriter, r *http.Request, channel feedxml.Channel, entries []*feedxml.Entry) error {
	format := feedxml.New(feedxml.RSS, feedxml.SourceProfile())
	channel.Description, channel.Changed = channel.Title, time.Unix(0, 0).UTC()
	encoded := make([][]byte, len(entries))
	for i, e := range entries {
		if e.Published.After(channel.Changed) {
			channel.Changed = e.Published
		}
		var err error
		if encoded[i], err = format.Entry(e); err != nil {
			return err
		}
	}
	content, err := format.Document(&channel, encoded)
	if err != nil {
		return err
	}
	doc := document.Restore(content, document.Meta{MediaType: format.MediaType, Self: channel.Self}, channel.Changed, false)
	_ = doc.Response(r.Header).Write(w, r) // the client may leave
	return nil
}

// Bounds of the search for a submission that everyone sees.
const (
	randomTries = 5
	randomRange = 20 // submissions that are read at once
)

// showRandom serves GET /random, which leads to a submission, or to the front page if it finds none.
func (c *Community) showRandom(w http.ResponseWriter, r *http.Request) error {
	path := "/"
	for range randomTries {
		n, err := c.randomNews(r.Context())
		if err != nil {
			return err
		}
		if n != 0 {
			path = fmt.Sprint("/news/", n)
			break
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, c.opts.Mount.Path(path), http.StatusSeeOther)
	return nil
}

// randomNews returns the number of a submission from a random place of the list that everyone sees; 0: there is none near it.
func (c *Community) randomNews(ctx context.Context) (int64, error) {
	_, total, err := c.store.NewsRange(ctx, feed.NewsLatest, 0, 1)
	if err != nil || total == 0 {
		return 0, err
	}
	ids, _, err := c.store.NewsRange(ctx, feed.NewsLatest, rand.IntN(total), randomRange) //nolint:gosec // no secret
	if err != nil {
		return 0, err
	}
	all, err := c.store.News(ctx, 0, ids...)
	for i := range all {
		if !all[i].Deleted {
			return all[i].ID, err
		}
	}
	return 0, err
}
