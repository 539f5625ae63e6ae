package timeline

import (
	"context"
	"embed"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

//go:embed scripts
var scriptFiles embed.FS

// group counts the commands of this package in metrics.
const group = "timelines"

// Entries are the entries of sources.
type Entries interface {
	// QueryPlaces adds the commands that read where entries of a source are in its order: limit of them with timestamps down to lowest,
	// newest first, after a cursor. Replies.Page decodes the replies.
	QueryPlaces(b *core.Batch, feedURL, lowest string, from feed.Cursor, limit int)
	// QueryCountAfter adds the command that counts the entries of a source with timestamps from lowest. Its reply is a number.
	QueryCountAfter(b *core.Batch, feedURL, lowest string)
	// QueryTimestamps adds the command that reads the timestamps of entries by number. Its reply is a list; an entry that the source does
	// not have is empty.
	QueryTimestamps(b *core.Batch, feedURL string, numbers []string)
	// Place returns the timestamp of an entry as its source stores it; empty: the source has no such entry.
	Place(ctx context.Context, ref feed.EntryRef) (string, error)
	// HeadlinesByID returns entries without content. Those that do not exist are left out.
	HeadlinesByID(ctx context.Context, ids []string) (map[string]feed.Entry, error)
	// QueryHeadlines adds the commands that read entries as HeadlinesByID does. They return errors about damaged keys as replies.
	QueryHeadlines(b *core.Batch, ids []string)
	// ReadHeadlines takes the replies to the commands of QueryHeadlines.
	ReadHeadlines(ctx context.Context, ids []string, r *core.Replies) (map[string]feed.Entry, error)
	// ListedByID is HeadlinesByID with the entries that a moderator hid.
	ListedByID(ctx context.Context, ids []string) (map[string]feed.Entry, error)
	// SavedByID is HeadlinesByID with the entries that have expired and that users saved.
	SavedByID(ctx context.Context, ids []string) (map[string]feed.Entry, error)
	// SaveFor makes an entry stay as long as a user has saved it. feed.ErrNotFound: it does not exist.
	SaveFor(ctx context.Context, ref feed.EntryRef, user int64) error
	// UnsaveFor reverts SaveFor. An entry that has expired is deleted if no other user has saved it.
	UnsaveFor(ctx context.Context, ref feed.EntryRef, user int64) error
}

// Scores are the votes on entries.
type Scores interface {
	// QueryScores adds the command that reads the scores of entries. ReadScores takes its reply.
	QueryScores(b *core.Batch, ids []string)
	// ReadScores returns the scores of those entries that have votes or groups, by id, with the votes of a user.
	ReadScores(ctx context.Context, user int64, ids []string, r *core.Replies) (map[string]feed.Score, error)
}

// Store is safe for concurrent use. Errors other than those named on a method are a *core.Error.
type Store struct {
	db      *core.DB
	entries Entries
	scores  Scores
	scripts core.Scripts
	rebuilt prometheus.Counter
	resumed sync.Map // see core.Group
	hints   hints
}

// New returns a Store. It does not connect.
func New(db *core.DB, entries Entries, scores Scores) *Store {
	s := &Store{db: db, entries: entries, scores: scores}
	s.scripts = db.AddNoun(group, scriptFiles, core.Families{
		core.OfUser: {
			"user.follows:<user>", "user.fetches:<user>", "feed:user:<user>", "feed:user:<user>:warm",
			"user.readmark:<user>", "user.read:<user>", "user.keepunread:<user>", "user.saved:<user>",
			"user.posted:<user>", "user.posting:<user>", "user.uploaded:<user>", "user.voting:<user>", "user.submitting:<user>", "user.commenting:<user>",
		},
		core.OfSource: {"<feed_url>:followers"},
		core.AtHub:    {fanoutName, "fanout:dead", "fanout:pulled", "follows.default", removedName},
	})
	s.rebuilt = promauto.With(db.Options().Registerer).NewCounter(prometheus.CounterOpts{
		Name: "feedwire_timeline_cold_starts_total", Help: "Timelines that were built from the entries of their sources.",
	})
	return s
}

// userKeys builds the keys of one user.
type userKeys struct {
	core.Keyspace
	id string
}

func (s *Store) of(user int64) userKeys {
	return userKeys{s.db.User(user), strconv.FormatInt(user, 10)}
}

func (k userKeys) follows() string  { return k.Key("user.follows:" + k.id) }
func (k userKeys) fetches() string  { return k.Key("user.fetches:" + k.id) }
func (k userKeys) posted() string   { return k.Key("user.posted:" + k.id) }
func (k userKeys) uploaded() string { return k.Key("user.uploaded:" + k.id) }
func (k userKeys) posting() string  { return k.Key("user.posting:" + k.id) }
func (k userKeys) voting() string   { return k.Key("user.voting:" + k.id) }
func (k userKeys) cache() string    { return k.Key("feed:user:" + k.id) }
func (k userKeys) warm() string     { return k.Key("feed:user:" + k.id + ":warm") }

func (k userKeys) readMarks() string  { return k.Key("user.readmark:" + k.id) }
func (k userKeys) read() string       { return k.Key("user.read:" + k.id) }
func (k userKeys) keptUnread() string { return k.Key("user.keepunread:" + k.id) }
func (k userKeys) saved() string      { return k.Key("user.saved:" + k.id) }

// limited returns the key that counts what a member does in the community.
func (k userKeys) limited(what feed.Limited) string {
	switch what {
	case feed.LimitedSubmissions:
		return k.Key("user.submitting:" + k.id)
	case feed.LimitedComments:
		return k.Key("user.commenting:" + k.id)
	}
	return k.voting()
}

// marked are the keys of the scripts that mark entries as read.
func (k userKeys) marked() []any { return []any{k.readMarks(), k.read(), k.keptUnread(), k.follows()} }

const (
	fanoutName  = "fanout"
	removedName = "posts.removed"
)

func (s *Store) followers(feedURL string) string {
	return s.db.Source(feedURL).Key(feedURL + ":followers")
}
func (s *Store) queue() string     { return s.db.Hub().Key(fanoutName) }
func (s *Store) dead() string      { return s.db.Hub().Key("fanout:dead") }
func (s *Store) defaults() string  { return s.db.Hub().Key("follows.default") }
func (s *Store) pulledKey() string { return s.db.Hub().Key("fanout:pulled") }
func (s *Store) removed() string   { return s.db.Hub().Key(removedName) }
