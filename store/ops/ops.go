package ops

import (
	"embed"

	"github.com/feedwire/feedwire/store/core"
)

//go:embed scripts
var scriptFiles embed.FS

// group counts the commands of this package in metrics.
const group = "jobs"

// Store is safe for concurrent use. Errors other than those named on a method are a *core.Error.
type Store struct {
	db      *core.DB
	keys    keys
	scripts core.Scripts
}

// New returns a Store. It does not connect. A copy to another layout finds the place of a key by its family.
func New(db *core.DB) *Store {
	s := &Store{db: db, keys: keys{db.Desk()}}
	s.scripts = db.AddNoun(group, scriptFiles, core.Families{core.AtDesk: {"job:<id>", "job:<id>:results", "job:<id>:work", "jobs"}})
	db.GroupMetrics(group, "migrate") // core.DB.Locate
	return s
}
