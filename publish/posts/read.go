package posts

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// pageSize is how many posts a page has.
const pageSize = 10

// timeline serves GET /feed.
func (ps *Posts) timeline(r *http.Request) (page[post], error) {
	return readPage(ps, r, ps.store.ScoredTimeline, postOf)
}

// ownPage serves GET /posts.
func (ps *Posts) ownPage(r *http.Request) (page[post], error) {
	return readPage(ps, r, ps.scoredPosts, postOf)
}

// readPage returns a page of the account of a request.
func readPage[T any](
	ps *Posts, r *http.Request, read func(context.Context, int64, feed.Cursor, int) (feed.TimelinePage, map[string]feed.Score, error),
	form func(*feed.Entry, feed.Score, map[string]int) T,
) (p page[T], err error) {
	after, err := feed.ParseTimelineCursor(r.URL.Query().Get("cursor"))
	if err != nil {
		return p, err
	}
	account, err := web.AccountOf(r, ps.store.Account)
	if err != nil {
		return p, err
	}
	found, scores, err := read(r.Context(), account.ID, after, pageSize)
	if err != nil {
		return p, err
	}
	comments, err := ps.comments(r.Context(), scores)
	return pageOf(found, scores, comments, form), err
}

// scoredPosts returns posts of a user with their scores and the votes of the user.
func (ps *Posts) scoredPosts(
	ctx context.Context, user int64, after feed.Cursor, limit int,
) (found feed.TimelinePage, scores map[string]feed.Score, err error) {
	if found, err = ps.store.Posts(ctx, user, after, limit); err != nil {
		return found, nil, err
	}
	scores, err = ps.scores(ctx, user, &found)
	return found, scores, err
}

// scores returns the scores of the entries of a page, and the votes of a user; 0: no user.
func (ps *Posts) scores(ctx context.Context, user int64, found *feed.TimelinePage) (map[string]feed.Score, error) {
	ids := make([]string, len(found.Entries))
	for i := range found.Entries {
		ids[i] = found.Entries[i].ID
	}
	return ps.store.Scores(ctx, user, ids)
}

// comments returns how many comments those of some entries have on which members comment here, by id. Each of these has a score.
func (ps *Posts) comments(ctx context.Context, scores map[string]feed.Score) (map[string]int, error) {
	return ps.store.CommentCounts(ctx, slices.Collect(maps.Keys(scores)))
}

// thumbnails serves GET /users/feed.
func (ps *Posts) thumbnails(r *http.Request) (p page[thumbnail], err error) {
	query := r.URL.Query()
	user, err := strconv.ParseInt(query.Get("userid"), 10, 64)
	if err != nil || user <= 0 {
		return p, feed.Invalid("userid", "required: the number of an account")
	}
	after, err := feed.ParseTimelineCursor(query.Get("cursor"))
	if err != nil {
		return p, err
	}
	if _, err := ps.store.AccountByID(r.Context(), user); err != nil {
		return p, err
	}
	found, err := ps.store.Posts(r.Context(), user, after, pageSize)
	if err != nil {
		return p, err
	}
	scores, err := ps.scores(r.Context(), 0, &found)
	if err != nil {
		return p, err
	}
	comments, err := ps.comments(r.Context(), scores)
	return pageOf(found, scores, comments, thumbnailOf), err
}

// list serves GET /api/v1/me/posts.
func (ps *Posts) list(r *http.Request) (p feed.Page[feed.Entry], err error) {
	query := web.QueryOf(r)
	limit := query.Limit()
	after, err := feed.ParseTimelineCursor(query.Get("cursor"))
	if query.Err != nil {
		err = query.Err
	}
	if err != nil {
		return p, err
	}
	account, err := web.AccountOf(r, ps.store.Account)
	if err != nil {
		return p, err
	}
	found, err := ps.store.Posts(r.Context(), account.ID, after, limit)
	return web.List(found.Entries, feed.TimelineCursor(found.Next)), err
}

// show serves GET /posts/{post} to visitors who may see the entry.
func (ps *Posts) show(r *http.Request) (p post, err error) {
	e, err := ps.entry(r)
	if err == nil && (e.Expired || !e.ShownTo(web.VisitorOf(r).Account.ID)) { // it is there only for those who saved it, or for its author
		err = fmt.Errorf("post %s: %w", e.Number(), feed.ErrNotFound)
	}
	if errors.Is(err, feed.ErrNotFound) {
		removed, failed := ps.store.IsRemovedPost(r.Context(), e.ID)
		if failed != nil {
			return p, failed
		}
		if removed {
			err = fmt.Errorf("post %s was %w", e.Number(), feed.ErrGone)
		}
	}
	if err != nil {
		return p, err
	}
	v := web.VisitorOf(r)
	if v.MaySee(e.FeedURL, false) {
		return ps.scored(r, v.Account.ID, &e)
	}
	follows, err := ps.store.Follows(r.Context(), v.Account.ID)
	if err != nil {
		return p, err
	}
	if !v.MaySee(e.FeedURL, slices.ContainsFunc(follows, func(f feed.Follow) bool { return f.FeedURL == e.FeedURL })) {
		return p, fmt.Errorf("post %s: %w", e.Number(), feed.ErrNotFound)
	}
	return ps.scored(r, v.Account.ID, &e)
}

// scored returns an entry with its votes and that of a user; 0: no user.
func (ps *Posts) scored(r *http.Request, user int64, e *feed.Entry) (post, error) {
	scores, err := ps.store.Scores(r.Context(), user, []string{e.ID})
	if err != nil {
		return post{}, err
	}
	comments, err := ps.comments(r.Context(), scores)
	return postOf(e, scores[e.ID], comments), err
}

// showEntry serves GET /api/v1/me/posts/{post}.
func (ps *Posts) showEntry(r *http.Request) (feed.Entry, error) {
	_, e, err := ps.own(r)
	if errors.Is(err, feed.ErrForbidden) && e.ID != "" {
		err = fmt.Errorf("post %s of this account: %w", e.Number(), feed.ErrNotFound)
	}
	return e, err
}

// own returns the post in the path and its author, who sends the request. feed.ErrForbidden: someone else wrote it.
func (ps *Posts) own(r *http.Request) (author feed.Account, e feed.Entry, err error) {
	if author, err = web.AccountOf(r, ps.store.Account); err != nil {
		return author, e, err
	}
	if e, err = ps.entry(r); err == nil && feed.MemberOf(e.FeedURL) != author.ID {
		err = fmt.Errorf("this is %w: %s did not write post %s", feed.ErrForbidden, author.Name, e.Number())
	}
	return author, e, err
}

// entry returns the entry in the path. With feed.ErrNotFound it has the ID only.
func (ps *Posts) entry(r *http.Request) (feed.Entry, error) {
	n := r.PathValue("post")
	if len(n) > 19 || strings.Trim(n, "0123456789") != "" {
		return feed.Entry{}, fmt.Errorf("post %.32q %w: use its number", n, feed.ErrNotFound)
	}
	e, err := ps.store.Entry(r.Context(), "Entry:"+n)
	if err != nil {
		e = feed.Entry{ID: "Entry:" + n}
	}
	return e, err
}
