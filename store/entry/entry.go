package entry

import (
	"embed"

	"github.com/feedwire/feedwire/store/core"
)

//go:embed scripts
var scriptFiles embed.FS

// group counts the commands of this package in metrics.
const group = "entries"

// Store is safe for concurrent use. Errors other than those named on a method are a *core.Error.
type Store struct {
	db      *core.DB
	scripts core.Scripts
}

// New returns a Store. It does not connect.
func New(db *core.DB) *Store {
	return &Store{db, db.AddNoun(group, scriptFiles, core.Families{
		core.Numbered: {"ids:Entry"}, core.OfOwner: {"Entry:<n>"},
		core.OfSource: {"<feed_url>:sort", "<feed_url>:guidmap", "<feed_url>:alias", "<feed_url>:dead", "<feed_url>:takedowns", "<feed_url>:deleted",
			"<feed_url>:saved"},
	})}
}
