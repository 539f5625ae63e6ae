package lamernews

import (
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// postComment serves POST /api/postcomment, which adds, changes or deletes a comment.
func (a *API) postComment(r *http.Request) (answer, error) {
	r, v, err := a.member(r, feed.ScopePosts)
	if err != nil {
		return nil, err
	}
	n, err := existing("news_id", value(r, "news_id"))
	if err != nil {
		return nil, err
	}
	c, err := number("comment_id", value(r, "comment_id"))
	if err != nil {
		return nil, err
	}
	parent, err := number("parent_id", value(r, "parent_id"))
	if err != nil {
		return nil, err
	}
	if !has(r, "comment") {
		return nil, feed.Invalid("comment", "comment is missing")
	}
	op, c, err := a.write(r, v, n, c, parent)
	return answer{"op": op, "comment_id": c, "parent_id": value(r, "parent_id"), "news_id": value(r, "news_id")}, err
}

// write adds a comment if its number is create, deletes it if the text is empty, and else changes it. It returns what it did, and the number.
func (a *API) write(r *http.Request, v *feed.Visitor, n, c, parent int64) (op string, _ int64, err error) {
	text := strings.ReplaceAll(value(r, "comment"), "\r\n", "\n")
	if text == "" && c != create {
		return "delete", c, a.store.DeleteComment(r.Context(), n, c, v.Account.ID, v.May(feed.ScopeAdmin))
	}
	if c == create {
		c, err = a.actions.AddComment(r, &v.Account, n, parent, text)
		return "insert", c, err
	}
	if text, err = a.actions.CheckComment(&v.Account, text); err != nil {
		return "", 0, err
	}
	return "update", c, a.store.EditComment(r.Context(), n, c, v.Account.ID, text)
}

// voteOnComment serves POST /api/votecomment.
func (a *API) voteOnComment(r *http.Request) (answer, error) {
	r, v, err := a.member(r, feed.ScopeFollows)
	if err != nil {
		return nil, err
	}
	name := value(r, "comment_id")
	first, second, _ := strings.Cut(name, "-")
	n, err := existing("comment_id", first)
	if err != nil {
		return nil, err
	}
	c, err := existing("comment_id", second)
	if err != nil {
		return nil, err
	}
	before, err := a.actions.VoteOnComment(r, &v.Account, n, c, feed.Vote(value(r, "vote_type")))
	if err == nil && before != feed.VoteNone {
		err = errDuplicate
	}
	return answer{"comment_id": name}, err
}

// remark is a comment in an answer.
type remark struct {
	ID       int64     `json:"id"`
	ParentID int64     `json:"parent_id"`
	Body     string    `json:"body"`
	Created  int64     `json:"ctime"`
	Username string    `json:"username"`
	Up       int       `json:"up"`
	Down     int       `json:"down"`
	Voted    feed.Vote `json:"voted,omitempty"` // by the client
	Deleted  int       `json:"del,omitempty"`   // 1: it has no body
	Replies  []remark  `json:"replies"`
}

// comments serves GET /api/getcomments/{n}.
func (a *API) comments(r *http.Request) (answer, error) {
	v, err := a.client(r)
	if err != nil {
		return nil, err
	}
	const wrong refused = "wrong news ID"
	n, err := existing("news_id", r.PathValue("n"))
	if err != nil {
		return nil, wrong
	}
	found, err := a.store.News(r.Context(), v.Account.ID, n)
	if err == nil && len(found) == 0 {
		err = wrong
	}
	if err != nil {
		return nil, err
	}
	thread, err := a.store.Thread(r.Context(), n, v.Account.ID)
	return answer{"comments": remarks(thread)}, err
}

// remarks returns comments with their replies.
func remarks(thread []feed.Comment) []remark {
	all := make([]remark, len(thread))
	for i := range thread {
		c := &thread[i]
		all[i] = remark{ID: c.ID, ParentID: c.ParentID, Body: c.Body, Created: c.Created.Unix(), Username: c.Author, Up: c.Up, Down: c.Down, Replies: remarks(c.Replies)}
		if c.Deleted {
			all[i].Deleted = 1
		}
		if c.Vote != feed.VoteNone {
			all[i].Voted = c.Vote
		}
	}
	return all
}
