package feed

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of reports.
const (
	MaxReason     = 500 // characters
	MaxReports    = 20  // of an object that are stored
	ReportsAnHour = 20  // of a member
	ReportsStored = 90 * 24 * time.Hour
)

// CommentState is who sees a comment.
type CommentState string

// States of a comment that its author has not deleted.
const (
	CommentVisible CommentState = "visible" // to everyone
	CommentHidden  CommentState = "hidden"  // to its author only, who does not learn that
	CommentRemoved CommentState = "removed" // to no one
)

// Check returns nil or ErrInvalid.
func (s CommentState) Check() error {
	switch s {
	case CommentVisible, CommentHidden, CommentRemoved:
		return nil
	}
	return Invalid("state", "use visible, hidden or removed")
}

// Ban keeps an account from writing and voting in the community.
type Ban struct {
	AccountID int64     `json:"account_id"`
	Account   string    `json:"account"`
	Since     time.Time `json:"since"`
}

// Reported names what a report is about: a submission, or a comment on it.
type Reported struct {
	News    int64 `json:"submission"`
	Comment int64 `json:"comment,omitempty"` // 0: the submission itself
}

// String returns "12" or "12-3".
func (o Reported) String() string {
	if o.Comment == 0 {
		return strconv.FormatInt(o.News, 10)
	}
	return fmt.Sprintf("%d-%d", o.News, o.Comment)
}

// ParseReported reverts String. ErrNotFound: the text names nothing.
func ParseReported(text string) (o Reported, err error) {
	news, comment, isComment := strings.Cut(text, "-")
	if o.News, err = strconv.ParseInt(news, 10, 64); err == nil && isComment {
		o.Comment, err = strconv.ParseInt(comment, 10, 64)
	}
	if err != nil || o.News <= 0 || o.Comment < 0 || o.String() != text {
		return Reported{}, fmt.Errorf("report of %.64q: %w", text, ErrNotFound)
	}
	return o, nil
}

// Report is something that members have reported and no moderator has decided about.
type Report struct {
	ID string `json:"id"` // as Reported.String
	Reported
	Since    time.Time      `json:"since"` // of the first report
	Title    string         `json:"title"` // of the submission
	Body     string         `json:"body,omitempty"`
	AuthorID int64          `json:"user_id,omitempty"`
	Author   string         `json:"author,omitempty"`
	State    CommentState   `json:"state,omitempty"`   // of a comment
	Deleted  bool           `json:"deleted,omitempty"` // there is nothing left to decide about
	Reasons  []ReportReason `json:"reasons"`           // oldest first
}

// ReportReason is what one member says about the reported object.
type ReportReason struct {
	AccountID int64     `json:"account_id"`
	Account   string    `json:"account"`
	Reason    string    `json:"reason"`
	Time      time.Time `json:"time"`
}

// CheckReason returns a reason without surrounding blanks. The error is ErrInvalid: it is empty or too long.
func CheckReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	if reason == "" || utf8.RuneCountInString(reason) > MaxReason || !utf8.ValidString(reason) || strings.ContainsFunc(reason, isOddControl) {
		return "", Invalid("reason", fmt.Sprintf("use 1 to %d characters without control characters", MaxReason))
	}
	return reason, nil
}
