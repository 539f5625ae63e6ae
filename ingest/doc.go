// Package ingest polls sources and turns their documents into entries.
//
// It stores nothing itself: Store holds the sources, their state of polling and their entries. A post takes this way:
//
//	Run → ClaimSources → poll → fetch.Client.Get → Accept → parser.Parse → SaveEntries → FinishPoll
//
// Pushed documents (Subscriber) also enter at Accept. A failure on the way is a *feed.PollError with a class, a reason for a
// person and the time of the next try.
package ingest
