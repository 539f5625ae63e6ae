package daemon

import "github.com/feedwire/feedwire/store"

// The stores of the rooms that need several nouns.

// ingestStore is the store of ingest.
type ingestStore struct {
	*store.EntryStore
	*store.SourceStore
}

// engineStore is the store of the hub's engine.
type engineStore struct {
	*store.HubStore
	*store.SignalStore
}

// catalogStore is the store of the hub's catalog.
type catalogStore struct {
	*store.EntryStore
	*store.HubStore
	*store.SourceStore
}

// intakeStore is the store of the intake.
type intakeStore struct {
	*store.ArticleStore
	*store.EntryStore
	*store.SignalStore
	*store.SourceStore
	composed
}

// republishStore is the store of republished sources.
type republishStore struct {
	*store.EntryStore
	*store.SourceStore
	composed
}

// deskStore is the store of the desk.
type deskStore struct {
	*store.ArticleStore
	*store.EntryStore
	*store.HubStore
	*store.OpsStore
	*store.PeopleStore
	*store.SignalStore
	*store.SourceStore
	composed
}

func deskStoreOf(s *store.Store) deskStore {
	return deskStore{s.Articles, s.Entries, s.Hub, s.Ops, s.People, s.Signals, s.Sources, composed{s}}
}

// composed contains the methods that read several nouns. It is a struct, so that methods of a noun hide fields of the store.
type composed struct{ *store.Store }
