package community

import (
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
	return c.cast(r, voter.ID, &found, v)
}
