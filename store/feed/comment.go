package feed

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of comments.
const (
	MaxComment      = 4096   // characters
	MaxThread       = 10_000 // comments on a submission
	MaxDepth        = 50     // of replies
	MaxCommentVotes = 5000   // of a comment in a direction
	CommentsAMinute = 10     // of a member
	CommentEdit     = 2 * time.Hour
	NoParent        = -1 // of a comment that is no reply
)

// Comment is a comment of a member on a submission.
type Comment struct {
	ID       int64     `json:"id"`                // unique in the thread
	ParentID int64     `json:"parent_id"`         // of the comment that it replies to, or NoParent
	AuthorID int64     `json:"user_id,omitempty"` // 0: the account was removed, or the comment
	Author   string    `json:"author,omitempty"`
	Body     string    `json:"body,omitempty"`
	Created  time.Time `json:"created"`
	Up       int       `json:"up"`
	Down     int       `json:"down"`
	Vote     Vote      `json:"vote"`              // of the reader
	Deleted  bool      `json:"deleted,omitempty"` // only its replies are left
	// State is who sees it; empty, unless a moderator reads it.
	State   Visibility `json:"state,omitempty"`
	Replies []Comment  `json:"replies"` // best first
}

// Outline is the comments on a submission as a reader sees them: trees without authors and votes. Readers share them, so no one changes them.
type Outline struct {
	Comments []Comment
	Vote     func(c *Comment) Vote // of the reader on one of them
}

// UserComment is a comment in the list of its author.
type UserComment struct {
	NewsID int64 `json:"submission_id"`
	Comment
}

// CheckComment returns the body of a comment without surrounding blanks. The error is ErrInvalid: it is empty or too long.
func CheckComment(body string) (string, error) {
	body = strings.TrimSpace(body)
	if !isVisible(body) || utf8.RuneCountInString(body) > MaxComment || !utf8.ValidString(body) || strings.ContainsFunc(body, isOddControl) {
		return "", Invalid("body", fmt.Sprintf("use 1 to %d visible characters without control characters", MaxComment))
	}
	return body, nil
}
