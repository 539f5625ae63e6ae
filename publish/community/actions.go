package community

import (
	"errors"
	"net/http"

	"github.com/feedwire/feedwire/store/feed"
)

// Change replaces a submission by s. The visitor of the request is its editor.
func (c *Community) Change(r *http.Request, editor *feed.Account, n int64, s *feed.Submission) error {
	before, err := c.read(r, editor, n)
	if err == nil {
		_, err = c.replace(r, editor, &before, s)
	}
	return err
}

// Delete deletes a submission. The visitor of the request is its editor.
func (c *Community) Delete(r *http.Request, editor *feed.Account, n int64) error {
	found, err := c.read(r, editor, n)
	if err == nil {
		err = c.delete(r, editor, &found)
	}
	return err
}

// Vote votes on a submission, saves its entry if the vote is up, and returns the vote that the account has cast before.
func (c *Community) Vote(r *http.Request, voter *feed.Account, n int64, v feed.Vote) (before feed.Vote, err error) {
	found, err := c.read(r, voter, n)
	if err != nil {
		return before, err
	}
	return c.cast(r, voter, &found, v)
}

// AddComment adds a comment to a submission and returns its number, unless its author may not write it, or does so too often.
func (c *Community) AddComment(r *http.Request, author *feed.Account, n, parent int64, body string) (int64, error) {
	body, err := c.CheckComment(author, body)
	if err == nil {
		err = c.count(r, author, feed.LimitedComments)
	}
	if err != nil {
		return 0, err
	}
	return c.store.AddComment(r.Context(), n, author.ID, parent, body)
}

// VoteOnComment votes on a comment and returns the vote that the account has cast before, which does not change.
func (c *Community) VoteOnComment(r *http.Request, voter *feed.Account, n, id int64, v feed.Vote) (before feed.Vote, err error) {
	if err := c.count(r, voter, feed.LimitedVotes); err != nil {
		return before, err
	}
	return c.store.VoteOnComment(r.Context(), n, id, voter.ID, v)
}

// count counts what an account does, before it does so. *feed.QuotaError: it was too often.
func (c *Community) count(r *http.Request, a *feed.Account, what feed.Limited) error {
	err := c.store.CountLimited(r.Context(), a, what, c.opts.NewAccounts())
	if _, exceeded := errors.AsType[*feed.QuotaError](err); exceeded {
		c.opts.Refused.WithLabelValues(tooOften).Inc()
	}
	return err
}
