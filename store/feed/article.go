package feed

import (
	"cmp"
	"crypto/sha1" //nolint:gosec // RFC 9562 section 5.5 names SHA-1 for version 5 UUIDs; nothing is secured by it
	"fmt"
	"time"
)

// Article is what an editor decides about: the hash article:<uuid>, made from an entry.
type Article struct {
	UUID       string      `json:"uuid" redis:"uuid"` // ArticleUUID(FeedURL, GUID)
	FeedURL    string      `json:"feed_url,omitempty" redis:"feed_url"`
	GUID       string      `json:"guid,omitempty" redis:"guid"`
	Entry      string      `json:"entry,omitempty" redis:"entry"` // key of the entry it was made from, "Entry:5"
	Title      string      `json:"title,omitempty" redis:"title"`
	Canonical  string      `json:"canonical,omitempty" redis:"canonical"` // absolute URL of the article on its site
	Authors    []string    `json:"authors,omitempty" redis:"authors"`
	Summary    string      `json:"summary,omitempty" redis:"summary"`
	Categories []string    `json:"categories,omitempty" redis:"categories"` // for people
	Image      string      `json:"image,omitempty" redis:"image"`           // absolute URL of the entry's main image; empty: none, or only a thumbnail
	Enclosures []Enclosure `json:"enclosures,omitempty" redis:"enclosures"`
	Fields     FieldValues `json:"fields,omitempty" redis:"fields"` // all others of the entry that the table Fields lists

	Content  string `json:"content,omitempty"`               // HTML of the entry; empty where only the record was asked for
	Digest   string `json:"digest,omitempty" redis:"digest"` // of the entry, see Entry.Digest
	DigestV1 string `json:"-"`                               // of the entry, see Entry.DigestV1; only SaveArticle uses it
	Signal   string `json:"signal,omitempty" redis:"signal"` // id of the signal that told of this content; empty: from elsewhere

	Published time.Time `json:"date_editorially_published,omitzero" redis:"date_editorially_published"` // by the source
	Modified  time.Time `json:"date_modified,omitzero" redis:"date_modified"`                           // by the source
	Updated   time.Time `json:"date_updated,omitzero" redis:"date_updated"`                             // of this record
	Dismissed time.Time `json:"date_dismissed,omitzero"`                                                // by an editor; zero: it is not
	Reread    time.Time `json:"-" redis:"reread_at"`                                                    // last change of fields without an edit

	Feeds map[string]Placement `json:"feeds,omitempty"`
}

// Placement is an article's life in one outgoing feed.
type Placement struct {
	State       State       `json:"state"`
	Revision    int         `json:"revision"`                // counts publications; 0: never published here
	Published   time.Time   `json:"date_published,omitzero"` // of the current revision
	Imported    time.Time   `json:"date_imported,omitzero"`  // last import
	Expired     time.Time   `json:"date_expired,omitzero"`
	Withdrawn   time.Time   `json:"date_withdrawn,omitzero"`
	Impressions []time.Time `json:"impressions,omitempty"` // of the current revision, newest first
	Blocked     string      `json:"blocked,omitempty"`     // why the feed leaves the article out, or would; empty: it does not. Set in responses and not stored
}

// State is the state of an article in one outgoing feed.
type State string

// The states: unpublished → published → imported | expired, published → withdrawn, and from any of them published again.
const (
	StateUnpublished State = "unpublished"
	StatePublished   State = "published"
	StateImported    State = "imported"  // the consumer has taken it often enough
	StateExpired     State = "expired"   // it aged out of the window short of that
	StateWithdrawn   State = "withdrawn" // by an editor
)

// StateDismissed is the state of an article that is unpublished in every feed and that an editor took out of the inbox. It is no state
// in a feed.
const StateDismissed State = "dismissed"

// States lists all states, in the order of an article's life.
func States() []State {
	return []State{StateUnpublished, StatePublished, StateImported, StateExpired, StateWithdrawn}
}

// Transition is one change of state, as the store did it.
type Transition struct {
	From     State  `json:"from"`
	To       State  `json:"to"`
	Revision int    `json:"revision"`
	Changed  bool   `json:"changed"`           // false: the step was done before, or there was nothing to do
	Repeated bool   `json:"-"`                 // the request was answered before; this is that answer again
	Blocked  string `json:"blocked,omitempty"` // why the feed leaves out what was published; empty: it does not
	Undo     string `json:"undo,omitempty"`    // names it to whoever wants to bring back what was before; empty: that cannot be
}

// Fetch is one completed fetch of a feed, or several of the same document, that are recorded together or not at all.
type Fetch struct {
	ID    string // no two have the same; recording it again does nothing
	Times int    // how many fetches it stands for, at least 1
}

// Fetches are completed fetches that showed the same.
type Fetches struct {
	Shown []Impression
	All   []Fetch
	Keep  time.Duration // how long the ids are remembered, at least an hour
}

// Times returns the number of fetches.
func (f *Fetches) Times() (n int) {
	for _, one := range f.All {
		n += one.Times
	}
	return n
}

// Impression is one article at one revision, shown in one completed fetch.
type Impression struct {
	UUID     string
	Revision int
}

// ImpressionResult tells what recording impressions did.
type ImpressionResult struct {
	Counted  int      // impressions added
	Ignored  int      // no longer published, or of an older revision
	Promoted []string // uuids that reached the limit with these fetches
	Known    int      // fetches that were recorded before; the other fields tell again what that did
}

// ArticleUUID returns the name of the article made from an entry: a version 5 UUID (RFC 9562) of feed URL and guid, so that
// making it twice gives the same article.
func ArticleUUID(feedURL, guid string) string {
	namespace := [16]byte{ // RFC 9562 appendix C, NameSpace_URL
		0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
	}
	h := sha1.New() //nolint:gosec // see the import
	h.Write(namespace[:])
	fmt.Fprintf(h, "%s\n%s", feedURL, guid)
	u := h.Sum(nil)[:16]
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[0:4], u[4:6], u[6:8], u[8:10], u[10:16])
}

// Name returns the title of an article, or a text that says that it has none.
func (a *Article) Name() string { return cmp.Or(a.Title, "(without title)") }

// StateIn returns the state of an article in an outgoing feed.
func (a *Article) StateIn(typ string) State { return cmp.Or(a.Feeds[typ].State, StateUnpublished) }
