package entry

import (
	"embed"
	"sync/atomic"

	"github.com/feedwire/feedwire/store/core"
)

//go:embed scripts
var scriptFiles embed.FS

// group counts the commands of this package in metrics.
const group = "entries"

// Options configure a Store.
type Options struct {
	FirstSignals int // post_created signals of the first document of a source; default 10, negative: none
}

// Store is safe for concurrent use. Errors other than those named on a method are a *core.Error.
type Store struct {
	db           *core.DB
	scripts      core.Scripts
	firstSignals atomic.Int64
}

// New returns a Store. It does not connect.
func New(db *core.DB, opts Options) *Store {
	s := &Store{db: db}
	s.Reload(opts)
	s.scripts = db.AddNoun(group, scriptFiles, core.Families{
		core.Numbered: {"ids:Entry"}, core.OfOwner: {"Entry:<n>"},
		core.OfSource: {"<feed_url>:sort", "<feed_url>:guidmap", "<feed_url>:alias", "<feed_url>:dead"},
	})
	return s
}

// Reload replaces the options.
func (s *Store) Reload(opts Options) {
	n := opts.FirstSignals
	if n == 0 {
		n = 10
	}
	s.firstSignals.Store(int64(max(0, n)))
}
