package feed

import (
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Times of submissions.
const (
	NewsBreak  = 15 * time.Minute // between two submissions of a member
	NewsRepost = 48 * time.Hour   // for which the URL of a submission leads to it
	NewsEdit   = 15 * time.Minute // in which a member edits or deletes a submission
)

// Karma of votes on submissions. A vote on the own submission is free.
const (
	KarmaToDownvote = 30 // that a member must have
	DownvoteCost    = 6
	UpvoteCost      = 1 // which the author gets
)

// Bounds of submissions.
const (
	MaxNewsTitle = 200  // characters
	MaxNewsText  = 4096 // characters
	TopNews      = 500  // submissions whose rank is computed each minute
)

// textScheme begins the stored URL of a submission that has a text.
const textScheme = "text://"

// NewsOrder is an order of submissions.
type NewsOrder string

// Orders of submissions.
const (
	NewsLatest NewsOrder = "latest" // newest first
	NewsTop    NewsOrder = "top"    // by rank
)

// News is a submission: an entry that a member submitted, and on which members vote with karma.
type News struct {
	ID       int64     `json:"id" redis:"id"` // the number of its entry
	Title    string    `json:"title" redis:"title"`
	Address  string    `json:"-" redis:"url"` // the URL, or text:// and the text
	URL      string    `json:"url,omitempty"`
	Text     string    `json:"text,omitempty"`
	AuthorID int64     `json:"user_id,omitempty" redis:"user_id"` // 0: the account was removed
	Author   string    `json:"author,omitempty"`
	Source   string    `json:"source,omitempty" redis:"source"` // URL of the source whose entry it is; empty: a member submitted it
	Created  time.Time `json:"created" redis:"ctime"`
	Score    float64   `json:"score"`
	Rank     float64   `json:"rank"` // as it was computed last
	Up       int       `json:"up" redis:"up"`
	Down     int       `json:"down" redis:"down"`
	Comments int       `json:"comments" redis:"comments"`
	Deleted  bool      `json:"deleted,omitempty" redis:"del"`   // without title, URL and text
	Locked   bool      `json:"locked,omitempty" redis:"locked"` // a moderator permits no new comments
	Vote     Vote      `json:"vote"`                            // of the reader
	// State is who sees it; empty, unless a moderator reads it, or its author while it is held or rejected.
	State  Visibility `json:"state,omitempty" redis:"state"`
	Reason string     `json:"reason,omitempty" redis:"reason"` // why it was rejected
}

// EntryID returns the id of the entry of the submission.
func (n *News) EntryID() string { return fmt.Sprint("Entry:", n.ID) }

// Show removes what a reader who does not moderate does not see, and reports whether the reader sees anything. user is the account of the
// reader; 0: none.
func (n *News) Show(user int64) bool {
	switch own := user != 0 && user == n.AuthorID; n.State {
	case Held, Rejected:
		if n.Deleted {
			n.State = ""
		}
		return own
	case Hidden:
		n.State = ""
		return own
	case Removed:
		n.Deleted = true
		n.Hide()
	}
	n.State = ""
	return true
}

// Hide removes what a deleted submission does not show, and separates URL and text of the others.
func (n *News) Hide() {
	if n.Deleted {
		n.Title, n.Address, n.URL, n.Text = "", "", "", ""
	}
	if text, ok := strings.CutPrefix(n.Address, textScheme); ok {
		n.Text = text
	} else {
		n.URL = n.Address
	}
}

// Submission is what a member submits: a title, and either a URL or a text.
type Submission struct {
	Title string `json:"title"`
	URL   string `json:"url"`
	Text  string `json:"text"`
}

// Check removes surrounding blanks and returns nil if the submission is complete and within its bounds. The error is ErrInvalid.
func (s *Submission) Check() error {
	s.Title, s.URL, s.Text = strings.TrimSpace(s.Title), strings.TrimSpace(s.URL), strings.TrimSpace(s.Text)
	var problems FieldErrors
	blame := func(field, reason string, args ...any) {
		problems = append(problems, FieldError{Field: field, Reason: fmt.Sprintf(reason, args...)})
	}
	if !isVisible(s.Title) || utf8.RuneCountInString(s.Title) > MaxNewsTitle || strings.ContainsFunc(s.Title, unicode.IsControl) {
		blame("title", "use 1 to %d visible characters without control characters", MaxNewsTitle)
	}
	switch {
	case s.URL == "" && !isVisible(s.Text):
		blame("url", "send a url or a text")
	case s.URL != "" && s.Text != "":
		blame("text", "send a url or a text, not both")
	case s.URL != "":
		u, err := url.Parse(s.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || len(s.URL) > maxURL {
			blame("url", "use an absolute http or https URL without a password, up to %d bytes", maxURL)
		}
	case utf8.RuneCountInString(s.Text) > MaxNewsText || strings.ContainsFunc(s.Text, isOddControl):
		blame("text", "use up to %d characters without control characters", MaxNewsText)
	}
	if problems != nil {
		return problems
	}
	return nil
}

// isVisible reports whether a person sees something of a text.
func isVisible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) })
}

// isOddControl reports whether a character is a control character other than those of lines.
func isOddControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }

// OfferOf returns what an entry of a source is as a submission. Check returns nil if it can be one.
func OfferOf(e *Entry) Submission {
	title := strings.Join(strings.Fields(e.Title), " ")
	if runes := []rune(title); len(runes) > MaxNewsTitle {
		title = string(runes[:MaxNewsTitle-1]) + "…"
	}
	return Submission{Title: title, URL: e.Link}
}

// Address returns the submission as News.Address stores it.
func (s *Submission) Address() string {
	if s.URL != "" {
		return s.URL
	}
	return textScheme + s.Text
}

// KarmaError reports that a member has less karma than a vote needs. It is an ErrForbidden.
type KarmaError struct{ Has, Needs int }

func (e *KarmaError) Error() string {
	return fmt.Sprintf("a vote that needs %d karma is not permitted with %d; you get one for each hour in which you use the site", e.Needs, e.Has)
}

// Is reports whether target is ErrForbidden.
func (e *KarmaError) Is(target error) bool { return target == ErrForbidden }

// Member is what the community knows about an account.
type Member struct {
	Karma   int `json:"karma"`
	Replies int `json:"replies"` // unread, by others to comments of the account
}

// DuplicateError reports that a URL was submitted before. It is an ErrExists.
type DuplicateError struct{ First int64 } // number of the first submission

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("submission %d with this URL is less than %d hours old", e.First, int(NewsRepost.Hours()))
}

// Is reports whether target is ErrExists.
func (e *DuplicateError) Is(target error) bool { return target == ErrExists }
