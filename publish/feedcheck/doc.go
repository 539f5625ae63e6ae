// Package feedcheck judges feeds for tests by what their specifications ask for: RSS 2.0 with its profile of best
// practice, RFC 4287 and JSON Feed 1.1. It shares nothing with the code that writes feeds. Each answer is a list of
// faults, each one sentence that begins with the place; empty: the feed is valid.
package feedcheck
