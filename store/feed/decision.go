package feed

import "time"

// ArticleQuery selects articles for people, those first that came last. Without a type they are all that are known, those
// first that were edited last.
type ArticleQuery struct {
	Type  string    // outgoing feed; empty: any
	State State     // in Type, any but known; empty: any
	Since time.Time // updated then or later; zero: whenever. It counts for nothing with a State
	From  Cursor    // of the page before
	Limit int       // on a page
	Look  int       // how many are looked through for a page
}

// ArticlePage is what an ArticleQuery finds.
type ArticlePage struct {
	Articles []Article // without content
	Next     Cursor    // where the search goes on; zero: it has ended
	Looked   int       // through how many
}

// Version is an article as its source once had it.
type Version struct {
	Time    time.Time `json:"time"` // when it came
	Digest  string    `json:"digest"`
	Title   string    `json:"title"`
	Content string    `json:"content"`       // HTML
	Cut     bool      `json:"cut,omitempty"` // the content was too long to keep
}

// VersionsKept is how many versions of an article are kept, with the one that it has.
const VersionsKept = 5

// DeedsKept is how many deeds of people are kept with an article.
const DeedsKept = 50

// ArticleView is what a page shows of an article.
type ArticleView struct {
	Article  Article            // with its content
	Versions []Version          // newest first; the first one is what it is now
	Deeds    []AuditEntry       // of people, newest first
	Visits   map[string][]Visit // the last ones of each outgoing feed, newest first
	Source   Source             // zero: there is none any more
}

// Sighting is how somebody last saw an article in a feed.
type Sighting struct {
	State    State
	Revision int
}

// Decision is what a person wants of an article in an outgoing feed.
type Decision struct {
	UUID, Type string
	Publish    bool     // or take back
	Seen       Sighting // without a state: whatever it is now
}

// Decided is what became of a Decision, or of undoing one.
type Decided struct {
	UUID, Type string
	Transition Transition
	Now        Sighting // where it is otherwise than it was seen, which Err tells
	Since      int      // impressions that were lost by undoing
	Err        error    // ErrChanged, ErrConflict, ErrNotFound; nil: it is done
}
