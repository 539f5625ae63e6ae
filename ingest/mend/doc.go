// Package mend turns a damaged or hostile feed document into well-formed, bounded XML that a strict parser can read.
//
// XML works in one pass and leaves well-formed markup byte for byte as it is. The parser behind it sees no element that
// mend did not count, so the limits here bound its stack, memory and time. mend also records where the texts of a feed
// stand (Document, Item, Text), because a parser loses their type, base and original spelling.
//
// The package is our own code: the lax mode of encoding/xml stops at faults that feeds have every day, and HTML parsers
// rename elements and drop namespaces. No library mends a feed without losing entries.
package mend
