// Package intake turns entries into articles. It reads the outbox of signals as a consumer group, creates or refreshes the
// article of each entry that an outgoing feed selects, and publishes it if its source or the feed publishes automatically.
//
// A signal is acknowledged after its work is done. Each step can be repeated, so a crash loses nothing and publishes nothing twice.
package intake
