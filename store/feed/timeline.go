package feed

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Bounds of the follows of a user.
const (
	MaxFollows        = 5000
	MaxDefaultFollows = 100 // sources that new members follow
	MaxFetches        = 20  // addresses that no source has, which a user may follow in an hour
	MaxFollowText     = 200 // bytes of a title or folder
)

// Follow is a source that a user follows.
type Follow struct {
	FeedURL string    `json:"feed_url,omitempty"`
	Title   string    `json:"title,omitempty"`  // replaces the title of the source for this user
	Folder  string    `json:"folder,omitempty"` // empty: none
	Muted   bool      `json:"muted,omitempty"`  // its entries are not in the timeline
	Since   time.Time `json:"since"`
	FeverID int64     `json:"-"` // id of the source in the Fever API if another follow has the usual one; else 0
}

// NamedFollow is a follow as people see it.
type NamedFollow struct {
	ID   string `json:"id"`   // of the source
	Name string `json:"name"` // the title of the follow, that of the source, or its URL
	Follow
}

// Named returns a follow as people see it. title is the title of its source; empty: it has none.
func (f Follow) Named(title string) NamedFollow {
	return NamedFollow{ID: SourceID(f.FeedURL), Name: cmp.Or(f.Title, title, f.FeedURL), Follow: f}
}

// FollowChange changes a follow. Nil fields do not change.
type FollowChange struct {
	Title  *string `json:"title,omitempty"`
	Folder *string `json:"folder,omitempty"`
	Muted  *bool   `json:"muted,omitempty"`

	FeverID *int64 `json:"-"`
}

// Apply returns the changed follow. The error is ErrInvalid.
func (c *FollowChange) Apply(f Follow) (Follow, error) {
	for _, text := range []struct {
		name string
		from *string
		to   *string
	}{{"title", c.Title, &f.Title}, {"folder", c.Folder, &f.Folder}} {
		if text.from == nil {
			continue
		}
		*text.to = strings.TrimSpace(*text.from)
		if len(*text.to) > MaxFollowText || strings.ContainsFunc(*text.to, unicode.IsControl) {
			return f, Invalid(text.name, fmt.Sprintf("use up to %d bytes without control characters", MaxFollowText))
		}
	}
	if c.Muted != nil {
		f.Muted = *c.Muted
	}
	if c.FeverID != nil {
		f.FeverID = *c.FeverID
	}
	return f, nil
}

// TimelinePage is a page of the timeline of a user.
type TimelinePage struct {
	Entries []Entry // without content
	Next    Cursor  // zero: nothing follows
}

var timelineCursor = regexp.MustCompile(`^([0-9]{1,19}):(-?[0-9]{1,11})$`)

// ParseTimelineCursor decodes a position in a timeline, as TimelineCursor encodes it; "" is the start. Its member is the number of an
// entry. The error is ErrInvalid.
func ParseTimelineCursor(text string) (Cursor, error) {
	if text == "" {
		return Cursor{}, nil
	}
	m := timelineCursor.FindStringSubmatch(text)
	if m == nil {
		return Cursor{}, Invalid("cursor", `use next of the previous response, as in "1041:1732899000", or none`)
	}
	unix, _ := strconv.ParseFloat(m[2], 64) // the expression matches numbers only
	return Cursor{Score: unix, Member: m[1]}, nil
}

// TimelineCursor encodes a position in a timeline as "<number of the entry>:<Unix seconds>", which are negative before 1970; "" for the
// start.
func TimelineCursor(c Cursor) string {
	if c.IsZero() {
		return ""
	}
	return c.Member + ":" + strconv.FormatFloat(c.Score, 'f', -1, 64)
}

// Chunk is a part of the fan-out of an entry: the followers of its source with ids in a range.
type Chunk struct {
	ID      string    // of the record in the queue
	FeedURL string    `redis:"feed_url"`
	Entry   string    `redis:"entry"` // "Entry:5"; empty: entries changed that have no signals of their own
	First   int64     `redis:"first"` // lowest id of a follower
	Last    int64     `redis:"last"`  // highest id; 0: no bound
	Time    time.Time `redis:"time"`  // of the signal
	Tries   int       // how often a worker has got it
}

// FanoutState is the state of the queue of chunks.
type FanoutState struct {
	Waiting int       // chunks that are not done
	Oldest  time.Time // when the oldest of them was queued; zero: there is none
	Dead    int       // chunks that failed too often
	Pulled  int       // sources with so many followers that timelines read their entries from the source
}
