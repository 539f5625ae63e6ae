// Package ingest brings source documents in and turns them into entries.
//
// It stores nothing itself and keeps nothing between two polls: what a source is and how polling it goes lives behind
// Store. One post's way through the package:
//
//	Run → ClaimSources → poll → fetch → Accept → normalise → parse → translate → SaveEntries → FinishPoll
//
// Accept is the one way in for documents, however they came. Each thing that can go wrong on the way is an *feed.Failure with
// a Class, a reason for a person, and a next try.
package ingest
