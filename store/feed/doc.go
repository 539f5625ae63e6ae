// Package feed is feedwire's vocabulary: sources, entries, articles, outgoing feeds and signals, and the rules about
// them that need no I/O.
//
// Everything else speaks in these types. The package imports the standard library only, so that any room may import
// it without bringing Redis, HTTP or a parser along.
package feed
