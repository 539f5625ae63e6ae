package feed

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// SignalKind is the kind of a signal.
type SignalKind string

// Kinds of signals.
const (
	FeedCreated  SignalKind = "feed_created"  // a source was added
	FeedModified SignalKind = "feed_modified" // its title, description, link or language changed, or there are unsignalled entries
	PostCreated  SignalKind = "post_created"
	PostModified SignalKind = "post_modified"
	PostDeleted  SignalKind = "post_deleted" // an entry was taken down

	CommentCreated SignalKind = "comment_created" // a member commented on an entry
	EntryVoted     SignalKind = "entry_voted"     // the votes on an entry changed
	ListModified   SignalKind = "list_modified"   // the order or the content of a list changed
)

// Signal is one record of the outbox. The script that writes a change also writes its signal, so that both exist or neither
// does. A signal reaches each reader at least once; repetitions have the same ID.
type Signal struct {
	ID          string            `json:"id"` // "1795206000000-0", increasing
	Kind        SignalKind        `json:"kind" redis:"kind"`
	FeedURL     string            `json:"feed_url" redis:"feed_url"`         // of the source, or the RSS feed of the list
	GUID        string            `json:"guid,omitempty" redis:"guid"`       // of the post; empty for other signals
	Entry       string            `json:"entry,omitempty" redis:"entry"`     // "Entry:5"; empty for feed signals
	Digest      string            `json:"digest,omitempty" redis:"digest"`   // of the content of the post or the list after the change
	Changed     map[string]Change `json:"changed,omitempty" redis:"changed"` // changed fields, for the modified kinds
	Unsignalled Unsignalled       `json:"unsignalled,omitzero"`              // entries without signals of their own, for feed_modified
	Comment     int64             `json:"comment,omitempty" redis:"comment"` // its number in the thread of the entry
	Parent      int64             `json:"parent,omitempty" redis:"parent"`   // the comment that it replies to; 0: none
	Votes       SignalVotes       `json:"votes,omitzero"`                    // all on the entry, for entry_voted
	List        string            `json:"list,omitempty" redis:"list"`       // its name
	Time        time.Time         `json:"time,omitzero" redis:"time"`
	Post        *Entry            `json:"post,omitempty"` // in its current state; nil for other signals and if it no longer exists
}

// SignalVotes are the votes on an entry when it was signalled.
type SignalVotes struct {
	Score     float64 `json:"score" redis:"score"` // as in Score
	Up        int     `json:"up" redis:"up"`
	Down      int     `json:"down" redis:"down"`
	Anonymous int     `json:"anonymous,omitempty" redis:"anonymous"` // upvotes minus downvotes without an account, which are not in Score, Up and Down
}

// IsPost reports whether the signal is about a post, and not about its source, comments, votes or a list.
func (s *Signal) IsPost() bool { return s.Entry != "" && s.Kind.OfSource() }

// OfSource reports whether changes of sources and of their posts have signals of the kind.
func (k SignalKind) OfSource() bool {
	switch k {
	case CommentCreated, EntryVoted, ListModified:
		return false
	}
	return true
}

// Subject names what a signal is about that is not about a post: "Entry:5 comment 3", "Entry:5 +12 −3", "list top", or the URL of the source.
func (s *Signal) Subject() string {
	switch s.Kind {
	case CommentCreated:
		return fmt.Sprintf("%s comment %d", s.Entry, s.Comment)
	case EntryVoted:
		return fmt.Sprintf("%s +%d −%d", s.Entry, s.Votes.Up, s.Votes.Down)
	case ListModified:
		return "list " + s.List
	}
	return s.FeedURL
}

// SignalLess reports whether the first of two ids precedes the other. An id is milliseconds, a hyphen and a sequence number; ""
// precedes all.
func SignalLess(a, b string) bool {
	ams, aseq := splitSignalID(a)
	bms, bseq := splitSignalID(b)
	return ams < bms || ams == bms && aseq < bseq
}

func splitSignalID(id string) (ms, seq uint64) {
	left, right, _ := strings.Cut(id, "-")
	ms, _ = strconv.ParseUint(left, 10, 64)   // 0 for ""
	seq, _ = strconv.ParseUint(right, 10, 64) // 0 if absent
	return ms, seq
}

// WithoutText returns a copy of the signal whose post has no content, summary and extra fields.
func (s *Signal) WithoutText() Signal {
	short := *s
	if s.Post != nil {
		post := *s.Post
		post.Content, post.Summary, post.Extra = "", "", nil
		short.Post = &post
	}
	return short
}

// Change is the change of one field. Values are truncated after 256 bytes and then end in "…".
type Change struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// SignalQuery selects signals, newest first. Zero values select all.
type SignalQuery struct {
	Kinds   []SignalKind
	Text    string    // in the feed URL, case-insensitive
	FeedURL string    // one source
	Since   time.Time // this time or later
	Before  string    // id: earlier signals only
	Limit   int
}
