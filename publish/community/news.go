package community

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// list serves GET /api/v1/submissions.
func (c *Community) list(r *http.Request) (page feed.Page[feed.News], err error) {
	query, order := web.QueryOf(r), feed.NewsLatest
	switch text := feed.NewsOrder(query.Get("order")); text {
	case "", feed.NewsLatest:
	case feed.NewsTop:
		order = text
	default:
		query.Refuse("order", "use latest or top")
	}
	limit, after := query.Limit(), query.Position()
	if query.Err != nil {
		return page, query.Err
	}
	reader, err := c.visitor(r)
	if err != nil {
		return page, err
	}
	all, next, err := c.ordered(r, reader.ID, order, after, limit)
	return web.List(all, next.String()), err
}

// show serves GET /api/v1/submissions/{n}.
func (c *Community) show(r *http.Request) (n feed.News, err error) {
	reader, err := c.visitor(r)
	if err != nil {
		return n, err
	}
	return c.inPath(r, &reader)
}

// vote serves PUT /api/v1/submissions/{n}/vote.
func (c *Community) vote(r *http.Request) (n feed.News, err error) {
	var body struct {
		Vote feed.Vote `json:"vote"`
	}
	voter, err := c.account(r)
	if err != nil {
		return n, err
	}
	if err := web.Decode(r, &body); err != nil {
		return n, err
	}
	if n, err = c.inPath(r, &voter); err != nil {
		return n, err
	}
	before, err := c.cast(r, &voter, &n, body.Vote)
	if err == nil && before != feed.VoteNone && before != body.Vote {
		err = fmt.Errorf("this vote is %w: you have voted %s, and votes on submissions are final", feed.ErrConflict, before)
	}
	if err != nil {
		return n, err
	}
	return c.read(r, &voter, n.ID)
}

// cast votes on a submission, saves its entry if the vote is up, and returns the vote that the account has cast before.
func (c *Community) cast(r *http.Request, voter *feed.Account, n *feed.News, vote feed.Vote) (before feed.Vote, err error) {
	e, err := c.entry(r.Context(), n)
	if err != nil {
		return before, err
	}
	if err := c.count(r, voter, feed.LimitedVotes); err != nil {
		return before, err
	}
	defer c.web.DropCopies(voter.ID)
	before, err = c.store.VoteOnNews(r.Context(), &e, voter.ID, vote)
	if err == nil && before == feed.VoteNone && vote == feed.VoteUp {
		err = c.save(r, voter.ID, &e)
	}
	return before, err
}

// entry returns the entry of a submission. feed.ErrGone: it was deleted.
func (c *Community) entry(ctx context.Context, n *feed.News) (feed.Entry, error) {
	found, err := c.store.ListedByID(ctx, []string{n.EntryID()})
	e, ok := found[n.EntryID()]
	if err == nil && (n.Deleted || !ok) {
		err = fmt.Errorf("submission %d was %w", n.ID, feed.ErrGone)
	}
	return e, err
}

// inPath returns the submission in the path.
func (c *Community) inPath(r *http.Request, reader *feed.Account) (feed.News, error) {
	text := r.PathValue("n")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return feed.News{}, fmt.Errorf("submission %.32q %w: use its number", text, feed.ErrNotFound)
	}
	return c.read(r, reader, n)
}

// read returns a submission with the vote of a reader.
func (c *Community) read(r *http.Request, reader *feed.Account, id int64) (n feed.News, err error) {
	all, err := c.news(r, reader.ID, id)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("submission %d %w", id, feed.ErrNotFound)
	}
	if err != nil {
		return n, err
	}
	return all[0], nil
}
