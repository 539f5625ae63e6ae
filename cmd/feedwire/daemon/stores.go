package daemon

import "github.com/feedwire/feedwire/store"

// nouns is the store of the rooms: the methods of all nouns. Each room uses those that its own interface names.
type nouns struct {
	*store.ArticleStore
	*store.EntryStore
	*store.HubStore
	*store.OpsStore
	*store.PeopleStore
	*store.SignalStore
	*store.SourceStore
	composed
}

// composed contains the methods that read several nouns. It is a struct, so that methods of a noun hide fields of the store.
type composed struct{ *store.Store }

func nounsOf(s *store.Store) nouns {
	return nouns{s.Articles, s.Entries, s.Hub, s.Ops, s.People, s.Signals, s.Sources, composed{s}}
}
