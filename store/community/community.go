package community

import (
	"embed"
	"io/fs"
	"strconv"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

//go:embed scripts
var scriptFiles embed.FS

// group counts the commands of this package in metrics.
const group = "community"

// Articles is what this package needs of package ranking.
type Articles interface {
	// Fragments returns the fragments of scripts that change articles.
	Fragments() fs.FS
	// Invocation returns the keys and arguments that the fragment article begins with.
	Invocation(e *feed.Entry) core.Invocation
}

// Store is safe for concurrent use. Errors other than those named on a method are a *core.Error.
type Store struct {
	db       *core.DB
	articles Articles
	scripts  core.Scripts
	threads  heldThreads
}

// New returns a Store. It does not connect.
func New(db *core.DB, articles Articles) *Store {
	s := &Store{db: db, articles: articles}
	s.scripts = db.AddNoun(group, scriptFiles, core.Families{core.AtDesk: {
		"news:<n>", "news.up:<n>", "news.down:<n>", "news.cron", "news.top", "news.held", "news.unlisted", "url:<url>", "user:<id>:submitted_recently", "voted.news:<id>",
		"thread:comment:<n>", "user.comments:<id>", "voted.comments:<id>",
		"community.banned", "reports", "reports:<object>", "user.reports:<id>",
	}}, articles.Fragments())
	return s
}

// keys builds the keys of this package.
type keys struct{ core.Keyspace }

func (s *Store) keys() keys { return keys{s.db.Desk()} }

func (k keys) news(n int64) string       { return k.numbered("news:", n) }
func (k keys) up(n int64) string         { return k.numbered("news.up:", n) }
func (k keys) down(n int64) string       { return k.numbered("news.down:", n) }
func (k keys) latest() string            { return k.Key("news.cron") }
func (k keys) top() string               { return k.Key("news.top") }
func (k keys) held() string              { return k.Key("news.held") }
func (k keys) unlisted() string          { return k.Key("news.unlisted") }
func (k keys) url(address string) string { return k.Key("url:" + address) }
func (k keys) user(id int64) string      { return k.numbered("user:", id) }
func (k keys) recent(id int64) string    { return k.user(id) + ":submitted_recently" }
func (k keys) voted(id int64) string     { return k.numbered("voted.news:", id) }

func (k keys) thread(n int64) string        { return k.numbered("thread:comment:", n) }
func (k keys) comments(id int64) string     { return k.numbered("user.comments:", id) }
func (k keys) commentVotes(id int64) string { return k.numbered("voted.comments:", id) }

func (k keys) banned() string                 { return k.Key("community.banned") }
func (k keys) reports() string                { return k.Key("reports") }
func (k keys) reportsOf(object string) string { return k.Key("reports:" + object) }
func (k keys) reportsBy(id int64) string      { return k.numbered("user.reports:", id) }

func (k keys) numbered(family string, n int64) string {
	return k.Key(family + strconv.FormatInt(n, 10))
}
