// Package feed is the vocabulary of feedwire: sources, entries, articles, outgoing feeds and signals, and the rules about
// them that need no I/O.
//
// All other packages use these types. The package imports only the standard library, so that any package can import it.
package feed
