package feed

import "time"

// SignalKind is one of seed 001's four signals.
type SignalKind string

// The signals, by their seed names.
const (
	FeedCreated  SignalKind = "feed_created"  // a new feed URL was introduced
	FeedModified SignalKind = "feed_modified" // its title, description, link or language changed, or entries are held
	PostCreated  SignalKind = "post_created"
	PostModified SignalKind = "post_modified"
)

// Signal is one record of the outbox. It is written in the same script as the change it tells of, so that both exist
// or neither does, and it reaches each reader at least once, repeated only with the same ID.
type Signal struct {
	ID      string            // "1795206000000-0": of the stream, rising
	Kind    SignalKind        //
	FeedURL string            // the topic
	GUID    string            // of the post; empty for feed signals
	Entry   string            // "Entry:5"; empty for feed signals
	Digest  string            // of the post's content after the change
	Changed map[string]Change // by field, for the modified kinds
	Held    Held              // of a feed_modified: entries that have no signal of their own
	Time    time.Time         //
	Post    *Entry            // as it is when the signal is read; nil for feed signals and when it is gone since
}

// Change is one line of a diff. Long values are cut after 256 bytes and then end in "…".
type Change struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// SignalQuery selects signals for people, the newest first. The zero values select all.
type SignalQuery struct {
	Kinds   []SignalKind
	Text    string    // in the feed URL, whatever its case
	FeedURL string    // of one source
	Since   time.Time // at or after it
	Before  string    // id: only signals before this one
	Limit   int
}
