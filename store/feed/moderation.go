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

// Visibility is who sees a submission or a comment.
type Visibility string

// States of what its author has not deleted.
const (
	Visible Visibility = "visible" // to everyone
	Hidden  Visibility = "hidden"  // to its author only, who does not learn that
	Removed Visibility = "removed" // to no one
)

// States of submissions that a moderator reviews.
const (
	Held     Visibility = "held"     // to its author only, until a moderator decides
	Rejected Visibility = "rejected" // to its author only, with the reason
)

// Check returns nil or ErrInvalid for the state of a comment.
func (s Visibility) Check() error {
	switch s {
	case Visible, Hidden, Removed:
		return nil
	}
	return Invalid("state", "use visible, hidden or removed")
}

// CheckNews is Check for the state of a submission.
func (s Visibility) CheckNews() error {
	if s.Reviewed() || s.Check() == nil {
		return nil
	}
	return Invalid("state", "use visible, hidden, removed, held or rejected")
}

// Reviewed reports whether a moderator decides about the submission, or has rejected it.
func (s Visibility) Reviewed() bool { return s == Held || s == Rejected }

// Moderates reports whether accounts with the role decide about what members report. No one bans them.
func (r Role) Moderates() bool { return Allow(r.Scopes(), ScopeSources) }

// Ban keeps an account from writing and voting in the community.
type Ban struct {
	AccountID int64     `json:"account_id"`
	Account   string    `json:"account"`
	Since     time.Time `json:"since"`
}

// ModerationEntry is what a moderator did, as moderators read it.
type ModerationEntry struct {
	ID     string    `json:"id"` // rising with time
	Time   time.Time `json:"time"`
	Who    string    `json:"who"`
	Action string    `json:"action"`           // name in the audit log: "moderate"
	Object string    `json:"object"`           // for people: "comment 12-3", the name of an account
	Thing  string    `json:"thing,omitempty"`  // as Reported.String; empty: an account
	Before string    `json:"before,omitempty"` // who saw it, as a Visibility
	After  string    `json:"after,omitempty"`
	Reason string    `json:"reason,omitempty"`
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

// Waiting is what waits for a moderator.
type Waiting struct {
	Reports Queue
	Held    Queue // submissions
}

// Queue is how many things wait, and since when the oldest does; zero: none.
type Queue struct {
	Length int
	Since  time.Time
}

// Report is something that members have reported and no moderator has decided about.
type Report struct {
	ID string `json:"id"` // as Reported.String
	Reported
	Since    time.Time      `json:"since"` // of the first report
	Title    string         `json:"title"` // of the submission
	URL      string         `json:"url,omitempty"`
	Body     string         `json:"body,omitempty"`
	AuthorID int64          `json:"user_id,omitempty"`
	Author   string         `json:"author,omitempty"`
	Joined   time.Time      `json:"author_since,omitzero"` // when the account of the author was made
	Karma    int            `json:"author_karma"`          // of the author
	Banned   bool           `json:"author_banned,omitempty"`
	State    Visibility     `json:"state,omitempty"`
	Locked   bool           `json:"locked,omitempty"`  // the discussion
	Deleted  bool           `json:"deleted,omitempty"` // there is nothing left to decide about
	Reasons  []ReportReason `json:"reasons"`           // oldest first
}

// Summary returns why members have reported the object, for the log of decisions: "spam (2), off topic".
func (r *Report) Summary() string {
	var kinds []string
	count := make(map[string]int)
	for i := range r.Reasons {
		kind, _, _ := strings.Cut(r.Reasons[i].Reason, ":")
		if count[kind]++; count[kind] == 1 {
			kinds = append(kinds, kind)
		}
	}
	for i, kind := range kinds {
		if count[kind] > 1 {
			kinds[i] = fmt.Sprintf("%s (%d)", kind, count[kind])
		}
	}
	text := []rune(strings.Join(kinds, ", "))
	return string(text[:min(len(text), MaxReason)])
}

// Reasons returns the reasons that the form of a report offers. A note may follow after a colon.
func Reasons() []string { return []string{"spam", "abuse", "off topic", "illegal", "other"} }

// ReportReason is what one member says about the reported object.
type ReportReason struct {
	AccountID int64     `json:"account_id"`
	Account   string    `json:"account"`
	Reason    string    `json:"reason"`
	Time      time.Time `json:"time"`
}

// OwnReport is a report as its member exports it.
type OwnReport struct {
	ID     string    `json:"id"` // as Reported.String
	Reason string    `json:"reason"`
	Time   time.Time `json:"time"`
}

// CheckReason returns a reason without surrounding blanks. The error is ErrInvalid: it is empty or too long.
func CheckReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	if reason == "" || utf8.RuneCountInString(reason) > MaxReason || !utf8.ValidString(reason) || strings.ContainsFunc(reason, isOddControl) {
		return "", Invalid("reason", fmt.Sprintf("use 1 to %d characters without control characters", MaxReason))
	}
	return reason, nil
}
