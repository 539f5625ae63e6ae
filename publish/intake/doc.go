// Package intake turns entries into articles. It reads the outbox of signals as a consumer group, creates or refreshes the
// article of each entry that an outgoing feed selects, and publishes it if its source or the feed publishes automatically.
//
// The first entries of the list that a feed names become its articles, too. A daemon compares them once a minute.
//
// Editors make articles of entries of local sources that no feed selects, such as submissions of members. The articles then follow these
// entries like others.
//
// One source with many waiting signals does not delay the others: while there is a backlog, signals of all sources are processed in
// turn.
//
// A signal is acknowledged after its work is done. Each step can be repeated, so a crash loses nothing and publishes nothing twice.
package intake
