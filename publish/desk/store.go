package desk

import (
	"github.com/feedwire/feedwire/publish/desk/articles"
	"github.com/feedwire/feedwire/publish/desk/feeds"
	"github.com/feedwire/feedwire/publish/desk/imports"
	"github.com/feedwire/feedwire/publish/desk/overview"
	"github.com/feedwire/feedwire/publish/desk/signals"
	"github.com/feedwire/feedwire/publish/desk/sources"
	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web"
)

// Store is the sum of the stores of all nouns.
type Store interface {
	web.Store
	articles.Store
	feeds.Store
	overview.Store
	signals.Store
	sources.Store
	imports.Store
}

// SignStore is what signing in and the pages of people need.
type SignStore interface {
	people.Store
	web.AuditLog
	users.Store
}
