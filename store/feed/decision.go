package feed

import "time"

// ArticleQuery selects articles, newest first: by their publication in Type or, without a type, by their last change. Those of the inbox
// are ordered by the date that their source gives.
type ArticleQuery struct {
	Type  string    // outgoing feed; empty: any
	State State     // in Type, except unpublished; or StateDismissed; empty: any
	Inbox bool      // only articles without a decision
	Since time.Time // changed at this time or later; ignored with a State and for the inbox
	From  Cursor    // of the previous page
	Limit int       // of the page
	Look  int       // how many articles to examine for a page
}

// ArticlePage is a page of the result of an ArticleQuery.
type ArticlePage struct {
	Articles []Article // without content
	Next     Cursor    // of the next page; zero: last page
	Looked   int       // examined articles
}

// Stories are what a list of articles shows beside them.
type Stories struct {
	Titles     map[string]string // of their sources that exist, by URL
	Beginnings []string          // of their contents, as HTML that may end anywhere
	Inbox      int               // articles without a decision
}

// Version is an earlier version of an article.
type Version struct {
	Time    time.Time `json:"time"` // when it was received
	Digest  string    `json:"digest"`
	Title   string    `json:"title"`
	Content string    `json:"content"`       // HTML
	Cut     bool      `json:"cut,omitempty"` // the content was too long and is truncated
}

// MaxVersions bounds the stored versions of an article, including the current one.
const MaxVersions = 5

// ArticleView contains what the page of an article shows.
type ArticleView struct {
	Article      Article            // with its content
	Versions     []Version          // newest first, starting with the current one
	AuditEntries []AuditEntry       // newest first
	Visits       map[string][]Visit // by outgoing feed, newest first
	Source       Source             // zero: removed
}

// SeenState is the state of an article in a feed as a person saw it.
type SeenState struct {
	State    State
	Revision int
}

// Decision publishes or withdraws an article in an outgoing feed.
type Decision struct {
	UUID, Type string
	Publish    bool      // false: withdraw
	Seen       SeenState // without a state: any
}

// DecisionResult is the result of a Decision, of dismissing or restoring an article (then Type is empty), or of undoing one.
type DecisionResult struct {
	UUID, Type string
	Transition Transition
	Now        SeenState // current state, with ErrChanged
	Since      int       // impressions lost by undoing
	Err        error     // ErrChanged, ErrConflict or ErrNotFound
}
