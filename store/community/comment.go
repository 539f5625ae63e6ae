package community

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// storedComment is the JSON of a comment in a thread.
type storedComment struct {
	Body     string  `json:"body"`
	ParentID int64   `json:"parent_id"`
	UserID   int64   `json:"user_id"`
	Created  float64 `json:"ctime"`
	Up       []int64 `json:"up"`
	Down     []int64 `json:"down"`
	Deleted  int     `json:"del"`

	State feed.Visibility `json:"state"` // empty: visible
}

// decodedComment is a comment with the field that it is decoded from.
type decodedComment struct {
	storedComment
	id   int64 // 0: another program wrote the field
	text string
}

// decode decodes a field of a thread.
func decode(field, text string) *decodedComment {
	d := &decodedComment{text: text}
	id, err := strconv.ParseInt(field, 10, 64)
	if err == nil && id > 0 && json.Unmarshal([]byte(text), &d.storedComment) == nil && math.Abs(d.Created) <= 1e11 {
		d.id = id
	}
	return d
}

// as returns the comment as a reader sees it, without author and replies.
func (d *decodedComment) as(user int64, moderates bool) feed.Comment {
	c := feed.Comment{
		ID: d.id, ParentID: d.ParentID, AuthorID: d.UserID, Body: d.Body, Up: len(d.Up), Down: len(d.Down), Vote: d.voteOf(user),
		Created: time.UnixMilli(int64(math.Round(d.Created * 1000))).UTC(), Deleted: d.Deleted != 0 || !moderates && !d.seenBy(user),
	}
	if moderates && !c.Deleted {
		c.State = d.State
	}
	if c.Deleted {
		c.Body, c.AuthorID, c.Up, c.Down, c.Vote = "", 0, 0, 0, feed.VoteNone
	}
	return c
}

// voteOf returns the vote of a user; 0: no user.
func (d *decodedComment) voteOf(user int64) feed.Vote {
	switch {
	case slices.Contains(d.Up, user):
		return feed.VoteUp
	case slices.Contains(d.Down, user):
		return feed.VoteDown
	}
	return feed.VoteNone
}

// seenBy reports whether a moderator lets a reader see the comment.
func (d *decodedComment) seenBy(user int64) bool {
	return d.State == "" || d.State == feed.Hidden && user != 0 && user == d.UserID
}
