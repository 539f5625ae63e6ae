package community

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// thread serves GET /api/v1/entries/{n}/comments.
func (c *Community) thread(r *http.Request) (page feed.Page[feed.Comment], err error) {
	reader, err := c.visitor(r)
	if err != nil {
		return page, err
	}
	n, err := c.inPath(r, &reader)
	if err != nil {
		return page, err
	}
	all, err := c.comments(r, n.ID, reader.ID)
	return web.List(all, ""), err
}

// oneComment serves GET /api/v1/entries/{n}/comments/{comment}.
func (c *Community) oneComment(r *http.Request) (feed.Comment, error) {
	id, err := commentInPath(r)
	if err != nil {
		return feed.Comment{}, err
	}
	page, err := c.thread(r)
	if one := find(page.Items, id); one != nil {
		return *one, err
	}
	return feed.Comment{}, cmp.Or(err, fmt.Errorf("comment %d %w", id, feed.ErrNotFound))
}

// added is the response to a comment.
type added struct {
	ID int64 `json:"id"` // of the comment
}

// comment serves POST /api/v1/entries/{n}/comments.
func (c *Community) comment(r *http.Request) (a added, err error) {
	input := struct {
		Body     string `json:"body"`
		ParentID int64  `json:"parent_id"`
	}{ParentID: feed.NoParent}
	author, n, err := c.change(r, &input)
	if err != nil {
		return a, err
	}
	if input.ParentID != feed.NoParent && input.ParentID <= 0 {
		return a, feed.Invalid("parent_id", "use the id of a comment, or -1 for none")
	}
	a.ID, err = c.AddComment(r, &author, n.ID, input.ParentID, input.Body)
	return a, err
}

// change returns the account and the submission that a request is about, and decodes its body into input unless that is nil.
func (c *Community) change(r *http.Request, input any) (a feed.Account, n feed.News, err error) {
	if a, err = c.account(r); err != nil {
		return a, n, err
	}
	if input != nil {
		if err = web.Decode(r, input); err != nil {
			return a, n, err
		}
	}
	n, err = c.inPath(r, &a)
	return a, n, err
}

// changeComment is change for a comment, whose id it also returns.
func (c *Community) changeComment(r *http.Request, input any) (a feed.Account, n feed.News, id int64, err error) {
	if a, n, err = c.change(r, input); err == nil {
		id, err = commentInPath(r)
	}
	return a, n, id, err
}

// editComment serves PUT /api/v1/entries/{n}/comments/{comment}.
func (c *Community) editComment(r *http.Request) error {
	var input struct {
		Body string `json:"body"`
	}
	author, n, id, err := c.changeComment(r, &input)
	if err != nil {
		return err
	}
	body, err := c.CheckComment(&author, input.Body)
	if err != nil {
		return err
	}
	return c.store.EditComment(r.Context(), n.ID, id, author.ID, body)
}

// deleteComment serves DELETE /api/v1/entries/{n}/comments/{comment}.
func (c *Community) deleteComment(r *http.Request) error {
	author, n, id, err := c.changeComment(r, nil)
	if err != nil {
		return err
	}
	return c.store.DeleteComment(r.Context(), n.ID, id, author.ID, moderates(r, &author))
}

// voteOnComment serves PUT /api/v1/entries/{n}/comments/{comment}/vote.
func (c *Community) voteOnComment(r *http.Request) error {
	var input struct {
		Vote feed.Vote `json:"vote"`
	}
	voter, n, id, err := c.changeComment(r, &input)
	if err != nil {
		return err
	}
	before, err := c.VoteOnComment(r, &voter, n.ID, id, input.Vote)
	if err == nil && before != feed.VoteNone && before != input.Vote {
		err = fmt.Errorf("this vote is %w: you have voted %s, and votes on comments are final", feed.ErrConflict, before)
	}
	return err
}

// seeReplies serves PUT /api/v1/me/community/seen.
func (c *Community) seeReplies(r *http.Request) error {
	a, err := c.account(r)
	if err != nil {
		return err
	}
	return c.store.SeeReplies(r.Context(), a.ID)
}

func commentInPath(r *http.Request) (int64, error) {
	text := r.PathValue("comment")
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 {
		return 0, fmt.Errorf("comment %.32q %w: use its id", text, feed.ErrNotFound)
	}
	return id, nil
}
