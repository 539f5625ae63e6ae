package store

import (
	"slices"

	"github.com/feedwire/feedwire/store/article"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/entry"
	"github.com/feedwire/feedwire/store/hub"
	"github.com/feedwire/feedwire/store/ops"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/source"
)

// families are the keys of all packages.
func families() []core.Family {
	return slices.Concat(core.Families(), article.Families(), entry.Families(), hub.Families(), ops.Families(), people.Families(),
		source.Families())
}
