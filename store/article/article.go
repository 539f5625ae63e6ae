package article

import (
	"embed"

	"github.com/feedwire/feedwire/store/core"
)

//go:embed scripts
var scriptFiles embed.FS

// The groups count the commands of this package in metrics: what serves outgoing feeds, and everything else.
const (
	group     = "articles"
	feedGroup = "feeds"
)

// Store is safe for concurrent use. Errors other than those named on a method are a *core.Error.
type Store struct {
	db      *core.DB
	keys    keys
	scripts core.Scripts
}

// New returns a Store. It does not connect.
func New(db *core.DB) *Store {
	s := &Store{db: db, keys: keys{db.Desk()}}
	s.scripts = db.AddNoun(group, scriptFiles, core.Families{core.AtDesk: {
		"article:<uuid>", "article:<uuid>:content", "article:<uuid>:versions", "article:<uuid>:impressions:<type>", "articles",
		"published_<type>", "imported_<type>", "expired_<type>", "withdrawn_<type>", "taken_back_<type>", "version:<type>",
		"visits:<type>", "fetch:<type>:<id>", "request:<id>", "undo:<id>", "removals", "inbox", "dismissed",
	}})
	db.GroupMetrics(feedGroup, "record_impressions")
	return s
}
